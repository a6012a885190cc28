//! Where a task is in its life.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Where a task is in its life. People decide on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum TaskState {
    /// Written down.
    #[default]
    Backlog,
    /// An agent or a person works on it, or will.
    Active,
    /// Finished.
    Done,
}

/// A step that a task cannot take from where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a task that is {} cannot be {step}", from.as_str())]
pub struct WrongTaskState {
    /// Where it is.
    pub from: TaskState,
    /// The step.
    pub step: &'static str,
}

impl TaskState {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            TaskState::Backlog => "backlog",
            TaskState::Active => "active",
            TaskState::Done => "done",
        }
    }

    /// Work on it begins.
    ///
    /// # Errors
    ///
    /// Unless it is in the backlog.
    pub fn activate(self) -> Result<TaskState, WrongTaskState> {
        self.step(TaskState::Backlog, TaskState::Active, "activated")
    }

    /// It is finished.
    ///
    /// # Errors
    ///
    /// Unless it is active.
    pub fn complete(self) -> Result<TaskState, WrongTaskState> {
        self.step(TaskState::Active, TaskState::Done, "completed")
    }

    /// It was not finished after all.
    ///
    /// # Errors
    ///
    /// Unless it is done.
    pub fn reopen(self) -> Result<TaskState, WrongTaskState> {
        self.step(TaskState::Done, TaskState::Active, "reopened")
    }

    fn step(self, from: TaskState, to: TaskState, step: &'static str) -> Result<TaskState, WrongTaskState> {
        if self == from { Ok(to) } else { Err(WrongTaskState { from: self, step }) }
    }
}
