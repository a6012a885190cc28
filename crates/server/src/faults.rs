//! Holds a task's start before one of its steps, a prompt beside its Enter, or a server before it settles worktrees or gives up starts, so that
//! tests can act there. Not in release builds.

use std::path::Path;
#[cfg(debug_assertions)]
use std::path::PathBuf;

/// The steps of a task's start, in order. A server can be stopped before each of them, and after the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartStep {
    /// The server writes down the session, its worktree and its worker.
    Begin,
    /// The server writes down that it makes the worktree of the worker.
    Provision,
    /// The server chooses the name of the branch and writes it down.
    NameBranch,
    /// Git makes the worktree.
    MakeWorktree,
    /// The server writes down that the worktree is there.
    WorktreeReady,
    /// The setup commands run.
    Setup,
    /// The server starts the agent's host.
    StartAgent,
    /// The server writes down that the agent runs.
    AgentLive,
    /// Everything is done.
    Done,
}

impl StartStep {
    /// All steps, in order.
    pub const ALL: &[StartStep] = &[
        StartStep::Begin,
        StartStep::Provision,
        StartStep::NameBranch,
        StartStep::MakeWorktree,
        StartStep::WorktreeReady,
        StartStep::Setup,
        StartStep::StartAgent,
        StartStep::AgentLive,
        StartStep::Done,
    ];

    /// The word for the step.
    pub fn as_str(self) -> &'static str {
        match self {
            StartStep::Begin => "begin",
            StartStep::Provision => "provision",
            StartStep::NameBranch => "name-branch",
            StartStep::MakeWorktree => "make-worktree",
            StartStep::WorktreeReady => "worktree-ready",
            StartStep::Setup => "setup",
            StartStep::StartAgent => "start-agent",
            StartStep::AgentLive => "agent-live",
            StartStep::Done => "done",
        }
    }
}

/// The places where tests hold the server. In release builds it does nothing.
#[derive(Debug)]
pub(crate) struct Faults {
    /// The data directory, in which tests make named pipes.
    #[cfg(debug_assertions)]
    directory: PathBuf,
}

/// The variable that names the step before which starts are held.
#[cfg(debug_assertions)]
const HOLD: &str = "ABIDE_HOLD_START";

/// The word for the moment before worktrees are settled.
#[cfg(debug_assertions)]
const SETTLE: &str = "settle";

/// The word for the moment between the paste of a prompt and its Enter.
#[cfg(debug_assertions)]
const SUBMIT: &str = "submit";

/// The word for the moment after a prompt's Enter, before that is written down.
#[cfg(debug_assertions)]
const SUBMITTED: &str = "submitted";

#[cfg(debug_assertions)]
impl Faults {
    pub(crate) fn new(directory: &Path) -> Faults {
        Faults { directory: directory.to_owned() }
    }

    /// Holds a start before the step that the environment names.
    pub(crate) async fn before(&self, step: StartStep) {
        self.hold(step.as_str()).await;
    }

    /// Holds a server before it settles the worktrees that the last one left.
    pub(crate) async fn before_settling(&self) {
        self.hold(SETTLE).await;
    }

    /// Holds a prompt between its paste and its Enter.
    pub(crate) async fn before_submitting(&self) {
        self.hold(SUBMIT).await;
    }

    /// Holds a prompt after its Enter, before that is written down.
    pub(crate) async fn after_submitting(&self) {
        self.hold(SUBMITTED).await;
    }

    /// Tells a test through the named pipe `asked` that a start was asked to stop.
    pub(crate) async fn start_was_asked_to_stop(&self) {
        self.tell("asked").await;
    }

    /// Tells a test through the named pipe `late` that the server, which was told to stop, is about to give up what still
    /// runs. It gives up nothing before the test has read that.
    pub(crate) async fn before_giving_up(&self) {
        self.tell("late").await;
    }

    /// Tells a test through the named pipe `gave-up` that the server has asked everything that still runs to stop.
    pub(crate) async fn gave_up(&self) {
        self.tell("gave-up").await;
    }

    /// Tells a test through the named pipe `waits` that a request waits until worktrees are settled.
    pub(crate) async fn waits_until_settled(&self) {
        self.tell("waits").await;
    }

    /// Holds the step that the environment names: tells a test through the named pipe `held` in the data directory, and
    /// goes on when the test closes the named pipe `released`. Without these pipes it holds nothing.
    async fn hold(&self, word: &str) {
        if std::env::var_os(HOLD).is_none_or(|held| held != word) {
            return;
        }
        let (held, released) = (self.directory.join("held"), self.directory.join("released"));
        // A test that has ended has removed its pipes.
        let _ = crate::app::blocking(move || {
            std::fs::OpenOptions::new().write(true).open(held)?;
            std::fs::read(released)
        })
        .await;
    }

    async fn tell(&self, pipe: &str) {
        let pipe = self.directory.join(pipe);
        let _ = crate::app::blocking(move || std::fs::OpenOptions::new().write(true).open(pipe)).await;
    }
}

#[cfg(not(debug_assertions))]
impl Faults {
    pub(crate) fn new(_directory: &Path) -> Faults {
        Faults {}
    }

    pub(crate) async fn before(&self, _step: StartStep) {}

    pub(crate) async fn before_settling(&self) {}

    pub(crate) async fn before_submitting(&self) {}

    pub(crate) async fn after_submitting(&self) {}

    pub(crate) async fn start_was_asked_to_stop(&self) {}

    pub(crate) async fn before_giving_up(&self) {}

    pub(crate) async fn gave_up(&self) {}

    pub(crate) async fn waits_until_settled(&self) {}
}
