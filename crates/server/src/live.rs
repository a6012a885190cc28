//! What hosts tell of their workers, for as long as these live. Never stored: a new server asks again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use agents::Tracker;
use model::{Activity, WorkerId, WorkerName};
use protocol::{SignalMessage, StatusReport, ViewerId};

use crate::cwd;

/// What is known of one worker that lives.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live {
    /// What it is called on the command line.
    pub(crate) handle: Option<WorkerName>,
    pub(crate) title: Option<String>,
    /// Where its program said that it is.
    told_cwd: Option<String>,
    /// Its child's process.
    child: Option<u32>,
    /// Who sees it.
    pub(crate) viewers: Vec<(ViewerId, String)>,
    /// Whether its host is there and says nothing.
    pub(crate) not_answering: bool,
    tracker: Tracker,
}

impl Live {
    /// What its program is doing.
    pub(crate) fn activity(&self) -> Activity {
        self.tracker.activity()
    }

    /// What it asks, in its own words.
    pub(crate) fn asking(&self) -> Option<String> {
        self.tracker.asking().and_then(|asking| asking.message.clone())
    }

    /// Where its program is: as it said, or as the kernel says now.
    pub(crate) fn cwd(&self) -> Option<String> {
        self.told_cwd.clone().or_else(|| cwd::of_child(self.child?))
    }

    fn learn(&mut self, report: &StatusReport) {
        self.handle = Some(report.name.clone());
        self.title = text(&report.program.title);
        self.told_cwd = cwd::told(&report.program.cwd);
        self.child = Some(report.child_pid);
        self.viewers = report.viewers.iter().map(|viewer| (viewer.id, viewer.name.clone())).collect();
        self.not_answering = false;
        self.tracker.of_report(&report.program);
    }

    /// Takes in a signal; whether anything changed that is shown.
    fn hear(&mut self, signal: &SignalMessage) -> bool {
        let before = (self.title.clone(), self.told_cwd.clone(), self.activity(), self.asking());
        match signal {
            SignalMessage::Title { text: title } => self.title = text(title),
            SignalMessage::Cwd { text } => self.told_cwd = cwd::told(text),
            _ => {}
        }
        self.tracker.hear(signal);
        before != (self.title.clone(), self.told_cwd.clone(), self.activity(), self.asking())
    }
}

fn text(foreign: &str) -> Option<String> {
    (!foreign.is_empty()).then(|| model::display_safe(foreign))
}

/// Everything that hosts have told.
#[derive(Debug, Default)]
pub(crate) struct Lives {
    all: Mutex<HashMap<WorkerId, Live>>,
}

impl Lives {
    pub(crate) fn get(&self, worker: WorkerId) -> Option<Live> {
        self.lock().get(&worker).cloned()
    }

    /// What all of them are, by worker.
    pub(crate) fn all(&self) -> HashMap<WorkerId, Live> {
        self.lock().clone()
    }

    pub(crate) fn learn(&self, worker: WorkerId, report: &StatusReport) {
        self.lock().entry(worker).or_default().learn(report);
    }

    /// Whether anything changed that is shown.
    pub(crate) fn hear(&self, worker: WorkerId, signal: &SignalMessage) -> bool {
        self.lock().entry(worker).or_default().hear(signal)
    }

    /// Puts down who sees it now, and says who did before.
    pub(crate) fn see(&self, worker: WorkerId, now: Vec<(ViewerId, String)>) -> Vec<(ViewerId, String)> {
        std::mem::replace(&mut self.lock().entry(worker).or_default().viewers, now)
    }

    pub(crate) fn is_silent(&self, worker: WorkerId, silent: bool) {
        self.lock().entry(worker).or_default().not_answering = silent;
    }

    pub(crate) fn forget(&self, worker: WorkerId) {
        self.lock().remove(&worker);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<WorkerId, Live>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
