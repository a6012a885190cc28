//! Notes which conversation the agent of a worker has, so that exactly that one can be continued.

use std::time::Duration;

use model::{Activity, WorkerId};
use store::{Store, Worker, WorkerKind};

use crate::rooms::Workers;
use crate::standing::StandingChange;

/// An agent that does not find the conversation ends within this time.
const ENDS_AT_ONCE: Duration = Duration::from_secs(60);

/// A program may begin its conversation, or make the file by which we find it, a moment after it has said what it does.
/// So it is looked for again after these times.
const LOOKS_AFTER: [Duration; 4] =
    [Duration::ZERO, Duration::from_millis(500), Duration::from_secs(2), Duration::from_secs(8)];

impl Workers {
    /// Notes which conversation the agent of a worker has, if it is an agent that tells. Says whether there is nothing
    /// more to look for.
    pub(super) async fn note_conversation(&self, id: WorkerId) -> bool {
        let Some(live) = self.lives().get(id) else { return true };
        let agent = live.runs_agent.as_deref().and_then(|agent| self.agent(agent).ok());
        match (agent, live.child) {
            (Some(agent), Some(child)) => self.node().note_conversation(id, agent, child).await,
            _ => false,
        }
    }

    /// The same in the background when the agent begins or stops to do something: the first prompt makes a conversation, and
    /// commands of the agent begin another one.
    pub(super) fn note_conversation_after(&self, id: WorkerId, change: &StandingChange) {
        let (before, after) = (change.before.activity, change.after.activity);
        // A short turn may be over before anything was seen of it.
        let is_news = before != after || change.turn.is_some();
        if !is_news || after == Activity::Unknown {
            return;
        }
        let workers = self.clone();
        tokio::spawn(async move {
            for wait in LOOKS_AFTER {
                tokio::time::sleep(wait).await;
                if workers.note_conversation(id).await {
                    return;
                }
            }
        });
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
