//! The facts that only hosts know about living workers. They are never stored: a new server asks again. Every change here
//! is noted for the dashboard.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use agents::Tracker;
use model::{Activity, OwnerId, ShownText, WorkerId, WorkerName};
use protocol::{SignalMessage, StatusReport, ViewerId};
use store::Object;

use crate::changes::Changes;
use crate::node::{Exit, Node};

/// The facts about one living worker.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live {
    /// Its name on the command line.
    pub(crate) handle: Option<WorkerName>,
    pub(crate) title: Option<ShownText>,
    /// The directory that its program reported.
    told_cwd: Option<ShownText>,
    /// The question that its program asks, in the program's words.
    pub(crate) asking: Option<ShownText>,
    /// Its child's process.
    child: Option<u32>,
    /// The viewers that are attached.
    pub(crate) viewers: Vec<(ViewerId, String)>,
    /// Whether its host exists and does not answer.
    pub(crate) not_answering: bool,
    tracker: Tracker,
}

impl Live {
    /// Its activity.
    pub(crate) fn activity(&self) -> Activity {
        self.tracker.activity()
    }

    fn learn(&mut self, report: &StatusReport, node: &Node, exit: &Exit) {
        self.handle = Some(report.name.clone());
        self.title = text(&report.program.title, exit);
        self.told_cwd = node.told_cwd(&report.program.cwd, exit);
        self.child = Some(report.child_pid);
        self.viewers = report.viewers.iter().map(|viewer| (viewer.id, viewer.name.clone())).collect();
        self.not_answering = false;
        self.tracker.of_report(&report.program);
        self.asking = self.asked(exit);
    }

    /// Takes in a signal; returns whether anything changed that is shown.
    fn hear(&mut self, signal: &SignalMessage, node: &Node, exit: &Exit) -> bool {
        let before = (self.title.clone(), self.told_cwd.clone(), self.activity(), self.asking.clone());
        match signal {
            SignalMessage::Title { text: title } => self.title = text(title, exit),
            SignalMessage::Cwd { text } => self.told_cwd = node.told_cwd(text, exit),
            _ => {}
        }
        if self.tracker.hear(signal).is_some() {
            self.asking = self.asked(exit);
        }
        before != (self.title.clone(), self.told_cwd.clone(), self.activity(), self.asking.clone())
    }

    fn asked(&self, exit: &Exit) -> Option<ShownText> {
        self.tracker.asking().and_then(|asking| asking.message.as_deref()).map(|message| exit.show(message))
    }
}

fn text(foreign: &str, exit: &Exit) -> Option<ShownText> {
    (!foreign.is_empty()).then(|| exit.show(foreign))
}

/// The facts about all living workers.
#[derive(Debug)]
pub(crate) struct Lives {
    node: Node,
    all: Mutex<HashMap<WorkerId, Live>>,
    changes: Arc<Changes>,
}

impl Lives {
    pub(crate) fn new(node: Node, changes: Arc<Changes>) -> Lives {
        Lives { node, all: Mutex::default(), changes }
    }

    pub(crate) fn get(&self, worker: WorkerId) -> Option<Live> {
        self.lock().get(&worker).cloned()
    }

    /// The directory of a worker's program: as the program reported, or as the node sees it now.
    pub(crate) fn cwd(&self, worker: WorkerId, live: &Live) -> Option<ShownText> {
        let now = || self.node.cwd_of_child(live.child?, &self.node.exit_of(worker, None));
        live.told_cwd.clone().or_else(now)
    }

    /// What a worker asks now.
    pub(crate) fn asked(&self, _worker: WorkerId) -> Option<crate::inbox::Asked> {
        None
    }

    /// What hosts told of each worker.
    pub(crate) fn all(&self) -> HashMap<WorkerId, Live> {
        self.lock().clone()
    }

    /// Takes in a host's report about its worker.
    pub(crate) fn learn(&self, owner: OwnerId, worker: WorkerId, report: &StatusReport) {
        let exit = self.node.exit_of(worker, Some(report.child_pid));
        self.change(owner, worker, |live| live.learn(report, &self.node, &exit));
    }

    /// Takes in a signal. Many change nothing that is shown.
    pub(crate) fn hear(&self, owner: OwnerId, worker: WorkerId, signal: &SignalMessage) {
        let exit = match signal {
            SignalMessage::Title { .. } | SignalMessage::Cwd { .. } | SignalMessage::Status { .. } => {
                let child = self.lock().get(&worker).and_then(|live| live.child);
                self.node.exit_of(worker, child)
            }
            // No words of the program, but an earlier question may be shown again.
            _ => self.node.exit_of(worker, None),
        };
        let is_shown = self.lock().entry(worker).or_default().hear(signal, &self.node, &exit);
        if is_shown {
            self.changes.note(owner, &[Object::Worker(worker)]);
        }
    }

    /// Notes who sees a worker now, and returns who saw it before.
    pub(crate) fn see(
        &self,
        owner: OwnerId,
        worker: WorkerId,
        now: Vec<(ViewerId, String)>,
    ) -> Vec<(ViewerId, String)> {
        self.change(owner, worker, |live| std::mem::replace(&mut live.viewers, now))
    }

    /// Notes whether a worker's host exists and does not answer.
    pub(crate) fn set_not_answering(&self, owner: OwnerId, worker: WorkerId, not_answering: bool) {
        self.change(owner, worker, |live| live.not_answering = not_answering);
    }

    pub(crate) fn forget(&self, owner: OwnerId, worker: WorkerId) {
        if self.lock().remove(&worker).is_some() {
            self.changes.note(owner, &[Object::Worker(worker)]);
        }
    }

    fn change<T>(&self, owner: OwnerId, worker: WorkerId, change: impl FnOnce(&mut Live) -> T) -> T {
        let before = change(self.lock().entry(worker).or_default());
        self.changes.note(owner, &[Object::Worker(worker)]);
        before
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<WorkerId, Live>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
