//! The facts that only hosts know about living workers. They are never stored: a new server asks again. Every change here
//! is noted for the dashboard.

mod detection;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use agents::{Agent, Agents};
use home::{HookCursor, HookEvent};
use model::{Activity, OwnerId, ShownText, WorkerId, WorkerName};
use protocol::{RowsReport, SignalMessage, StatusReport, ViewerId};
use store::Object;

use crate::changes::Changes;
use crate::inbox::Asked;
use crate::node::{Exit, Node};
use crate::standing::{Standing, StandingChange};
use detection::{Detection, News};

/// The facts about one living worker.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live {
    pub(crate) title: Option<ShownText>,
    /// The directory that its program reported.
    told_cwd: Option<ShownText>,
    /// Its child's process.
    pub(crate) child: Option<u32>,
    /// The viewers that are attached.
    pub(crate) viewers: Vec<(ViewerId, String)>,
    /// Whether its host exists and does not answer.
    pub(crate) not_answering: bool,
    /// What its program is doing.
    pub(crate) standing: Standing,
    /// The turn that ended last.
    pub(crate) turn: Option<api::Turn>,
    /// The agent that runs in it, if that is known.
    pub(crate) runs_agent: Option<String>,
}

impl Live {
    /// What its program is doing.
    pub(crate) fn activity(&self) -> Activity {
        self.standing.activity
    }

    /// What its program asks, in the program's words.
    pub(crate) fn asking(&self) -> Option<&ShownText> {
        self.standing.question.as_ref()?.text.as_ref()
    }
}

/// What a worker was started as.
#[derive(Clone, Debug)]
pub(crate) struct Started {
    /// The agent, if it is one.
    pub(crate) agent: Option<String>,
    pub(crate) command: Vec<String>,
}

/// The facts about all living workers.
#[derive(Debug)]
pub(crate) struct Lives {
    node: Node,
    all: Mutex<HashMap<WorkerId, Live>>,
    /// How the activity of each worker is known. Locked before `all`, never after it.
    detections: Mutex<HashMap<WorkerId, Arc<Mutex<Detection>>>>,
    /// The names of all workers on the command line, also of those that have ended.
    handles: Mutex<HashMap<WorkerId, WorkerName>>,
    changes: Arc<Changes>,
}

impl Lives {
    pub(crate) fn new(node: Node, changes: Arc<Changes>) -> Lives {
        Lives {
            node,
            all: Mutex::default(),
            detections: Mutex::default(),
            handles: Mutex::default(),
            changes,
        }
    }

    pub(crate) fn get(&self, worker: WorkerId) -> Option<Live> {
        self.lock().get(&worker).cloned()
    }

    /// What hosts told of each worker.
    pub(crate) fn all(&self) -> HashMap<WorkerId, Live> {
        self.lock().clone()
    }

    /// A worker's name on the command line, which it also has after its end.
    pub(crate) fn handle(&self, worker: WorkerId) -> Option<WorkerName> {
        self.handles.lock().unwrap_or_else(PoisonError::into_inner).get(&worker).cloned()
    }

    /// Notes a worker's name on the command line; nothing once the worker is removed.
    pub(crate) fn set_handle(&self, worker: WorkerId, handle: Option<WorkerName>) {
        let mut handles = self.handles.lock().unwrap_or_else(PoisonError::into_inner);
        match handle {
            Some(handle) => drop(handles.insert(worker, handle)),
            None => drop(handles.remove(&worker)),
        }
    }

    /// The directory of a worker's program: as the program reported, or as the node sees it now.
    pub(crate) fn cwd(&self, worker: WorkerId, live: &Live) -> Option<ShownText> {
        let now = || self.node.cwd_of_child(live.child?, &self.node.exit_of(worker, None));
        live.told_cwd.clone().or_else(now)
    }

    /// Whether a known agent runs in a worker.
    pub(crate) fn runs_agent(&self, worker: WorkerId) -> bool {
        self.lock().get(&worker).is_some_and(|live| live.runs_agent.is_some())
    }

    /// The definition by which a worker is judged.
    pub(crate) fn definition<'a>(&self, worker: WorkerId, agents: &'a Agents) -> &'a Agent {
        let known = self.detection(worker).and_then(|detection| lock(&detection).definition(agents));
        known.unwrap_or_else(|| agents.generic())
    }

    /// What a worker asks now.
    pub(crate) fn asked(&self, worker: WorkerId, agents: &Agents) -> Option<Asked> {
        let detection = self.detection(worker)?;
        let detection = lock(&detection);
        let id = self.get(worker)?.standing.question?.id;
        detection.asked(id, agents)
    }

    /// How it is known what a worker is doing.
    pub(crate) fn explain(&self, worker: WorkerId) -> Option<api::Explanation> {
        let detection = self.detection(worker)?;
        let detection = lock(&detection);
        Some(detection.explain(&self.get(worker)?))
    }

    /// Takes in a host's report about its worker.
    pub(crate) fn learn(
        &self,
        owner: OwnerId,
        worker: WorkerId,
        agents: &Agents,
        started: &Started,
        report: &StatusReport,
    ) -> Option<StandingChange> {
        let exit = self.node.exit_of(worker, Some(report.child_pid));
        let title = text(agents::shown_title(&report.program.title), &exit);
        let told_cwd = self.node.told_cwd(&report.program.cwd, &exit);
        self.set_handle(worker, Some(report.name.clone()));
        self.change(owner, worker, |live| {
            live.title = title;
            live.told_cwd = told_cwd;
            live.child = Some(report.child_pid);
            live.viewers = report.viewers.iter().map(|viewer| (viewer.id, viewer.name.clone())).collect();
            live.not_answering = false;
        });
        let detection = Arc::clone(
            self.detections
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .entry(worker)
                .or_insert_with(|| Arc::new(Mutex::new(Detection::new(agents, started)))),
        );
        let mut detection = lock(&detection);
        detection.begin(agents, report);
        self.publish(owner, worker, &mut detection, || exit)
    }

    /// Takes in a signal. Many change nothing that is shown.
    pub(crate) fn hear(
        &self,
        owner: OwnerId,
        worker: WorkerId,
        agents: &Agents,
        signal: &SignalMessage,
    ) -> Option<StandingChange> {
        let child = self.lock().get(&worker).and_then(|live| live.child);
        let exit = || self.node.exit_of(worker, child);
        if let SignalMessage::Cwd { text } = signal {
            let told_cwd = self.node.told_cwd(text, &exit());
            self.change(owner, worker, |live| live.told_cwd = told_cwd);
            return None;
        }
        let detection = self.detection(worker)?;
        let mut detection = lock(&detection);
        if let SignalMessage::Title { text: title } = signal
            && detection.is_another_title(title)
        {
            let title = text(agents::shown_title(title), &exit());
            self.change(owner, worker, |live| live.title = title);
        }
        detection.hear(agents, signal);
        self.publish(owner, worker, &mut detection, exit)
    }

    /// How far the events of a worker's hooks were heard.
    pub(crate) fn hooks_heard(&self, worker: WorkerId) -> Option<HookCursor> {
        let detection = self.detection(worker)?;
        Some(lock(&detection).hooks_heard())
    }

    /// Takes in what the hooks of a worker told between two cursors, unless that was heard meanwhile.
    pub(crate) fn hook(
        &self,
        owner: OwnerId,
        worker: WorkerId,
        since: HookCursor,
        to: HookCursor,
        events: &[HookEvent],
    ) -> Option<StandingChange> {
        self.detecting(owner, worker, |detection| detection.hook(since, to, events))
    }

    /// The program has printed something.
    pub(crate) fn printed(&self, owner: OwnerId, worker: WorkerId) -> Option<StandingChange> {
        self.detecting(owner, worker, Detection::printed)
    }

    /// The worker's terminal has another size.
    pub(crate) fn resized(&self, owner: OwnerId, worker: WorkerId) -> Option<StandingChange> {
        self.detecting(owner, worker, Detection::resized)
    }

    /// Takes in the text of a worker's screen.
    pub(crate) fn saw(&self, owner: OwnerId, worker: WorkerId, rows: RowsReport) -> Option<StandingChange> {
        self.detecting(owner, worker, |detection| detection.saw(rows))
    }

    /// When a worker is to be woken, if nothing happens before.
    pub(crate) fn due(&self, worker: WorkerId) -> Option<Instant> {
        let detection = self.detection(worker)?;
        lock(&detection).due()
    }

    /// Time has passed. Says whether the host should be asked for the text of the screen.
    pub(crate) fn wake(&self, owner: OwnerId, worker: WorkerId) -> (bool, Option<StandingChange>) {
        let mut asks = false;
        let change = self.detecting(owner, worker, |detection| asks = detection.wake());
        (asks, change)
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
        self.detections.lock().unwrap_or_else(PoisonError::into_inner).remove(&worker);
        if self.lock().remove(&worker).is_some() {
            self.changes.note(owner, &[Object::Worker(worker)]);
        }
    }

    fn detecting(
        &self,
        owner: OwnerId,
        worker: WorkerId,
        tell: impl FnOnce(&mut Detection),
    ) -> Option<StandingChange> {
        let detection = self.detection(worker)?;
        let mut detection = lock(&detection);
        tell(&mut detection);
        let child = self.lock().get(&worker).and_then(|live| live.child);
        self.publish(owner, worker, &mut detection, || self.node.exit_of(worker, child))
    }

    /// Shows what a detection has found out, if that is new.
    fn publish(
        &self,
        owner: OwnerId,
        worker: WorkerId,
        detection: &mut Detection,
        exit: impl FnOnce() -> Exit,
    ) -> Option<StandingChange> {
        let News { state, since, turn, runs_agent } = detection.take_news()?;
        let exit = exit();
        let before = self.get(worker).unwrap_or_default().standing;
        let after = before.next(&state, since, &exit);
        let turn = turn.map(|turn| crate::standing::turn(&turn, detection.began(), &exit));
        self.change(owner, worker, |live| {
            live.standing = after.clone();
            live.turn = turn.clone().or(live.turn.take());
            live.runs_agent = runs_agent;
        });
        Some(StandingChange { before, after, turn })
    }

    fn change<T>(&self, owner: OwnerId, worker: WorkerId, change: impl FnOnce(&mut Live) -> T) -> T {
        let before = change(self.lock().entry(worker).or_default());
        self.changes.note(owner, &[Object::Worker(worker)]);
        before
    }

    fn detection(&self, worker: WorkerId) -> Option<Arc<Mutex<Detection>>> {
        self.detections.lock().unwrap_or_else(PoisonError::into_inner).get(&worker).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<WorkerId, Live>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn lock(detection: &Mutex<Detection>) -> MutexGuard<'_, Detection> {
    detection.lock().unwrap_or_else(PoisonError::into_inner)
}

fn text(foreign: &str, exit: &Exit) -> Option<ShownText> {
    (!foreign.is_empty()).then(|| exit.show(foreign))
}
