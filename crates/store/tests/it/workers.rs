use model::{Activity, ExitStatus, WorkerId, WorkerLife};
use store::{Conflict, Object, Store, StoreError, Worker};

use crate::support::{agent, at, in_memory, quick, session_id, terminal, worker_id};

/// A session with so many workers.
fn with_workers(count: u32) -> Store {
    let store = in_memory();
    store.create_session(&quick(1), None, at(0)).unwrap();
    for number in 1..=count {
        store.add_worker(session_id(1), &terminal(number), at(1)).unwrap();
    }
    store
}

#[test]
fn a_worker_comes_back_as_it_was_asked_for() {
    let store = with_workers(1);
    let new = agent(2);
    let worker = store.add_worker(session_id(1), &new, at(3)).unwrap();
    let expected = Worker {
        id: new.id,
        session: session_id(1),
        kind: new.kind,
        name: new.name,
        command: new.command,
        life: WorkerLife::Pending,
        activity: Activity::Unknown,
        position: 1,
        primary: false,
        replaced: false,
        created_at: at(3),
        started_at: None,
        ended_at: None,
    };
    assert_eq!(worker, expected);
    assert_eq!(store.worker(new.id), Ok(expected));
}

#[test]
fn a_worker_is_stored_with_its_whole_life() {
    let store = with_workers(5);
    let id = worker_id(1);
    let ends = |worker: Worker| (worker.life, worker.started_at, worker.ended_at);
    store.worker_provisioning(id).unwrap();
    assert_eq!(ends(store.worker_live(id, at(2)).unwrap()), (WorkerLife::Live, Some(at(2)), None));
    assert_eq!(ends(store.worker_live(id, at(3)).unwrap()), (WorkerLife::Live, Some(at(2)), None));

    let lost = WorkerLife::Lost { reason: "no host".to_owned() };
    assert_eq!(ends(store.worker_lost(id, "no host", at(4)).unwrap()), (lost, Some(at(2)), Some(at(4))));
    assert_eq!(ends(store.worker_live(id, at(5)).unwrap()), (WorkerLife::Live, Some(at(2)), None));

    let statuses = [ExitStatus::Exited { code: 255 }, ExitStatus::Killed { signal: 64 }, ExitStatus::Unknown];
    for (status, id) in statuses.into_iter().zip((1..).map(worker_id)) {
        store.worker_live(id, at(2)).unwrap();
        let exited = store.worker_exited(id, status, at(6), false).unwrap();
        assert_eq!(ends(exited), (WorkerLife::Exited { status }, Some(at(2)), Some(at(6))));
    }
    let failed = WorkerLife::Failed { reason: "no such program".to_owned() };
    let worker = store.worker_failed(worker_id(4), "no such program", at(7)).unwrap();
    assert_eq!(ends(worker), (failed, None, Some(at(7))));
    store.worker_live(worker_id(5), at(8)).unwrap();
    let paused = store.worker_paused(worker_id(5), at(9)).unwrap();
    assert_eq!(ends(paused), (WorkerLife::Paused, Some(at(8)), Some(at(9))));
    store.check().unwrap();
}

#[test]
fn every_activity_is_stored_after_the_end() {
    let store = with_workers(1);
    for activity in [Activity::Active, Activity::Idle, Activity::Asking, Activity::Unknown] {
        assert_eq!(store.set_activity(worker_id(1), activity).unwrap().activity, activity);
    }
    store.set_activity(worker_id(1), Activity::Idle).unwrap();
    let ended = store.worker_exited(worker_id(1), ExitStatus::Unknown, at(2), false).unwrap();
    assert_eq!(ended.activity, Activity::Idle);
}

#[test]
fn workers_are_put_in_order() {
    let store = with_workers(4);
    let order = |workers: Vec<Worker>| -> Vec<(WorkerId, i64)> {
        workers.iter().map(|worker| (worker.id, worker.position)).collect()
    };
    let wanted = [3, 1, 4, 2].map(worker_id);
    let reordered = order(store.reorder_workers(session_id(1), &wanted).unwrap());
    assert_eq!(reordered, wanted.into_iter().zip(0..).collect::<Vec<_>>());
    store.remove_worker(worker_id(1)).unwrap();
    let left = [3, 4, 2].map(worker_id).into_iter().zip(0..).collect::<Vec<_>>();
    assert_eq!(order(store.workers(session_id(1)).unwrap()), left);

    for others in [&[3, 4][..], &[3, 4, 2, 1], &[3, 4, 4], &[3, 4, 2, 2], &[]] {
        let others: Vec<_> = others.iter().copied().map(worker_id).collect();
        let refused = store.reorder_workers(session_id(1), &others);
        assert_eq!(refused, Err(Conflict::OtherWorkers.into()), "{others:?}");
    }
    assert_eq!(order(store.workers(session_id(1)).unwrap()), left);
}

#[test]
fn a_closed_session_takes_no_more_workers() {
    let store = with_workers(0);
    store.close_session(session_id(1), at(1)).unwrap();
    let (what, is, step) = (Object::Session(session_id(1)), "closed", "given a worker");
    let refused = store.add_worker(session_id(1), &terminal(1), at(2));
    assert_eq!(refused, Err(StoreError::WrongState { what, is, step }));
}

#[test]
fn a_worker_is_renamed() {
    let store = with_workers(1);
    assert_eq!(store.rename_worker(worker_id(1), "other").unwrap().name, "other");
    let not_found = StoreError::NotFound { what: Object::Worker(worker_id(9)) };
    assert_eq!(store.rename_worker(worker_id(9), "other"), Err(not_found));
    let not_found = StoreError::NotFound { what: Object::Worker(worker_id(9)) };
    assert_eq!(store.worker_live(worker_id(9), at(1)), Err(not_found));
}

#[test]
fn a_worker_in_the_place_of_another_is_before_it_and_what_it_was() {
    let store = in_memory();
    store.create_session(&quick(1), Some(&agent(1)), at(1)).unwrap();
    store.add_worker(session_id(1), &terminal(2), at(1)).unwrap();
    store.add_worker(session_id(1), &agent(3), at(2)).unwrap();
    store.replace_worker(worker_id(1), "the first", worker_id(3)).unwrap();
    let workers = store.workers(session_id(1)).unwrap();
    let seen: Vec<_> = workers.iter().map(|worker| (worker.id, worker.primary, worker.replaced)).collect();
    let expected = [(3, true, false), (1, false, true), (2, false, false)];
    assert_eq!(seen, expected.map(|(number, primary, replaced)| (worker_id(number), primary, replaced)));
    assert_eq!(workers[1].name, "the first");
    // One that stood for nothing is replaced by one that stands for nothing.
    store.add_worker(session_id(1), &terminal(4), at(2)).unwrap();
    store.replace_worker(worker_id(2), "the second", worker_id(4)).unwrap();
    assert!(!store.worker(worker_id(4)).unwrap().primary && store.worker(worker_id(3)).unwrap().primary);
    let gone = store.replace_worker(worker_id(2), "the second", worker_id(9));
    assert_eq!(gone, Err(StoreError::NotFound { what: Object::Worker(worker_id(9)) }));
}
