//! Requests about tasks and their sessions.

use api::{ArchivedTask, CreateTask, SessionLog, Task};
use model::TaskId;

use crate::{Client, Error};

impl Client {
    /// All tasks.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn tasks(&self) -> Result<Vec<Task>, Error> {
        self.get("/api/tasks")
    }

    /// One task.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn task(&self, id: TaskId) -> Result<Task, Error> {
        self.get(&place(id, ""))
    }

    /// Writes down a task.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn create_task(&self, task: &CreateTask) -> Result<Task, Error> {
        self.post_json("/api/tasks", task)
    }

    /// Forgets a task that has no session.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn delete_task(&self, id: TaskId) -> Result<(), Error> {
        self.delete(&place(id, ""))
    }

    /// Takes a task out of the backlog.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn activate_task(&self, id: TaskId) -> Result<Task, Error> {
        self.post(&place(id, "/activate"))
    }

    /// Finishes a task: ends its session and removes its worktree.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn complete_task(&self, id: TaskId) -> Result<ArchivedTask, Error> {
        self.post(&place(id, "/complete"))
    }

    /// Makes a task that is done active again.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn reopen_task(&self, id: TaskId) -> Result<Task, Error> {
        self.post(&place(id, "/reopen"))
    }

    /// Starts an agent on a task. The server answers before the agent runs.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn start_session(&self, id: TaskId) -> Result<Task, Error> {
        self.post(&place(id, "/session/start"))
    }

    /// Ends a task's session and starts another.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn retry_session(&self, id: TaskId) -> Result<ArchivedTask, Error> {
        self.post(&place(id, "/session/retry"))
    }

    /// Cancels the start of a task's session.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn cancel_session(&self, id: TaskId) -> Result<ArchivedTask, Error> {
        self.post(&place(id, "/session/cancel"))
    }

    /// The past sessions of a task.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn session_logs(&self, id: TaskId) -> Result<Vec<SessionLog>, Error> {
        self.get(&place(id, "/session-logs"))
    }
}

fn place(id: TaskId, of_it: &str) -> String {
    format!("/api/tasks/{id}{of_it}")
}
