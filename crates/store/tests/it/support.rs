//! Things to store, and places to store them in.

use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use model::{OwnerId, RepositoryId, SessionId, TaskId, WorkerId, WorktreeId};
use store::{
    Archived, Database, NewSession, NewTask, NewTaskSession, NewWorker, NewWorktree, OpenError, SessionKind,
    Store, StoreError, Task, WorkerKind,
};
use tempfile::TempDir;

/// A moment, so many seconds after the first.
pub(crate) fn at(seconds: i64) -> Timestamp {
    let first: Timestamp = "2025-03-01T12:00:00Z".parse().expect("a time");
    first + SignedDuration::from_secs(seconds)
}

/// The random bytes of a thing's id, by its number.
fn random(number: u32) -> [u8; 8] {
    let digits = |place: u32| (number >> (5 * place) & 31) as u8;
    [0, 0, digits(5), digits(4), digits(3), digits(2), digits(1), digits(0)]
}

pub(crate) fn session_id(number: u32) -> SessionId {
    SessionId::from_random(random(number))
}

pub(crate) fn worktree_id(number: u32) -> WorktreeId {
    WorktreeId::from_random(random(number))
}

pub(crate) fn worker_id(number: u32) -> WorkerId {
    WorkerId::from_random(random(number))
}

pub(crate) fn task_id(number: u32) -> TaskId {
    TaskId::from_random(random(number))
}

pub(crate) fn repository_id(number: u32) -> RepositoryId {
    RepositoryId::from_random(random(number))
}

/// A directory, and the path of a database in it.
pub(crate) fn place() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("abide.db");
    (dir, path)
}

/// The things of the only owner in a database in memory.
pub(crate) fn in_memory() -> Store {
    Database::in_memory().of(OwnerId::ONLY)
}

/// The things of the only owner in the database at a path.
pub(crate) fn open(path: &Path) -> Result<Store, OpenError> {
    Ok(Database::open(path)?.of(OwnerId::ONLY))
}

/// A store with one repository.
pub(crate) fn store() -> (Store, RepositoryId) {
    let store = in_memory();
    let repository = add_repository(&store, 1);
    (store, repository)
}

pub(crate) fn add_repository(store: &Store, number: u32) -> RepositoryId {
    let (path, name) = (format!("/code/{number}"), format!("repository {number}"));
    store.add_repository(path.as_ref(), &name, at(number.into())).expect("a new repository").id
}

pub(crate) fn new_task(repository: RepositoryId, title: &str) -> NewTask {
    NewTask { repository, title: title.to_owned(), description: None, pinned: false, agent: None }
}

/// A task that is worked on.
pub(crate) fn active_task(store: &Store, repository: RepositoryId) -> Task {
    let task = store.create_task(&new_task(repository, "a task"), at(0)).expect("a new task");
    store.activate_task(task.id).expect("it is in the backlog")
}

pub(crate) fn new_worktree(number: u32) -> NewWorktree {
    NewWorktree {
        id: worktree_id(number),
        path: format!("/worktrees/{number}").into(),
        branch: format!("task-{number}"),
        base_commit: None,
        made_by_abide: true,
    }
}

pub(crate) fn new_task_session(number: u32) -> NewTaskSession {
    NewTaskSession { id: session_id(number), worktree: new_worktree(number), title: None }
}

pub(crate) fn agent(number: u32) -> NewWorker {
    NewWorker {
        id: worker_id(number),
        kind: WorkerKind::Agent { agent: "claude".to_owned() },
        name: format!("agent-{number}"),
        command: vec!["claude".to_owned(), "do \"it\"\n".to_owned()],
    }
}

pub(crate) fn terminal(number: u32) -> NewWorker {
    NewWorker {
        id: worker_id(number),
        kind: WorkerKind::Terminal,
        name: format!("terminal-{number}"),
        command: vec!["bash".to_owned()],
    }
}

pub(crate) fn quick(number: u32) -> NewSession {
    let location = format!("/somewhere/{number}").into();
    NewSession { id: session_id(number), kind: SessionKind::Quick, location, title: None }
}

/// Archives the session that a task has, if it has one.
pub(crate) fn archive(
    store: &Store,
    task: TaskId,
    now: Timestamp,
    kept: Option<&Path>,
    complete: bool,
) -> Result<Option<Archived>, StoreError> {
    let session = store.task(task)?.session.unwrap_or_else(|| session_id(99));
    store.archive_this_session(task, session, now, kept, complete)
}
