use model::{OwnerId, TokenId};
use store::{Database, NewToken, Object, Scope, Store, StoreError, Token, Verifier};

use crate::support::{at, quick, session_id, terminal, worker_id};

fn token(scope: Scope) -> NewToken {
    NewToken { name: "a laptop".to_owned(), scope, verifier: Verifier::Hash([9; 32]), expires_at: None }
}

/// A database, and the things of its only owner: a session with a worker.
fn with_worker() -> (Database, Store) {
    let database = Database::in_memory();
    let store = database.of(OwnerId::ONLY);
    store.create_session(&quick(1), Some(&terminal(1)), at(0)).unwrap();
    (database, store)
}

#[test]
fn a_token_comes_back_as_it_was_made() {
    let (database, store) = with_worker();
    let of_device = Verifier::Device { key: [8; 65], authority: "localhost:7000".to_owned() };
    let every = [Scope::All, Scope::Worker { worker: worker_id(1), drive: true }]
        .into_iter()
        .flat_map(|scope| [Verifier::Hash([9; 32]), of_device.clone()].map(|verifier| (scope, verifier)));
    for (scope, verifier) in every {
        let new = NewToken { verifier: verifier.clone(), expires_at: Some(at(100)), ..token(scope) };
        let made = store.add_token(&new, at(1)).unwrap();
        let expected = Token {
            id: made.id,
            owner: OwnerId::ONLY,
            name: new.name,
            scope,
            is_device: matches!(verifier, Verifier::Device { .. }),
            created_at: at(1),
            expires_at: Some(at(100)),
            last_used_at: None,
            revoked_at: None,
        };
        assert_eq!(made, expected);
        assert_eq!(database.token_for_check(made.id), Ok(Some((expected, verifier))));
    }
    assert_eq!(store.tokens().unwrap().len(), 4);
    assert_eq!(database.token_for_check(TokenId::from_random([7; 8])), Ok(None));
}

#[test]
fn a_token_opens_something_until_it_expires_or_is_taken_back() {
    let (_database, store) = with_worker();
    let new = NewToken { expires_at: Some(at(100)), ..token(Scope::All) };
    let made = store.add_token(&new, at(1)).unwrap();
    assert!(made.is_valid(at(99)));
    assert!(!made.is_valid(at(100)));
    let revoked = store.revoke_token(made.id, at(50)).unwrap();
    assert!(!revoked.is_valid(at(51)));
    assert_eq!(
        store.revoke_token(made.id, at(60)).unwrap().revoked_at,
        Some(at(50)),
        "it was taken back then"
    );
    assert_eq!(store.tokens(), Ok(vec![revoked]));
    let unknown = TokenId::from_random([7; 8]);
    assert_eq!(
        store.revoke_token(unknown, at(1)),
        Err(StoreError::NotFound { what: Object::Token(unknown) })
    );
}

#[test]
fn the_last_use_is_noted_once_a_minute() {
    let (_database, store) = with_worker();
    let id = store.add_token(&token(Scope::All), at(0)).unwrap().id;
    let last_used_after = |seconds| {
        store.touch_token(id, at(seconds)).unwrap();
        store.tokens().unwrap()[0].last_used_at
    };
    assert_eq!(last_used_after(1000), Some(at(1000)));
    assert_eq!(last_used_after(1059), Some(at(1000)));
    assert_eq!(last_used_after(1060), Some(at(1060)));
    assert_eq!(last_used_after(10), Some(at(10)), "a clock that was set back");
}

#[test]
fn a_workers_token_goes_with_the_worker() {
    let (database, store) = with_worker();
    let scope = Scope::Worker { worker: worker_id(1), drive: false };
    let id = store.add_token(&token(scope), at(1)).unwrap().id;
    store.delete_session(session_id(1)).unwrap();
    assert_eq!(database.token_for_check(id), Ok(None));
    let not_found = StoreError::NotFound { what: Object::Worker(worker_id(1)) };
    assert_eq!(store.add_token(&token(scope), at(2)), Err(not_found));
}
