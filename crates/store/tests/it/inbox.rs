//! The inbox: one entry for each thing that waits.

use model::{ExitStatus, InboxReason, WorkerId};
use store::{NewInboxItem, Store, StoreError};

use crate::support::{agent, at, in_memory, quick, session_id, terminal, worker_id};

fn store() -> (Store, WorkerId) {
    let store = in_memory();
    store.create_session(&quick(1), Some(&agent(1)), at(1)).unwrap();
    (store, worker_id(1))
}

fn new(reason: InboxReason, mark: &str, seconds: i64) -> NewInboxItem {
    NewInboxItem { reason, mark: mark.to_owned(), words: None, since: at(seconds) }
}

#[test]
fn the_same_question_is_entered_once_and_stays_read() {
    let (store, worker) = store();
    let asked = store.enter_inbox(worker, &new(InboxReason::Asking, "q1", 5)).unwrap();
    store.read_inbox_item(asked.id, at(6)).unwrap();
    store.snooze_inbox_item(asked.id, Some(at(60))).unwrap();
    let again = store.enter_inbox(worker, &new(InboxReason::Asking, "q1", 7)).unwrap();
    assert_eq!((again.id, again.since, again.read_at), (asked.id, at(5), Some(at(6))));
    assert_eq!(again.snoozed_until, Some(at(60)));
}

#[test]
fn another_question_replaces_the_one_before() {
    let (store, worker) = store();
    let first = store.enter_inbox(worker, &new(InboxReason::Asking, "q1", 5)).unwrap();
    store.read_inbox_item(first.id, at(6)).unwrap();
    let second = store.enter_inbox(worker, &new(InboxReason::Asking, "q2", 7)).unwrap();
    assert_ne!(second.id, first.id);
    assert_eq!(second.read_at, None);
    assert_eq!(store.inbox(), Ok(vec![second.clone()]));
    assert_eq!(store.inbox_item_of(worker), Ok(Some(second)));
    assert!(matches!(store.inbox_item(first.id), Err(StoreError::NotFound { .. })));
}

#[test]
fn the_same_question_asked_again_later_is_another_entry() {
    let (store, worker) = store();
    let first = store.enter_inbox(worker, &new(InboxReason::Asking, "q1", 5)).unwrap();
    assert_eq!(store.leave_inbox(worker), Ok(true));
    assert_eq!(store.leave_inbox(worker), Ok(false));
    let second = store.enter_inbox(worker, &new(InboxReason::Asking, "q1", 9)).unwrap();
    assert_ne!(second.id, first.id);
}

#[test]
fn news_leaves_when_it_is_read() {
    let (store, worker) = store();
    let done = store.enter_inbox(worker, &new(InboxReason::Finished, "5", 5)).unwrap();
    store.read_inbox_item(done.id, at(6)).unwrap();
    assert_eq!(store.inbox(), Ok(Vec::new()));
}

#[test]
fn the_longest_wait_is_first() {
    let (store, worker) = store();
    store.add_worker(session_id(1), &terminal(2), at(1)).unwrap();
    let later = store.enter_inbox(worker, &new(InboxReason::Asking, "q1", 9)).unwrap();
    let earlier = store.enter_inbox(worker_id(2), &new(InboxReason::Asking, "q", 5)).unwrap();
    assert_eq!(store.inbox(), Ok(vec![earlier, later]));
}

#[test]
fn workers_of_closed_sessions_and_replaced_workers_wait_for_nothing() {
    let (store, worker) = store();
    store.add_worker(session_id(1), &agent(2), at(1)).unwrap();
    store.enter_inbox(worker, &new(InboxReason::Asking, "q", 5)).unwrap();
    store.replace_worker(worker, "earlier", worker_id(2)).unwrap();
    assert_eq!(store.inbox(), Ok(Vec::new()));
    store.worker_lost(worker_id(2), "no host", at(6)).unwrap();
    store.worker_lost(worker, "no host", at(6)).unwrap();
    assert_eq!(store.inbox().unwrap().len(), 2);
    store.close_session(session_id(1), at(7)).unwrap();
    assert_eq!(store.inbox(), Ok(Vec::new()));
}

#[test]
fn an_agent_that_ends_by_itself_is_entered_and_one_that_was_asked_to_is_not() {
    let ended = |code: u8, on_request: bool| {
        let (store, worker) = store();
        store.enter_inbox(worker, &new(InboxReason::Asking, "q1", 2)).unwrap();
        store.worker_exited(worker, ExitStatus::Exited { code }, at(5), on_request).unwrap();
        store.inbox().unwrap().into_iter().map(|item| (item.reason, item.since)).collect::<Vec<_>>()
    };
    assert_eq!(ended(0, false), [(InboxReason::Finished, at(5))]);
    assert_eq!(ended(1, false), [(InboxReason::Failed, at(5))]);
    assert_eq!(ended(1, true), []);
}

#[test]
fn a_terminal_that_ends_is_not_entered_and_one_that_is_lost_is_until_it_is_back() {
    let store = in_memory();
    store.create_session(&quick(1), Some(&terminal(1)), at(1)).unwrap();
    store.add_worker(session_id(1), &terminal(2), at(1)).unwrap();
    let exited = ExitStatus::Exited { code: 1 };
    store.worker_exited(worker_id(1), exited, at(5), false).unwrap();
    assert_eq!(store.inbox(), Ok(Vec::new()));
    store.worker_lost(worker_id(2), "its host was killed", at(6)).unwrap();
    let lost = &store.inbox().unwrap()[0];
    assert_eq!((lost.reason, lost.words.as_deref()), (InboxReason::Lost, Some("its host was killed")));
    store.worker_live(worker_id(2), at(7)).unwrap();
    assert_eq!(store.inbox(), Ok(Vec::new()));
}

#[test]
fn a_question_outlives_a_server_that_is_started_again() {
    let (store, worker) = store();
    store.worker_live(worker, at(1)).unwrap();
    let asked = store.enter_inbox(worker, &new(InboxReason::Asking, "q1", 2)).unwrap();
    // Every server adopts the living workers anew.
    store.worker_live(worker, at(9)).unwrap();
    assert_eq!(store.inbox(), Ok(vec![asked]));
}

#[test]
fn a_worker_that_has_ended_asks_nothing() {
    let (store, worker) = store();
    store.worker_exited(worker, ExitStatus::Unknown, at(5), true).unwrap();
    let refused = store.enter_inbox(worker, &new(InboxReason::Asking, "q1", 6));
    assert!(matches!(refused, Err(StoreError::WrongState { .. })), "{refused:?}");
}
