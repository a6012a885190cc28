//! Sessions of another program.

use model::WorkerLife;
use rusqlite::Connection;
use store::{ImportedSession, ImportedWorktree, KeptReason, SessionKind, WorktreePlace};

use crate::support::{
    agent, at, new_worktree, open, place, repository_id, session_id, store, terminal, worktree_id,
};

fn imported(number: u32, origin: &str) -> ImportedSession {
    let workers = vec![(agent(number), at(1)), (terminal(number + 10), at(2))];
    ImportedSession {
        id: session_id(number),
        location: format!("/somewhere/{number}").into(),
        worktree: None,
        origin: origin.to_owned(),
        notice: format!("imported from {origin}"),
        workers,
        created_at: at(0),
    }
}

/// A session in a worktree of the repository at this path.
fn in_worktree(number: u32, repository_path: &str) -> ImportedSession {
    let worktree =
        ImportedWorktree { repository_path: repository_path.into(), worktree: new_worktree(number) };
    ImportedSession { worktree: Some(worktree), ..imported(number, &format!("theirs {number}")) }
}

#[test]
fn a_session_is_imported_once_with_its_workers_paused() {
    let (store, _) = store();
    let session = store.import_session(&imported(1, "theirs"), at(9)).unwrap().expect("it is new");
    assert_eq!((session.id, session.created_at), (session_id(1), at(0)));
    assert_eq!(session.notices, ["imported from theirs"]);
    assert_eq!(store.session(session.id), Ok(session.clone()));
    let workers = store.session_with_workers(session.id).unwrap().workers;
    let lives: Vec<_> =
        workers.iter().map(|worker| (&worker.life, worker.started_at, worker.ended_at)).collect();
    let paused = &WorkerLife::Paused;
    assert_eq!(lives, [(paused, Some(at(1)), Some(at(9))), (paused, Some(at(2)), Some(at(9)))]);
    assert_eq!(store.import_session(&imported(2, "theirs"), at(9)), Ok(None));
    assert!(store.session(session_id(2)).is_err(), "nothing of it is there");
    assert!(store.import_session(&imported(3, "another"), at(9)).unwrap().is_some());
    store.delete_session(session_id(1)).unwrap();
    assert!(store.import_session(&imported(4, "theirs"), at(9)).unwrap().is_some(), "the first one is gone");
}

#[test]
fn a_session_is_imported_with_its_worktree_and_repository() {
    let (store, repository) = store();
    let session = store.import_session(&in_worktree(1, "/code/1"), at(9)).unwrap().unwrap();
    assert_eq!(session.kind, SessionKind::Worktree { repository, worktree: worktree_id(1) });
    let worktree = store.worktree(worktree_id(1)).unwrap();
    assert_eq!((worktree.place, worktree.created_at), (WorktreePlace::Ready, at(9)));
    store.import_session(&in_worktree(2, "/code/new"), at(9)).unwrap().unwrap();
    let names: Vec<_> = store.repositories().unwrap().into_iter().map(|known| known.name).collect();
    assert_eq!(names, ["repository 1", "new"]);
    // The worktree at that path is known.
    let mut again = in_worktree(3, "/code/1");
    again.worktree.as_mut().unwrap().worktree.path = new_worktree(1).path;
    let session = store.import_session(&again, at(9)).unwrap().unwrap();
    assert_eq!(session.kind, SessionKind::Worktree { repository, worktree: worktree_id(1) });
    assert_eq!(store.worktrees(None).unwrap().len(), 2);
}

#[test]
fn a_session_that_cannot_be_imported_leaves_no_worktree_and_no_repository() {
    let (store, _) = store();
    store.import_session(&imported(1, "theirs"), at(9)).unwrap().unwrap();
    let mut taken = in_worktree(2, "/code/new");
    taken.workers = vec![(agent(1), at(1))];
    store.import_session(&taken, at(9)).unwrap_err();
    let known = ImportedSession { origin: "theirs".to_owned(), ..in_worktree(3, "/code/new") };
    assert_eq!(store.import_session(&known, at(9)), Ok(None));
    assert_eq!((store.worktrees(None).unwrap().len(), store.repositories().unwrap().len()), (0, 1));
}

#[test]
fn sentences_of_an_older_release_become_states() {
    let (_dir, path) = place();
    let older = Connection::open(&path).unwrap();
    older.execute_batch(include_str!("../../src/migrations/1.sql")).unwrap();
    older.execute_batch(include_str!("../../src/migrations/2.sql")).unwrap();
    let worktree = |number: u32, reason: &str| {
        format!(
            "INSERT INTO worktrees (id, repository_id, path, branch, made_by_abide, place, kept_reason, created_at)
             VALUES ('{}', '{}', x'{number:02}', 'b', 1, 'kept', '{reason}', '{}');",
            worktree_id(number),
            repository_id(1),
            at(0)
        )
    };
    let rows = [
        format!(
            "INSERT INTO repositories (id, path, name, created_at) VALUES ('{}', x'61', 'a', '{}');",
            repository_id(1),
            at(0)
        ),
        worktree(1, "its session is over, and it was not yet moved to the trash"),
        worktree(2, "1 file that git does not track"),
        format!(
            "INSERT INTO sessions (id, kind, location, notices, created_at)
             VALUES ('{}', 'quick', x'2f', '[\"something\", \"imported from agent-console: session theirs\"]', '{}');",
            session_id(1),
            at(0)
        ),
    ];
    older.execute_batch(&rows.join("\n")).unwrap();
    older.pragma_update(None, "user_version", 2).unwrap();
    drop(older);
    let store = open(&path).unwrap();
    let kept = |number: u32| store.worktree(worktree_id(number)).unwrap().place;
    assert_eq!(kept(1), WorktreePlace::Kept { reason: KeptReason::AwaitsTrash });
    let because = KeptReason::Because("1 file that git does not track".to_owned());
    assert_eq!(kept(2), WorktreePlace::Kept { reason: because });
    assert_eq!(store.import_session(&imported(2, "theirs"), at(9)), Ok(None));
}
