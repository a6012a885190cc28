//! The steps of a task's life.

use model::{TaskId, TaskState, WrongTaskState};

use crate::error::StoreError;
use crate::object::Object;
use crate::store::Store;
use crate::tasks::{self, Task};
use crate::transaction::Tx;

/// A step of a task's life.
type Step = fn(TaskState) -> Result<TaskState, WrongTaskState>;

impl Store {
    /// Work on it begins.
    ///
    /// # Errors
    ///
    /// Unless it is in the backlog.
    pub fn activate_task(&self, id: TaskId) -> Result<Task, StoreError> {
        self.write(|tx| step(tx, id, TaskState::activate))
    }

    /// It is finished. One with a session is completed by archiving that: [`Store::archive_this_session`].
    ///
    /// # Errors
    ///
    /// Unless it is active and has no session.
    pub fn complete_task(&self, id: TaskId) -> Result<Task, StoreError> {
        self.write(|tx| {
            tasks::refuse_session(&tasks::find(tx, id)?)?;
            step(tx, id, TaskState::complete)
        })
    }

    /// It was not finished after all.
    ///
    /// # Errors
    ///
    /// Unless it is done.
    pub fn reopen_task(&self, id: TaskId) -> Result<Task, StoreError> {
        self.write(|tx| step(tx, id, TaskState::reopen))
    }
}

/// Takes a step, if it may be taken from where the task is.
pub(crate) fn step(tx: &Tx<'_>, id: TaskId, step: Step) -> Result<Task, StoreError> {
    let mut task = tasks::find(tx, id)?;
    task.state = step(task.state).map_err(|wrong| StoreError::WrongState {
        what: Object::Task(id),
        is: wrong.from.as_str(),
        step: wrong.step,
    })?;
    tx.prepare_cached("UPDATE tasks SET state = ?2 WHERE id = ?1 AND owner = ?3")?.execute((
        id.as_str(),
        task.state.as_str(),
        tx.owner(),
    ))?;
    Ok(task)
}
