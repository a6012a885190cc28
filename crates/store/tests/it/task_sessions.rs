use std::path::Path;
use std::sync::Barrier;
use std::thread;

use model::{ExitStatus, TaskState, WorkerLife};
use store::{
    Begun, Conflict, KeptReason, LogExit, Object, SessionFilter, SessionKind, Store, StoreError,
    WorktreePlace,
};

use crate::support::{
    active_task, add_repository, agent, archive, at, new_task, new_task_session, open, place, store,
    terminal, worker_id,
};

fn begin(store: &Store, number: u32) -> Begun {
    let repository = store.repositories().unwrap()[0].id;
    let task = active_task(store, repository).id;
    store.begin_session(task, &new_task_session(number), &agent(number), at(10)).unwrap()
}

#[test]
fn a_session_is_begun_with_all_that_belongs_to_it() {
    let (store, repository) = store();
    let Begun { task, session, worktree, worker } = begin(&store, 1);
    assert_eq!((task.session, task.session_started_at), (Some(session.id), Some(at(10))));
    assert_eq!(session.kind, SessionKind::Worktree { repository, worktree: worktree.id });
    assert_eq!((&session.location, session.task), (&worktree.path, Some(task.id)));
    assert_eq!(worktree.place, WorktreePlace::Making);
    assert_eq!((worker.session, &worker.life, worker.primary), (session.id, &WorkerLife::Pending, true));
    assert_eq!((worker.command, worker.kind), (agent(1).command, agent(1).kind));
    assert_eq!(store.task(task.id), Ok(task));
    assert_eq!(store.session(session.id), Ok(session));
    assert_eq!(store.worktree(worktree.id), Ok(worktree));
}

#[test]
fn a_task_that_is_not_active_is_not_started() {
    let (store, repository) = store();
    let id = store.create_task(&new_task(repository, "a task"), at(0)).unwrap().id;
    let start = || store.begin_session(id, &new_task_session(1), &agent(1), at(1)).map(drop);
    let refused = |is| Err(StoreError::WrongState { what: Object::Task(id), is, step: "started" });
    assert_eq!(start(), refused("backlog"));
    store.activate_task(id).unwrap();
    store.complete_task(id).unwrap();
    assert_eq!(start(), refused("done"));
    assert_eq!(store.sessions(SessionFilter::All), Ok(Vec::new()));
    assert_eq!(store.worktrees(None), Ok(Vec::new()));
}

#[test]
fn a_session_that_could_not_be_begun_leaves_nothing() {
    let (store, repository) = store();
    let taken = begin(&store, 1).worker.id;
    let task = active_task(&store, repository);
    let refused = store.begin_session(task.id, &new_task_session(2), &agent(1), at(1));
    assert_eq!(refused, Err(Conflict::IdTaken(Object::Worker(taken)).into()));
    assert_eq!(store.sessions(SessionFilter::All).unwrap().len(), 1);
    assert_eq!(store.worktrees(None).unwrap().len(), 1);
    assert_eq!(store.task(task.id), Ok(task));
}

#[test]
fn p10_of_fifty_starts_at_once_one_succeeds_and_the_others_get_its_session_id() {
    let (_dir, path) = place();
    let store = open(&path).unwrap();
    let task = active_task(&store, add_repository(&store, 1)).id;
    let all_at_once = Barrier::new(50);
    let start = |number| {
        all_at_once.wait();
        store.begin_session(task, &new_task_session(number), &agent(number), at(1))
    };
    let results: Vec<_> = thread::scope(|scope| {
        let starts: Vec<_> = (0..50).map(|number| scope.spawn(move || start(number))).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    let (begun, refused): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    assert_eq!((begun.len(), refused.len()), (1, 49));
    let session = begun[0].as_ref().unwrap().session.id;
    for refused in refused {
        assert_eq!(refused, Err(Conflict::HasSession(session).into()));
    }
    assert_eq!(store.sessions(SessionFilter::All).unwrap().len(), 1);
    assert_eq!(store.worktrees(None).unwrap().len(), 1);
    store.check().unwrap();
}

#[test]
fn archiving_closes_the_session_and_leaves_a_log() {
    let (store, _) = store();
    let Begun { task, session, worker, worktree } = begin(&store, 1);
    store.worker_live(worker.id, at(11)).unwrap();
    store.worker_exited(worker.id, ExitStatus::Exited { code: 0 }, at(12), false).unwrap();
    let kept = Path::new("/worktrees/1");
    let archived = archive(&store, task.id, at(20), Some(kept), false).unwrap().unwrap();
    assert_eq!(archived.session.closed_at, Some(at(20)));
    assert_eq!((archived.session.id, archived.worktree), (session.id, worktree));
    assert_eq!(archived.worker, Some(store.worker(worker.id).unwrap()), "it stays, as does its recording");
    let log = &archived.log;
    assert_eq!((log.task, log.session, log.worker), (task.id, Some(session.id), Some(worker.id)));
    assert_eq!((log.started_at, log.ended_at), (at(10), at(20)));
    assert_eq!((log.exit, log.error.as_deref()), (LogExit::Done, None));
    assert_eq!(log.kept_worktree.as_deref(), Some(kept));
    assert_eq!(store.session_logs(task.id), Ok(vec![log.clone()]));

    let task = store.task(task.id).unwrap();
    assert_eq!((task.session, task.session_started_at, task.state), (None, None, TaskState::Active));
    assert_eq!(store.session(session.id).unwrap().task, Some(task.id));
    assert_eq!(archive(&store, task.id, at(21), None, false), Ok(None));
    assert_eq!(store.session_logs(task.id).unwrap().len(), 1);
}

#[test]
fn a_log_says_done_only_if_the_worker_was_done() {
    let (store, _) = store();
    let mut number = 0;
    let mut archived_after = |end: &dyn Fn(model::WorkerId)| {
        number += 1;
        let begun = begin(&store, number);
        end(begun.worker.id);
        let archived = archive(&store, begun.task.id, at(20), None, false).unwrap().unwrap();
        (archived.log.exit, archived.log.error.unwrap_or_default())
    };
    let exited = |status| {
        let store = &store;
        move |worker| {
            store.worker_live(worker, at(11)).unwrap();
            store.worker_exited(worker, status, at(12), false).map(drop).unwrap();
        }
    };
    let failed = |error: &str| (LogExit::Failed, error.to_owned());
    assert_eq!(archived_after(&exited(ExitStatus::Exited { code: 0 })), (LogExit::Done, String::new()));
    assert_eq!(archived_after(&exited(ExitStatus::Exited { code: 3 })), failed("exited 3"));
    assert_eq!(archived_after(&exited(ExitStatus::Killed { signal: 9 })), failed("killed by signal 9"));
    assert_eq!(archived_after(&exited(ExitStatus::Unknown)), failed("ended with an unknown exit code"));
    let fail = |worker| store.worker_failed(worker, "no such branch", at(11)).map(drop).unwrap();
    assert_eq!(archived_after(&fail), failed("no such branch"));
    let lose = |worker| store.worker_lost(worker, "the machine was restarted", at(11)).map(drop).unwrap();
    assert_eq!(archived_after(&lose), failed("the machine was restarted"));
    assert_eq!(archived_after(&|_| ()), failed("archived while pending"));
}

#[test]
fn a_task_is_completed_as_its_session_is_archived() {
    let (store, repository) = store();
    let with = begin(&store, 1).task.id;
    assert!(archive(&store, with, at(20), None, true).unwrap().is_some());
    assert_eq!(store.task(with).unwrap().state, TaskState::Done);

    let without = active_task(&store, repository).id;
    assert_eq!(archive(&store, without, at(20), None, true), Ok(None));
    assert_eq!(store.task(without).unwrap().state, TaskState::Done);

    let again = archive(&store, without, at(21), None, true);
    let (what, is, step) = (Object::Task(without), "done", "completed");
    assert_eq!(again, Err(StoreError::WrongState { what, is, step }));
}

#[test]
fn logs_are_listed_newest_first() {
    let (store, _) = store();
    let task = begin(&store, 1).task.id;
    let mut logs = vec![archive(&store, task, at(20), None, false).unwrap().unwrap().log];
    for number in 2..5 {
        store.begin_session(task, &new_task_session(number), &agent(number), at(30)).unwrap();
        // The clock was set back.
        let archived = archive(&store, task, at(15), None, false).unwrap().unwrap();
        logs.insert(0, archived.log);
    }
    assert_eq!(store.session_logs(task), Ok(logs));
}

#[test]
fn a_log_outlives_its_session() {
    let (store, _) = store();
    let Begun { task, session, .. } = begin(&store, 1);
    archive(&store, task.id, at(20), None, false).unwrap();
    store.delete_session(session.id).unwrap();
    let logs = store.session_logs(task.id).unwrap();
    assert_eq!((logs[0].session, logs[0].worker), (None, None));
    store.check().unwrap();
}

#[test]
fn the_worker_that_a_tasks_session_was_begun_for_stays_in_it() {
    let (store, _) = store();
    let Begun { task, session, worker, .. } = begin(&store, 1);
    let second = store.add_worker(session.id, &terminal(2), at(11)).unwrap();
    assert!(!second.primary);
    assert_eq!(store.remove_worker(worker.id), Err(Conflict::PrimaryWorker(worker.id).into()));
    store.remove_worker(second.id).unwrap();
    archive(&store, task.id, at(20), None, false).unwrap();
    store.remove_worker(worker.id).unwrap();
    assert_eq!(store.workers(session.id), Ok(Vec::new()));
}

#[test]
fn a_session_that_was_begun_since_is_not_archived_in_the_place_of_another() {
    let (store, _) = store();
    let Begun { task, session: first, .. } = begin(&store, 1);
    let archived = store.archive_this_session(task.id, first.id, at(20), None, false).unwrap().unwrap();
    assert_eq!(archived.session.id, first.id);
    assert_eq!(store.archive_this_session(task.id, first.id, at(21), None, false), Ok(None), "it was before");
    let second = store.begin_session(task.id, &new_task_session(2), &agent(2), at(30)).unwrap().session;
    let refused = store.archive_this_session(task.id, first.id, at(31), None, true);
    assert_eq!(refused, Err(Conflict::HasSession(second.id).into()));
    assert_eq!(store.task(task.id).unwrap().session, Some(second.id));
    assert_eq!(store.session_logs(task.id), Ok(vec![archived.log]));
}

#[test]
fn a_worktree_that_cannot_be_trashed_is_kept_and_the_log_says_so() {
    let (store, _) = store();
    let Begun { task, worktree, .. } = begin(&store, 1);
    let log = archive(&store, task.id, at(20), None, false).unwrap().unwrap().log;
    let worktree = store.keep_archived_worktree(log.id, worktree.id, "the disk is full").unwrap();
    let reason = KeptReason::Because("the disk is full".to_owned());
    assert_eq!(worktree.place, WorktreePlace::Kept { reason });
    let logged = store::SessionLog { kept_worktree: Some(worktree.path), ..log };
    assert_eq!(store.session_logs(task.id), Ok(vec![logged]));
}

#[test]
fn a_log_does_not_say_that_a_worktree_was_kept_that_is_gone() {
    let (store, _) = store();
    let Begun { task, worktree, .. } = begin(&store, 1);
    let log = archive(&store, task.id, at(20), None, false).unwrap().unwrap().log;
    store.worktree_gone(worktree.id, at(21)).unwrap();
    store.keep_archived_worktree(log.id, worktree.id, "the disk is full").unwrap_err();
    assert_eq!(store.session_logs(task.id), Ok(vec![log]));
}

#[test]
fn a_start_that_fails_leaves_no_worktree_and_a_failed_worker() {
    let (store, _) = store();
    let Begun { worktree, worker, .. } = begin(&store, 1);
    store.start_failed(worktree.id, worker.id, "no room", at(20)).unwrap();
    let failed = WorkerLife::Failed { reason: "no room".to_owned() };
    assert_eq!(store.worktree(worktree.id).unwrap().place, WorktreePlace::Gone { at: at(20) });
    assert_eq!(store.worker(worker.id).unwrap().life, failed);
    store.start_failed(worktree.id, worker.id, "another reason", at(21)).unwrap();
    assert_eq!(store.worktree(worktree.id).unwrap().place, WorktreePlace::Gone { at: at(20) });
    assert_eq!(store.worker(worker.id).unwrap().life, failed, "the first reason stays");
}

#[test]
fn a_start_that_fails_late_keeps_the_worktree() {
    let (store, _) = store();
    let Begun { worktree, worker, .. } = begin(&store, 1);
    store.worktree_ready(worktree.id, None).unwrap();
    store.start_failed(worktree.id, worker.id, "no such program", at(20)).unwrap();
    assert_eq!(store.worktree(worktree.id).unwrap().place, WorktreePlace::Ready);
    assert!(matches!(store.worker(worker.id).unwrap().life, WorkerLife::Failed { .. }));
}

#[test]
fn a_start_that_fails_is_noted_as_a_whole_or_not_at_all() {
    let (store, _) = store();
    let Begun { worktree, .. } = begin(&store, 1);
    store.start_failed(worktree.id, worker_id(99), "no room", at(20)).unwrap_err();
    assert_eq!(store.worktree(worktree.id).unwrap().place, WorktreePlace::Making);
}
