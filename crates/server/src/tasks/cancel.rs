//! Cancels a task's start.

use api::{ArchivedTask, ErrorCode, Problem};
use model::{SessionId, TaskId, WorkerLife};
use store::{SessionKind, SessionWithWorkers, Worker};

use crate::rooms::Tasks;
use crate::tokens::Principal;
use crate::workers::is_being_made;

/// The end of a start that was asked to stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StartEnd {
    /// The start was over before it was asked; with the life of its agent.
    WasOver(Option<WorkerLife>),
    /// The start has stopped, or ended by itself meanwhile.
    IsOver(Option<WorkerLife>),
}

impl Tasks {
    /// Cancels the start of a task's session. Ends everything that the start runs, archives the session, and moves its
    /// worktree to the trash unless it holds work. Then the task can be started again.
    pub(crate) async fn cancel(&self, who: &Principal, id: TaskId) -> Result<ArchivedTask, Problem> {
        let task = self.read(move |store| store.task(id)).await?;
        let Some(session) = task.session else {
            return Err(Problem::new(
                ErrorCode::NoSession,
                "the task has no session that could be cancelled",
            )
            .hint("start it with `session/start`"));
        };
        match self.stop_start(session).await? {
            StartEnd::IsOver(Some(WorkerLife::Failed { .. })) => {}
            StartEnd::WasOver(life) | StartEnd::IsOver(life) => return Err(too_late(life.as_ref())),
        }
        self.access().record(who, "task.cancel", id, Some(session.to_string())).await;
        let kept_worktree = self.archive(who, &task, false).await?;
        Ok(ArchivedTask { task: self.get(id).await?, kept_worktree })
    }

    /// Asks the start of a task's session to stop, and waits until it is over.
    pub(super) async fn stop_start(&self, session: SessionId) -> Result<StartEnd, Problem> {
        let found = self.started(session).await?;
        let worktree = match (primary(&found), found.session.kind) {
            (Some(agent), SessionKind::Worktree { worktree, .. }) if is_being_made(agent) => worktree,
            (agent, _) => return Ok(StartEnd::WasOver(agent.map(|agent| agent.life.clone()))),
        };
        if let Some(over) = self.stops().cancel(worktree) {
            self.faults().start_was_asked_to_stop().await;
            over.await;
        }
        let found = self.started(session).await?;
        if primary(&found).is_some_and(is_being_made) {
            // The last server was stopped while it started the agent. This server is finding out whether the agent runs.
            return Err(Problem::new(ErrorCode::WrongState, "the server is looking whether its agent runs")
                .hint("try again in a few seconds"));
        }
        Ok(StartEnd::IsOver(primary(&found).map(|agent| agent.life.clone())))
    }

    /// Whether a task's session is being started.
    pub(super) async fn is_starting(&self, id: TaskId) -> bool {
        let found = self.read(move |store| match store.task(id)?.session {
            Some(session) => store.session_with_workers(session).map(Some),
            None => Ok(None),
        });
        matches!(found.await, Ok(Some(found)) if primary(&found).is_some_and(is_being_made))
    }

    async fn started(&self, session: SessionId) -> Result<SessionWithWorkers, Problem> {
        self.read(move |store| store.session_with_workers(session)).await
    }
}

/// The worker that a task's session was started for.
fn primary(found: &SessionWithWorkers) -> Option<&Worker> {
    found.workers.iter().find(|worker| worker.primary)
}

/// Why a start cannot be cancelled any more.
fn too_late(life: Option<&WorkerLife>) -> Problem {
    let (words, hint) = match life {
        Some(WorkerLife::Failed { .. }) => {
            ("the start has failed already", "restart it with `session/retry`, or complete the task")
        }
        Some(WorkerLife::Live) => {
            ("the agent runs already", "end it by completing the task, or restart it with `session/retry`")
        }
        _ => ("the start is over", "restart it with `session/retry`, or complete the task"),
    };
    Problem::new(ErrorCode::WrongState, words).hint(hint)
}
