use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use store::{Conflict, Object, StoreError, TaskFilter, Trash, WorktreePlace};

use crate::support::{
    active_task, add_repository, agent, archive, at, in_memory, new_task, new_task_session, new_worktree,
    repository_id, store,
};

#[test]
fn a_repository_comes_back_as_it_was_registered() {
    let store = in_memory();
    let path = Path::new(OsStr::from_bytes(b"/code/not \xff utf-8\n"));
    let added = store.add_repository(path, "🦀 \u{202e}", at(1)).unwrap();
    assert_eq!((added.path.as_path(), added.name.as_str(), added.created_at), (path, "🦀 \u{202e}", at(1)));
    assert_eq!(store.repository(added.id), Ok(added.clone()));
    assert_eq!(store.repositories(), Ok(vec![added]));
}

#[test]
fn a_path_is_registered_once() {
    let (store, known) = store();
    let again = store.add_repository("/code/1".as_ref(), "another name", at(5));
    assert_eq!(again, Err(Conflict::RepositoryKnown(known).into()));
    assert_eq!(store.repositories().unwrap().len(), 1);
}

#[test]
fn repositories_are_listed_as_they_were_registered() {
    let store = in_memory();
    let ids = [3, 1, 2].map(|number| add_repository(&store, number));
    let listed: Vec<_> = store.repositories().unwrap().iter().map(|repository| repository.id).collect();
    assert_eq!(listed, [ids[1], ids[2], ids[0]]);
}

#[test]
fn unknown_ids_are_not_found() {
    let (store, _) = store();
    let id = repository_id(77);
    let not_found = || Err(StoreError::NotFound { what: Object::Repository(id) });
    assert_eq!(store.repository(id).map(drop), not_found());
    assert_eq!(store.remove_repository(id, true, at(0)), not_found());
    assert_eq!(store.create_task(&new_task(id, "a task"), at(0)).map(drop), not_found());
    assert_eq!(store.add_worktree(id, &new_worktree(1), at(0)).map(drop), not_found());
}

#[test]
fn a_repository_with_worktrees_stays() {
    let (store, repository) = store();
    let worktree = store.add_worktree(repository, &new_worktree(1), at(0)).unwrap().id;
    let refused = || Err(Conflict::RepositoryHasWorktrees.into());
    assert_eq!(store.remove_repository(repository, true, at(1)), refused());
    store.worktree_ready(worktree, None).unwrap();
    assert_eq!(store.remove_repository(repository, true, at(1)), refused());
    store.keep_worktree(worktree, "uncommitted work").unwrap();
    assert_eq!(store.remove_repository(repository, true, at(1)), refused());
    store.worktree_missing(worktree, at(1)).unwrap();
    assert_eq!(store.remove_repository(repository, true, at(1)), refused());
    store.worktree_gone(worktree, at(1)).unwrap();
    assert_eq!(store.remove_repository(repository, true, at(1)), Ok(()));
}

#[test]
fn a_repository_with_tasks_goes_only_with_them() {
    let (store, repository) = store();
    let task = store.create_task(&new_task(repository, "a task"), at(0)).unwrap().id;
    let refused = store.remove_repository(repository, false, at(1));
    assert_eq!(refused, Err(Conflict::RepositoryHasTasks.into()));
    store.remove_repository(repository, true, at(1)).unwrap();
    assert_eq!(store.repositories(), Ok(Vec::new()));
    assert_eq!(store.tasks(TaskFilter::default()), Ok(Vec::new()));
    assert_eq!(store.task(task), Err(StoreError::NotFound { what: Object::Task(task) }));
}

#[test]
fn a_repository_with_a_task_at_work_stays() {
    let (store, repository) = store();
    let task = active_task(&store, repository);
    let begun = store.begin_session(task.id, &new_task_session(1), &agent(1), at(1)).unwrap();
    store.worktree_gone(begun.worktree.id, at(2)).unwrap();
    let refused = store.remove_repository(repository, true, at(3));
    assert_eq!(refused, Err(Conflict::RepositoryHasSessions.into()));
    archive(&store, task.id, at(4), None, false).unwrap();
    assert_eq!(store.remove_repository(repository, true, at(5)), Ok(()));
    assert_eq!(store.session(begun.session.id).unwrap().closed_at, Some(at(4)), "its past stays");
    store.check().unwrap();
}

#[test]
fn a_repository_that_comes_back_is_the_same_with_its_trash() {
    let (store, repository) = store();
    let worktree = store.add_worktree(repository, &new_worktree(1), at(0)).unwrap().id;
    store.give_consent(repository, &[7; 32], at(0)).unwrap();
    let trash = Trash { path: "/trash/1".into(), head: None, branch: None };
    store.trash_worktree(worktree, trash, at(1)).unwrap();
    store.remove_repository(repository, false, at(2)).unwrap();
    assert!(store.repository(repository).is_err());
    assert!(matches!(store.worktree(worktree).unwrap().place, WorktreePlace::Trashed { .. }));

    let again = store.add_repository("/code/1".as_ref(), "new name", at(3)).unwrap();
    assert_eq!((again.id, again.name.as_str()), (repository, "new name"));
    assert_eq!(store.take_back_worktree(worktree).unwrap().place, WorktreePlace::Ready);
    assert_eq!(store.has_consent(repository, &[7; 32]), Ok(false), "it is asked again");
}
