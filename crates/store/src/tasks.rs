//! Tasks: what a person wrote down to be done.

use jiff::Timestamp;
use model::{RepositoryId, SessionId, TaskId, TaskState};
use rusqlite::{OptionalExtension, Row, params};

use crate::columns::{Columns, fresh_id, stamp};
use crate::error::{Conflict, StoreError};
use crate::object::Object;
use crate::order::put_in_order;
use crate::repositories;
use crate::store::{Reader, Store};
use crate::transaction::Tx;

/// A piece of work on a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Which one.
    pub id: TaskId,
    /// What it is about.
    pub repository: RepositoryId,
    /// What it is, in a line.
    pub title: String,
    /// What it is, at length.
    pub description: Option<String>,
    /// Whether a person wants it before the others.
    pub pinned: bool,
    /// Where it is in its life. Only an active one has a session.
    pub state: TaskState,
    /// The agent to work on it, by its definition's id, if one was chosen.
    pub agent: Option<String>,
    /// The session in which it is worked on.
    pub session: Option<SessionId>,
    /// Its place among the tasks of its repository, which counts from 0 without gaps.
    pub position: i64,
    /// When it was written down.
    pub created_at: Timestamp,
    /// When its session was asked for.
    pub session_started_at: Option<Timestamp>,
}

/// A task to be written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTask {
    /// What it is about.
    pub repository: RepositoryId,
    /// What it is, in a line.
    pub title: String,
    /// What it is, at length.
    pub description: Option<String>,
    /// Whether a person wants it before the others.
    pub pinned: bool,
    /// The agent to work on it.
    pub agent: Option<String>,
}

/// What is to change of a task; nothing leaves it as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskChange {
    /// Another title.
    pub title: Option<String>,
    /// Another description, or none.
    pub description: Option<Option<String>>,
    /// Whether a person wants it before the others.
    pub pinned: Option<bool>,
    /// Another agent, or none in particular.
    pub agent: Option<Option<String>>,
    /// Its new place among the tasks of its repository; beyond the last means last.
    pub position: Option<usize>,
}

/// Which tasks are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskFilter {
    /// Of this repository alone.
    pub repository: Option<RepositoryId>,
    /// In this state alone.
    pub state: Option<TaskState>,
}

impl Reader {
    /// Tasks, repository by repository, each in its order.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn tasks(&self, filter: TaskFilter) -> Result<Vec<Task>, StoreError> {
        self.read(|tx| {
            let sql = "SELECT tasks.* FROM tasks JOIN repositories ON repositories.id = tasks.repository_id
                       WHERE tasks.owner = ?3 AND repositories.owner = ?3
                         AND (?1 IS NULL OR tasks.repository_id = ?1) AND (?2 IS NULL OR tasks.state = ?2)
                       ORDER BY repositories.created_at, repositories.id, tasks.position";
            let repository = filter.repository.as_ref().map(RepositoryId::as_str);
            let state = filter.state.map(TaskState::as_str);
            let mut tasks = tx.prepare_cached(sql)?;
            Ok(tasks.query_map((repository, state, tx.owner()), from_row)?.collect::<Result<_, _>>()?)
        })
    }

    /// One task.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn task(&self, id: TaskId) -> Result<Task, StoreError> {
        self.read(|tx| find(tx, id))
    }
}

impl Store {
    /// Writes down a task, at the end of its repository's list.
    ///
    /// # Errors
    ///
    /// When the repository is not there.
    pub fn create_task(&self, task: &NewTask, now: Timestamp) -> Result<Task, StoreError> {
        self.write(|tx| {
            repositories::find(tx, task.repository)?;
            let id = fresh_id(tx, "tasks", TaskId::from_random)?;
            let position = in_order(tx, task.repository)?.len() as i64;
            let sql = "INSERT INTO tasks
                           (id, repository_id, title, description, pinned, state, agent, position, created_at,
                            owner)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
            tx.prepare_cached(sql)?.execute(params![
                id.as_str(),
                task.repository.as_str(),
                task.title,
                task.description,
                task.pinned,
                TaskState::default().as_str(),
                task.agent,
                position,
                stamp(now),
                tx.owner(),
            ])?;
            find(tx, id)
        })
    }

    /// Changes a task in any of its parts but its state.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn update_task(&self, id: TaskId, change: &TaskChange) -> Result<Task, StoreError> {
        self.write(|tx| {
            let was = find(tx, id)?;
            let sql = "UPDATE tasks SET title = ?2, description = ?3, pinned = ?4, agent = ?5
                       WHERE id = ?1 AND owner = ?6";
            tx.prepare_cached(sql)?.execute(params![
                id.as_str(),
                change.title.as_ref().unwrap_or(&was.title),
                change.description.as_ref().unwrap_or(&was.description),
                change.pinned.unwrap_or(was.pinned),
                change.agent.as_ref().unwrap_or(&was.agent),
                tx.owner(),
            ])?;
            if let Some(position) = change.position {
                let mut tasks = in_order(tx, was.repository)?;
                tasks.retain(|task| *task != id);
                tasks.insert(position.min(tasks.len()), id);
                put_in_order(tx, "tasks", &tasks)?;
            }
            find(tx, id)
        })
    }

    /// Strikes out a task, and its logs.
    ///
    /// # Errors
    ///
    /// [`Conflict::HasSession`] while it has one.
    pub fn delete_task(&self, id: TaskId) -> Result<(), StoreError> {
        self.write(|tx| {
            let task = find(tx, id)?;
            refuse_session(&task)?;
            tx.prepare_cached("DELETE FROM tasks WHERE id = ?1 AND owner = ?2")?
                .execute([id.as_str(), tx.owner()])?;
            put_in_order(tx, "tasks", &in_order(tx, task.repository)?)
        })
    }
}

/// Refuses a task that has a session.
pub(crate) fn refuse_session(task: &Task) -> Result<(), StoreError> {
    task.session.map_or(Ok(()), |session| Err(Conflict::HasSession(session).into()))
}

/// The tasks of a repository, in their order.
fn in_order(tx: &Tx<'_>, repository: RepositoryId) -> Result<Vec<TaskId>, StoreError> {
    let sql = "SELECT id FROM tasks WHERE repository_id = ?1 AND owner = ?2 ORDER BY position";
    let mut tasks = tx.prepare_cached(sql)?;
    Ok(tasks.query_map([repository.as_str(), tx.owner()], |row| row.word("id"))?.collect::<Result<_, _>>()?)
}

pub(crate) fn find(tx: &Tx<'_>, id: TaskId) -> Result<Task, StoreError> {
    tx.prepare_cached("SELECT * FROM tasks WHERE id = ?1 AND owner = ?2")?
        .query_row([id.as_str(), tx.owner()], from_row)
        .optional()?
        .ok_or(StoreError::NotFound { what: Object::Task(id) })
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Task> {
    Ok(Task {
        id: row.word("id")?,
        repository: row.word("repository_id")?,
        title: row.get("title")?,
        description: row.get("description")?,
        pinned: row.get("pinned")?,
        state: row.word("state")?,
        agent: row.get("agent")?,
        session: row.word_or_null("session_id")?,
        position: row.get("position")?,
        created_at: row.word("created_at")?,
        session_started_at: row.word_or_null("session_started_at")?,
    })
}
