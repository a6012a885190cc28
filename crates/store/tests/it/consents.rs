use store::{Object, StoreError};

use crate::support::{add_repository, at, repository_id, store};

#[test]
fn consent_is_to_these_commands_of_this_repository() {
    let (store, repository) = store();
    let other = add_repository(&store, 2);
    assert_eq!(store.has_consent(repository, &[1; 32]), Ok(false));
    store.give_consent(repository, &[1; 32], at(1)).unwrap();
    store.give_consent(repository, &[1; 32], at(2)).unwrap();
    assert_eq!(store.has_consent(repository, &[1; 32]), Ok(true));
    assert_eq!(store.has_consent(repository, &[2; 32]), Ok(false));
    assert_eq!(store.has_consent(other, &[1; 32]), Ok(false));
    let nowhere = repository_id(9);
    let not_found = StoreError::NotFound { what: Object::Repository(nowhere) };
    assert_eq!(store.give_consent(nowhere, &[1; 32], at(1)), Err(not_found));
}
