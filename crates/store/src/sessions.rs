//! Sessions: places of work.

use std::path::PathBuf;

use jiff::Timestamp;
use model::{RepositoryId, SessionId, TaskId, WorkerLife, WorktreeId};

use crate::columns::json;
use crate::error::{Conflict, StoreError};
use crate::object::Object;
use crate::session_row;
use crate::sessions_with_workers::SessionWithWorkers;
use crate::store::{Reader, Store};
use crate::transaction::Tx;
use crate::worker_row;
use crate::workers::NewWorker;
use crate::worktree_row;
use crate::worktrees::WorktreePlace;

/// How many notices a session keeps, the newest. A person would not read more.
pub const MOST_NOTICES: usize = 100;

/// A place of work, with notices about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Which one.
    pub id: SessionId,
    /// What kind of place it is.
    pub kind: SessionKind,
    /// The directory.
    pub location: PathBuf,
    /// The task that it was begun for, also when that has another one since.
    pub task: Option<TaskId>,
    /// What a person calls it.
    pub title: Option<String>,
    /// What happened to it that a person should know, oldest first.
    pub notices: Vec<String>,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When it was ended.
    pub closed_at: Option<Timestamp>,
}

/// What kind of place a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionKind {
    /// Any directory.
    Quick,
    /// A worktree of a repository.
    Worktree {
        /// The repository.
        repository: RepositoryId,
        /// The worktree.
        worktree: WorktreeId,
    },
}

impl SessionKind {
    /// The word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            SessionKind::Quick => "quick",
            SessionKind::Worktree { .. } => "worktree",
        }
    }
}

/// A session to be opened in a place that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSession {
    /// Its id.
    pub id: SessionId,
    /// What kind of place it is.
    pub kind: SessionKind,
    /// The directory.
    pub location: PathBuf,
    /// What a person calls it.
    pub title: Option<String>,
}

/// Which sessions are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionFilter {
    /// Those that have not been ended.
    Open,
    /// All that are known.
    All,
}

impl Reader {
    /// Sessions, oldest first.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn sessions(&self, filter: SessionFilter) -> Result<Vec<Session>, StoreError> {
        self.read(|tx| session_row::list(tx, filter))
    }

    /// One session.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn session(&self, id: SessionId) -> Result<Session, StoreError> {
        self.read(|tx| session_row::find(tx, id))
    }
}

impl Store {
    /// Opens a session in a directory or in a worktree that is there, with its primary worker if it is to have one.
    ///
    /// # Errors
    ///
    /// When an id is taken, the worktree is not there, or it is not one of that repository.
    pub fn create_session(
        &self,
        session: &NewSession,
        worker: Option<&NewWorker>,
        now: Timestamp,
    ) -> Result<SessionWithWorkers, StoreError> {
        self.write(|tx| {
            if let SessionKind::Worktree { repository, worktree } = session.kind {
                refuse_unusable(tx, repository, worktree)?;
            }
            session_row::insert(tx, session, None, now)?;
            if let Some(worker) = worker {
                worker_row::insert(tx, session.id, worker, true, now)?;
            }
            Ok(SessionWithWorkers {
                session: session_row::find(tx, session.id)?,
                workers: worker_row::of_session(tx, session.id)?,
            })
        })
    }

    /// Calls a session something else, or nothing.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn set_session_title(&self, id: SessionId, title: Option<&str>) -> Result<Session, StoreError> {
        self.write(|tx| {
            tx.prepare_cached("UPDATE sessions SET title = ?2 WHERE id = ?1 AND owner = ?3")?.execute((
                id.as_str(),
                title,
                tx.owner(),
            ))?;
            session_row::find(tx, id)
        })
    }

    /// Notes something that happened to a session. Of more than [`MOST_NOTICES`] the oldest go.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn add_notice(&self, id: SessionId, notice: &str) -> Result<Session, StoreError> {
        self.write(|tx| add_notice(tx, id, notice))
    }

    /// Closes a session. One that is closed stays as it is.
    ///
    /// # Errors
    ///
    /// [`Conflict::SessionOfTask`] if a task has it: that is archived. [`StoreError::WrongState`] while a worker of it is
    /// being started: it would be left without a session.
    pub fn close_session(&self, id: SessionId, now: Timestamp) -> Result<Session, StoreError> {
        self.write(|tx| {
            session_row::find(tx, id)?;
            refuse_task(tx, id)?;
            refuse_unmade(tx, id)?;
            session_row::close(tx, id, now)?;
            session_row::find(tx, id)
        })
    }

    /// Forgets a session and its workers, whose hosts the caller has ended.
    ///
    /// # Errors
    ///
    /// [`Conflict::SessionOfTask`] if a task has it.
    pub fn delete_session(&self, id: SessionId) -> Result<(), StoreError> {
        self.write(|tx| {
            session_row::find(tx, id)?;
            refuse_task(tx, id)?;
            tx.prepare_cached("DELETE FROM sessions WHERE id = ?1 AND owner = ?2")?
                .execute([id.as_str(), tx.owner()])?;
            Ok(())
        })
    }
}

pub(crate) fn add_notice(tx: &Tx<'_>, id: SessionId, notice: &str) -> Result<Session, StoreError> {
    let mut session = session_row::find(tx, id)?;
    session.notices.push(notice.to_owned());
    session.notices.drain(..session.notices.len().saturating_sub(MOST_NOTICES));
    tx.prepare_cached("UPDATE sessions SET notices = ?2 WHERE id = ?1 AND owner = ?3")?.execute((
        id.as_str(),
        json(&session.notices),
        tx.owner(),
    ))?;
    Ok(session)
}

fn refuse_task(tx: &Tx<'_>, id: SessionId) -> Result<(), StoreError> {
    session_row::current_task(tx, id)?.map_or(Ok(()), |task| Err(Conflict::SessionOfTask(task).into()))
}

fn refuse_unmade(tx: &Tx<'_>, id: SessionId) -> Result<(), StoreError> {
    let workers = worker_row::of_session(tx, id)?;
    if workers.iter().any(|worker| matches!(worker.life, WorkerLife::Pending | WorkerLife::Provisioning)) {
        let what = Object::Session(id);
        return Err(StoreError::WrongState { what, is: "still being made", step: "closed" });
    }
    Ok(())
}

pub(crate) fn refuse_unusable(
    tx: &Tx<'_>,
    repository: RepositoryId,
    id: WorktreeId,
) -> Result<(), StoreError> {
    let worktree = worktree_row::find(tx, id)?;
    if worktree.repository != repository {
        return Err(StoreError::NotFound { what: Object::Worktree(id) });
    }
    match worktree.place {
        WorktreePlace::Making | WorktreePlace::Ready | WorktreePlace::Kept { .. } => Ok(()),
        place => {
            let (what, is) = (Object::Worktree(id), place.as_str());
            Err(StoreError::WrongState { what, is, step: "worked in" })
        }
    }
}
