//! Where a worker is in its life, for those who outlive it.

use serde::{Deserialize, Serialize};

use crate::{Activity, ExitStatus};

/// Where a worker is in its life.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum WorkerLife {
    /// Asked for.
    Pending,
    /// Its place is being made.
    Provisioning,
    /// Its child runs.
    Live,
    /// Ended on purpose, to be taken up again.
    Paused,
    /// Its child has ended.
    Exited {
        /// How.
        status: ExitStatus,
    },
    /// It never started.
    Failed {
        /// Why.
        reason: String,
    },
    /// Its host vanished without saying how the child ended, and no new host adopted the child.
    Lost {
        /// What is known about it.
        reason: String,
    },
}

impl WorkerLife {
    /// The word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            WorkerLife::Pending => "pending",
            WorkerLife::Provisioning => "provisioning",
            WorkerLife::Live => "live",
            WorkerLife::Paused => "paused",
            WorkerLife::Exited { .. } => "exited",
            WorkerLife::Failed { .. } => "failed",
            WorkerLife::Lost { .. } => "lost",
        }
    }

    /// Whether there is, or is about to be, a child.
    pub fn is_open(&self) -> bool {
        matches!(self, WorkerLife::Pending | WorkerLife::Provisioning | WorkerLife::Live)
    }
}

/// How a task's session is doing, in one word: a view of its worker's life and activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum SessionStatus {
    /// Asked for.
    Pending,
    /// Its worktree is being made.
    Provisioning,
    /// The agent runs.
    Running,
    /// The agent cannot go on without an answer.
    WaitingForInput,
    /// The agent ended as if all went well.
    Done,
    /// Anything else.
    Failed,
}

impl SessionStatus {
    /// The one word for a life and an activity.
    pub fn of(life: &WorkerLife, activity: Activity) -> SessionStatus {
        match life {
            WorkerLife::Pending => SessionStatus::Pending,
            WorkerLife::Provisioning => SessionStatus::Provisioning,
            WorkerLife::Live if activity == Activity::Asking => SessionStatus::WaitingForInput,
            WorkerLife::Live | WorkerLife::Paused => SessionStatus::Running,
            WorkerLife::Exited { status } if status.is_success() => SessionStatus::Done,
            WorkerLife::Exited { .. } | WorkerLife::Failed { .. } | WorkerLife::Lost { .. } => {
                SessionStatus::Failed
            }
        }
    }

    /// The word itself.
    pub fn as_str(self) -> &'static str {
        match self {
            SessionStatus::Pending => "pending",
            SessionStatus::Provisioning => "provisioning",
            SessionStatus::Running => "running",
            SessionStatus::WaitingForInput => "waiting_for_input",
            SessionStatus::Done => "done",
            SessionStatus::Failed => "failed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_done_only_when_its_agent_said_so() {
        let of = |life, activity| SessionStatus::of(&life, activity).as_str();
        let exited = |code| WorkerLife::Exited { status: ExitStatus::Exited { code } };
        assert_eq!(of(WorkerLife::Live, Activity::Asking), "waiting_for_input");
        assert_eq!(of(WorkerLife::Live, Activity::Unknown), "running");
        assert_eq!(of(exited(0), Activity::Asking), "done");
        assert_eq!(of(exited(1), Activity::Idle), "failed");
        assert_eq!(of(WorkerLife::Exited { status: ExitStatus::Unknown }, Activity::Idle), "failed");
        assert_eq!(of(WorkerLife::Lost { reason: String::new() }, Activity::Idle), "failed");
    }
}
