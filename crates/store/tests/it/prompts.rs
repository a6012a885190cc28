//! Prompts: a queue for each worker, with receipts.

use model::{ExitStatus, PromptId, TokenId, WorkerId};
use store::{Conflict, MOST_QUEUED_PROMPTS, NewPrompt, Prompt, PromptState, Store, StoreError};

use crate::support::{agent, at, in_memory, quick, session_id, worker_id};

fn store() -> (Store, WorkerId) {
    let store = in_memory();
    store.create_session(&quick(1), Some(&agent(1)), at(1)).unwrap();
    (store, worker_id(1))
}

fn new(key: Option<&str>, text: &str) -> NewPrompt {
    let (key, token) = (key.map(str::to_owned), TokenId::from_random([3; 8]));
    NewPrompt { key, text: text.to_owned(), when_idle: false, sender: "a person".to_owned(), token }
}

fn add(store: &Store, text: &str) -> Prompt {
    store.add_prompt(worker_id(1), &new(None, text), at(2)).unwrap()
}

fn texts(store: &Store) -> Vec<String> {
    store.prompts(worker_id(1)).unwrap().into_iter().map(|prompt| prompt.text).collect()
}

#[test]
fn prompts_stay_in_the_order_in_which_they_came() {
    let (store, worker) = store();
    for text in ["one", "two", "three"] {
        add(&store, text);
    }
    assert_eq!(texts(&store), ["one", "two", "three"]);
    assert_eq!(store.workers_with_prompts(), Ok(vec![worker]));
}

#[test]
fn the_same_key_is_the_same_prompt_also_after_an_edit() {
    let (store, worker) = store();
    let first = store.add_prompt(worker, &new(Some("k"), "one"), at(2)).unwrap();
    assert_eq!(store.add_prompt(worker, &new(Some("k"), "one"), at(3)), Ok(first.clone()));
    let conflict = Conflict::OtherPrompt(first.id);
    assert_eq!(store.add_prompt(worker, &new(Some("k"), "two"), at(3)), Err(conflict.into()));
    let edited = store.edit_prompt(first.id, "uno", true).unwrap();
    assert_eq!((edited.text.as_str(), edited.when_idle), ("uno", true));
    assert_eq!(store.add_prompt(worker, &new(Some("k"), "one"), at(4)), Ok(edited));
    assert_eq!(store.add_prompt(worker, &new(Some("k"), "uno"), at(4)), Err(conflict.into()));
    assert_eq!(store.prompts(worker).unwrap().len(), 1);
}

#[test]
fn only_what_is_queued_is_edited_or_removed() {
    let (store, worker) = store();
    let id = add(&store, "one").id;
    let pasting = PromptState::Pasting { busy: true };
    store.prompt_step(id, &PromptState::Queued, &pasting, at(3)).unwrap();
    assert_eq!(store.prompt(id).unwrap().state, pasting);
    assert!(matches!(store.edit_prompt(id, "two", true), Err(StoreError::WrongState { .. })));
    assert!(matches!(store.cancel_prompt(id, "removed", at(4)), Err(StoreError::WrongState { .. })));
    let again = store.prompt_step(id, &PromptState::Queued, &pasting, at(4));
    assert!(matches!(again, Err(StoreError::WrongState { .. })), "it is pasted once");
    assert_eq!(store.empty_prompts(worker, "emptied", at(4)), Ok(0));
    add(&store, "two");
    assert_eq!(store.empty_prompts(worker, "emptied", at(4)), Ok(1));
    let emptied = PromptState::Cancelled { reason: "emptied".to_owned() };
    assert_eq!(store.prompts(worker).unwrap()[1].state, emptied);
    let missing = store.prompt(PromptId::from_random([1; 8]));
    assert!(matches!(missing, Err(StoreError::NotFound { .. })));
}

#[test]
fn a_queue_is_bounded_and_so_are_the_receipts() {
    let (store, worker) = store();
    for number in 0..MOST_QUEUED_PROMPTS {
        add(&store, &number.to_string());
    }
    let full = store.add_prompt(worker, &new(None, "more"), at(2));
    assert_eq!(full, Err(Conflict::QueueFull.into()));
    store.empty_prompts(worker, "emptied", at(3)).unwrap();
    let newest = add(&store, "newest");
    let kept = store.prompts(worker).unwrap();
    assert_eq!(kept.len(), MOST_QUEUED_PROMPTS);
    assert_eq!(kept.last(), Some(&newest));
    assert_eq!(kept[0].text, "1", "the oldest has gone");
}

#[test]
fn the_prompts_of_a_worker_that_ends_are_settled() {
    let (store, worker) = store();
    store.worker_live(worker, at(1)).unwrap();
    let states = [
        PromptState::Submitted { busy: true },
        PromptState::Pasted { busy: false },
        PromptState::Started,
        PromptState::Queued,
    ];
    for state in &states {
        let id = add(&store, "text").id;
        store.prompt_step(id, &PromptState::Queued, state, at(2)).unwrap();
    }
    store.worker_exited(worker, ExitStatus::Exited { code: 0 }, at(3), false).unwrap();
    let words: Vec<_> = store.prompts(worker).unwrap().iter().map(|prompt| prompt.state.as_str()).collect();
    assert_eq!(words, ["unknown", "failed", "started", "cancelled"]);
    assert_eq!(store.workers_with_prompts(), Ok(vec![]));
    let refused = store.add_prompt(worker, &new(None, "late"), at(4));
    assert!(matches!(refused, Err(StoreError::WrongState { .. })));
}

#[test]
fn the_prompts_of_a_revoked_token_are_not_sent() {
    let (store, worker) = store();
    add(&store, "one");
    let other = NewPrompt { token: TokenId::from_random([4; 8]), ..new(None, "two") };
    store.add_prompt(worker, &other, at(2)).unwrap();
    assert_eq!(store.cancel_prompts_of_token(TokenId::from_random([3; 8]), "revoked", at(3)), Ok(1));
    let words: Vec<_> = store.prompts(worker).unwrap().iter().map(|prompt| prompt.state.as_str()).collect();
    assert_eq!(words, ["cancelled", "queued"]);
    assert_eq!(session_id(1), store.worker(worker).unwrap().session);
}
