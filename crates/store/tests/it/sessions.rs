use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use store::{
    Conflict, MOST_NOTICES, NewSession, Object, Session, SessionFilter, SessionKind, SessionWithWorkers,
    StoreError, Trash,
};

use crate::support::{
    active_task, add_repository, agent, at, in_memory, new_task_session, new_worktree, quick, session_id,
    store, terminal,
};

#[test]
fn a_session_comes_back_as_it_was_opened() {
    let store = in_memory();
    let mut new = quick(1);
    new.location = OsStr::from_bytes(b"/not \xff utf-8").into();
    new.title = Some("try things".to_owned());
    let SessionWithWorkers { session, workers } = store.create_session(&new, None, at(1)).unwrap();
    let expected = Session {
        id: new.id,
        kind: SessionKind::Quick,
        location: new.location,
        task: None,
        title: new.title,
        notices: Vec::new(),
        created_at: at(1),
        closed_at: None,
    };
    assert_eq!((session, workers), (expected.clone(), Vec::new()));
    assert_eq!(store.session(new.id), Ok(expected));
}

#[test]
fn a_session_is_opened_with_its_primary_worker() {
    let store = in_memory();
    let opened = store.create_session(&quick(1), Some(&terminal(1)), at(1)).unwrap();
    assert!(opened.workers[0].primary);
    assert_eq!(store.session_with_workers(opened.session.id), Ok(opened));
    let refused = store.create_session(&quick(2), Some(&terminal(1)), at(1)).unwrap_err();
    assert_eq!(refused, Conflict::IdTaken(Object::Worker(terminal(1).id)).into());
    assert!(store.session(session_id(2)).is_err(), "nothing of it stays");
}

#[test]
fn a_session_is_opened_in_a_worktree_that_is_there() {
    let (store, repository) = store();
    let worktree = store.add_worktree(repository, &new_worktree(1), at(0)).unwrap();
    store.worktree_ready(worktree.id, None).unwrap();
    let kind = SessionKind::Worktree { repository, worktree: worktree.id };
    let new = |number| NewSession { kind, location: worktree.path.clone(), ..quick(number) };
    assert_eq!(store.create_session(&new(1), None, at(1)).unwrap().session.kind, kind);
    store.create_session(&new(2), None, at(1)).expect("there may be several in one worktree");

    let other = add_repository(&store, 2);
    let foreign =
        NewSession { kind: SessionKind::Worktree { repository: other, worktree: worktree.id }, ..new(3) };
    let not_found = StoreError::NotFound { what: Object::Worktree(worktree.id) };
    assert_eq!(store.create_session(&foreign, None, at(1)), Err(not_found));

    let trash = Trash { path: "/trash/1".into(), head: None, branch: None };
    store.trash_worktree(worktree.id, trash, at(2)).unwrap();
    let (what, is, step) = (Object::Worktree(worktree.id), "trashed", "worked in");
    let refused = store.create_session(&new(3), None, at(3));
    assert_eq!(refused, Err(StoreError::WrongState { what, is, step }));
}

#[test]
fn closed_sessions_are_listed_when_they_are_asked_for() {
    let store = in_memory();
    for number in [2, 1, 3] {
        store.create_session(&quick(number), None, at(number.into())).unwrap();
    }
    assert_eq!(store.close_session(session_id(1), at(5)).unwrap().closed_at, Some(at(5)));
    assert_eq!(store.close_session(session_id(1), at(6)).unwrap().closed_at, Some(at(5)), "it was closed");
    let list = |filter| -> Vec<_> {
        let sessions = store.sessions(filter).unwrap();
        sessions.iter().map(|session| session.id).collect()
    };
    assert_eq!(list(SessionFilter::Open), [2, 3].map(session_id));
    assert_eq!(list(SessionFilter::All), [1, 2, 3].map(session_id));
}

#[test]
fn the_list_has_every_session_with_its_workers_in_order() {
    let (store, repository) = store();
    let task = active_task(&store, repository).id;
    store.begin_session(task, &new_task_session(1), &agent(1), at(1)).unwrap();
    store.create_session(&quick(2), None, at(2)).unwrap();
    store.create_session(&quick(3), Some(&terminal(5)), at(3)).unwrap();
    store.add_worker(session_id(3), &terminal(4), at(4)).unwrap();
    store.add_worker(session_id(3), &terminal(3), at(4)).unwrap();
    store.close_session(session_id(2), at(5)).unwrap();
    for filter in [SessionFilter::Open, SessionFilter::All] {
        let one_by_one: Vec<_> = store
            .sessions(filter)
            .unwrap()
            .into_iter()
            .map(|session| SessionWithWorkers { workers: store.workers(session.id).unwrap(), session })
            .collect();
        assert_eq!(store.sessions_with_workers(filter), Ok(one_by_one));
    }
    let workers: Vec<_> = store.workers(session_id(3)).unwrap().iter().map(|worker| worker.id).collect();
    assert_eq!(workers, [5, 4, 3].map(crate::support::worker_id));
}

#[test]
fn a_session_can_be_renamed() {
    let store = in_memory();
    store.create_session(&quick(1), None, at(1)).unwrap();
    assert_eq!(store.set_session_title(session_id(1), Some("💡")).unwrap().title.as_deref(), Some("💡"));
    assert_eq!(store.set_session_title(session_id(1), None).unwrap().title, None);
}

#[test]
fn the_newest_notices_are_kept() {
    let store = in_memory();
    store.create_session(&quick(1), None, at(1)).unwrap();
    for number in 0..=MOST_NOTICES {
        store.add_notice(session_id(1), &format!("notice {number}\n\"")).unwrap();
    }
    let notices = store.session(session_id(1)).unwrap().notices;
    assert_eq!(notices.len(), MOST_NOTICES);
    assert_eq!((notices[0].as_str(), notices[MOST_NOTICES - 1].as_str()), ("notice 1\n\"", "notice 100\n\""));
}

#[test]
fn a_tasks_session_is_neither_closed_nor_deleted_but_archived() {
    let (store, repository) = store();
    let task = active_task(&store, repository).id;
    let session = store.begin_session(task, &new_task_session(1), &agent(1), at(1)).unwrap().session.id;
    let refused = || Err(Conflict::SessionOfTask(task).into());
    assert_eq!(store.close_session(session, at(2)).map(drop), refused());
    assert_eq!(store.delete_session(session), refused());
}

#[test]
fn a_deleted_session_takes_its_workers_along() {
    let store = in_memory();
    let opened = store.create_session(&quick(1), Some(&terminal(1)), at(1)).unwrap();
    let (session, worker) = (opened.session.id, opened.workers[0].id);
    store.delete_session(session).unwrap();
    let not_found = |what| StoreError::NotFound { what };
    assert_eq!(store.worker(worker), Err(not_found(Object::Worker(worker))));
    assert_eq!(store.workers(session), Err(not_found(Object::Session(session))));
    assert_eq!(store.delete_session(session), Err(not_found(Object::Session(session))));
    assert_eq!(store.add_notice(session, "x"), Err(not_found(Object::Session(session))));
    store.check().unwrap();
}

#[test]
fn a_session_is_not_closed_while_a_worker_of_it_is_being_started() {
    let store = in_memory();
    let opened = store.create_session(&quick(1), Some(&terminal(1)), at(1)).unwrap();
    let (session, worker) = (opened.session.id, opened.workers[0].id);
    let what = Object::Session(session);
    let refused = || Err(StoreError::WrongState { what, is: "still being made", step: "closed" });
    assert_eq!(store.close_session(session, at(2)).map(drop), refused());
    store.worker_provisioning(worker).unwrap();
    assert_eq!(store.close_session(session, at(2)).map(drop), refused());
    store.worker_live(worker, at(3)).unwrap();
    assert_eq!(store.close_session(session, at(4)).unwrap().closed_at, Some(at(4)));
}
