//! Notes which conversation the agent of a worker has, so that exactly that one can be continued.

use std::time::Duration;

use model::{Activity, WorkerId};
use store::{Store, Worker, WorkerKind};

use crate::rooms::Workers;
use crate::standing::StandingChange;

/// An agent that does not find the conversation ends within this time.
const ENDS_AT_ONCE: Duration = Duration::from_secs(60);

impl Workers {
    /// Notes which conversation the agent of a worker has, if it is an agent that tells.
    pub(super) async fn note_conversation(&self, id: WorkerId) {
        let Some(live) = self.lives().get(id) else { return };
        let agent = live.runs_agent.as_deref().and_then(|agent| self.agent(agent).ok());
        if let (Some(agent), Some(child)) = (agent, live.child) {
            self.node().note_conversation(id, agent, child).await;
        }
    }

    /// The same in the background when the agent begins or stops to do something: the first prompt makes a conversation, and
    /// commands of the agent begin another one.
    pub(super) fn note_conversation_after(&self, id: WorkerId, change: &StandingChange) {
        let (before, after) = (change.before.activity, change.after.activity);
        if before == after || after == Activity::Unknown {
            return;
        }
        let workers = self.clone();
        tokio::spawn(async move { workers.note_conversation(id).await });
    }

    /// Finds out whether an agent ended because it does not have the conversation any more that it was to continue. Then the
    /// next start does not try it again.
    pub(super) async fn note_gone_conversation(&self, worker: &Worker) {
        let WorkerKind::Agent { agent } = &worker.kind else { return };
        let Ok(agent) = self.agent(agent) else { return };
        let Some((gone, id)) = agent.conversation.gone.clone().zip(agent.conversation_in(&worker.command))
        else {
            return;
        };
        let lasted = worker.started_at.zip(worker.ended_at).map(|(from, to)| to.duration_since(from));
        let was_short = lasted.is_some_and(|lasted| lasted.unsigned_abs() < ENDS_AT_ONCE);
        if !agent.is_resumed_by(&worker.command) || !was_short {
            return;
        }
        let (worker_id, session) = (worker.id, worker.session);
        let last_screen = self.node().last_screen(worker_id).await;
        if !last_screen.is_some_and(|rows| gone.is_in(&rows.join("\n"))) {
            return;
        }
        self.node().conversation_is_gone(worker_id, id).await;
        let words =
            format!("{} does not have its conversation any more; restart it to begin a new one", agent.name);
        let noted = self.happened(move |store: &Store| {
            store.say_why_failed(worker_id, &words)?;
            store.add_notice(session, &words).map(drop)
        });
        if let Err(problem) = noted.once().await {
            tracing::debug!(worker.id = %worker_id, reason = problem.error.message, "why it ended is not kept");
        }
    }
}
