use std::path::Path;

use store::{Conflict, KeptReason, Object, StoreError, Trash, Worktree, WorktreePlace};

use crate::support::{at, new_worktree, store, worktree_id};

#[test]
fn a_worktree_comes_back_as_it_was_added() {
    let (store, repository) = store();
    let new = new_worktree(1);
    let added = store.add_worktree(repository, &new, at(3)).unwrap();
    let expected = Worktree {
        id: new.id,
        repository,
        path: new.path,
        branch: new.branch,
        base_commit: None,
        made_by_abide: true,
        place: WorktreePlace::Making,
        created_at: at(3),
    };
    assert_eq!(added, expected);
    assert_eq!(store.worktree(new.id), Ok(expected.clone()));
    assert_eq!(store.worktree_by_path(&expected.path), Ok(Some(expected.clone())));
    assert_eq!(store.worktrees(Some(repository)), Ok(vec![expected]));
}

#[test]
fn a_worktree_remembers_what_belongs_to_its_place() {
    let (store, repository) = store();
    let id = store.add_worktree(repository, &new_worktree(1), at(0)).unwrap().id;
    let ready = store.worktree_ready(id, Some("c0ffee")).unwrap();
    assert_eq!((ready.place, ready.base_commit.as_deref()), (WorktreePlace::Ready, Some("c0ffee")));
    assert_eq!(store.worktree_missing(id, at(1)).unwrap().place, WorktreePlace::Missing { since: at(1) });
    assert_eq!(store.worktree_found_again(id).unwrap().place, WorktreePlace::Ready);
    let kept = store.keep_worktree(id, "2 files are not committed").unwrap().place;
    assert_eq!(
        kept,
        WorktreePlace::Kept { reason: KeptReason::Because("2 files are not committed".to_owned()) }
    );
    let again = store.worktree_ready(id, None).unwrap();
    assert_eq!(again.base_commit.as_deref(), Some("c0ffee"), "a known base commit stays");

    let (path, head, branch) = ("/trash/1".into(), Some("beef".to_owned()), Some("task-1".to_owned()));
    let trash = Trash { path, head, branch };
    let trashed = store.trash_worktree(id, trash.clone(), at(5)).unwrap().place;
    let Trash { path, head, branch } = trash;
    assert_eq!(trashed, WorktreePlace::Trashed { path, at: at(5), head, branch });
    assert_eq!(store.take_back_worktree(id).unwrap().place, WorktreePlace::Ready);
    assert_eq!(store.worktree_gone(id, at(6)).unwrap().place, WorktreePlace::Gone { at: at(6) });
    store.check().unwrap();
}

#[test]
fn one_worktree_is_at_a_path() {
    let (store, repository) = store();
    let first = store.add_worktree(repository, &new_worktree(1), at(0)).unwrap().id;
    let mut second = new_worktree(2);
    second.path = new_worktree(1).path;
    let refused = store.add_worktree(repository, &second, at(0));
    assert_eq!(refused, Err(Conflict::WorktreeKnown(first).into()));

    let trash = Trash { path: "/trash/1".into(), head: None, branch: None };
    store.trash_worktree(first, trash, at(1)).unwrap();
    assert_eq!(store.worktree_by_path(&second.path), Ok(None));
    store.add_worktree(repository, &second, at(2)).unwrap();
    let refused = store.take_back_worktree(first);
    assert_eq!(refused, Err(Conflict::WorktreeKnown(second.id).into()));
    assert_eq!(store.worktree_by_path(&second.path).unwrap().unwrap().id, second.id);
}

#[test]
fn an_id_is_used_once() {
    let (store, repository) = store();
    store.add_worktree(repository, &new_worktree(1), at(0)).unwrap();
    let mut second = new_worktree(1);
    second.path = "/elsewhere".into();
    let refused = store.add_worktree(repository, &second, at(0));
    assert_eq!(refused, Err(Conflict::IdTaken(Object::Worktree(second.id)).into()));
}

#[test]
fn a_worktree_can_change_its_branch() {
    let (store, repository) = store();
    let id = store.add_worktree(repository, &new_worktree(1), at(0)).unwrap().id;
    assert_eq!(store.set_worktree_branch(id, "$(id)").unwrap().branch, "$(id)");
    let nowhere = worktree_id(9);
    let not_found = StoreError::NotFound { what: Object::Worktree(nowhere) };
    assert_eq!(store.set_worktree_branch(nowhere, "x"), Err(not_found));
    assert_eq!(store.worktree_by_path(Path::new("/nowhere")), Ok(None));
}
