use model::{RepositoryId, TaskId, TaskState};
use store::{Conflict, Object, Store, StoreError, Task, TaskChange, TaskFilter};

use crate::support::{
    active_task, add_repository, agent, archive, at, new_task, new_task_session, store, task_id,
};

/// Three tasks, in their order.
fn three(store: &Store, repository: RepositoryId) -> [TaskId; 3] {
    ["a", "b", "c"].map(|title| store.create_task(&new_task(repository, title), at(0)).unwrap().id)
}

#[track_caller]
fn assert_order(store: &Store, repository: RepositoryId, expected: &[TaskId]) {
    let tasks = store.tasks(TaskFilter { repository: Some(repository), state: None }).unwrap();
    let (ids, positions): (Vec<_>, Vec<_>) = tasks.iter().map(|task| (task.id, task.position)).unzip();
    assert_eq!(ids, expected);
    assert!(positions.into_iter().eq(0..expected.len() as i64), "positions have no gaps");
}

#[test]
fn a_task_comes_back_as_it_was_written_down() {
    let (store, repository) = store();
    let mut new = new_task(repository, "🦀 \"quoted\"\0'; --");
    (new.description, new.agent, new.pinned) =
        (Some("at\nlength".to_owned()), Some("codex".to_owned()), true);
    let task = store.create_task(&new, at(4)).unwrap();
    let expected = Task {
        id: task.id,
        repository,
        title: new.title,
        description: new.description,
        pinned: true,
        state: TaskState::Backlog,
        agent: new.agent,
        session: None,
        position: 0,
        created_at: at(4),
        session_started_at: None,
    };
    assert_eq!(task, expected);
    assert_eq!(store.task(task.id), Ok(expected));
}

#[test]
fn tasks_are_listed_by_repository_and_by_state() {
    let (store, first) = store();
    let second = add_repository(&store, 2);
    let active = active_task(&store, second).id;
    let [a, b, c] = three(&store, first);
    let list = |repository, state| -> Vec<TaskId> {
        let tasks = store.tasks(TaskFilter { repository, state }).unwrap();
        tasks.iter().map(|task| task.id).collect()
    };
    assert_eq!(list(None, None), [a, b, c, active]);
    assert_eq!(list(Some(second), None), [active]);
    assert_eq!(list(None, Some(TaskState::Backlog)), [a, b, c]);
    assert_eq!(list(Some(first), Some(TaskState::Active)), []);
}

#[test]
fn a_change_leaves_the_rest_as_it_was() {
    let (store, repository) = store();
    let task = store.create_task(&new_task(repository, "a task"), at(0)).unwrap();
    let change = TaskChange { description: Some(Some("at length".to_owned())), ..TaskChange::default() };
    let changed = store.update_task(task.id, &change).unwrap();
    assert_eq!(changed, Task { description: Some("at length".to_owned()), ..task.clone() });
    let change = TaskChange {
        title: Some("another".to_owned()),
        description: Some(None),
        pinned: Some(true),
        agent: Some(Some("gemini".to_owned())),
        position: None,
    };
    let changed = store.update_task(task.id, &change).unwrap();
    let (title, agent) = ("another".to_owned(), Some("gemini".to_owned()));
    assert_eq!(changed, Task { title, agent, pinned: true, ..task.clone() });
    assert_eq!(store.update_task(task.id, &TaskChange::default()), Ok(changed));
}

#[test]
fn tasks_are_put_in_order() {
    let (store, repository) = store();
    let other = add_repository(&store, 2);
    let [a, b, c] = three(&store, repository);
    let others = three(&store, other);
    let put = |task, position| {
        store.update_task(task, &TaskChange { position: Some(position), ..TaskChange::default() }).unwrap();
    };
    put(c, 0);
    assert_order(&store, repository, &[c, a, b]);
    put(c, 1);
    assert_order(&store, repository, &[a, c, b]);
    put(a, usize::MAX);
    assert_order(&store, repository, &[c, b, a]);
    store.delete_task(b).unwrap();
    assert_order(&store, repository, &[c, a]);
    assert_order(&store, other, &others);
}

#[test]
fn a_task_takes_only_the_steps_of_its_life() {
    let (store, repository) = store();
    let id = store.create_task(&new_task(repository, "a task"), at(0)).unwrap().id;
    let refused = |is, step| Err(StoreError::WrongState { what: Object::Task(id), is, step });
    let state = |task: Result<Task, StoreError>| task.map(|task| task.state);
    assert_eq!(state(store.complete_task(id)), refused("backlog", "completed"));
    assert_eq!(state(store.reopen_task(id)), refused("backlog", "reopened"));
    assert_eq!(state(store.activate_task(id)), Ok(TaskState::Active));
    assert_eq!(state(store.activate_task(id)), refused("active", "activated"));
    assert_eq!(state(store.complete_task(id)), Ok(TaskState::Done));
    assert_eq!(state(store.complete_task(id)), refused("done", "completed"));
    assert_eq!(state(store.reopen_task(id)), Ok(TaskState::Active));
    assert_eq!(state(store.task(id)), Ok(TaskState::Active));
    let unknown = task_id(99);
    let not_found = StoreError::NotFound { what: Object::Task(unknown) };
    assert_eq!(state(store.activate_task(unknown)), Err(not_found));
}

#[test]
fn a_task_with_a_session_is_neither_deleted_nor_simply_completed() {
    let (store, repository) = store();
    let task = active_task(&store, repository).id;
    let session = store.begin_session(task, &new_task_session(1), &agent(1), at(1)).unwrap().session.id;
    let refused = || Err(Conflict::HasSession(session).into());
    assert_eq!(store.delete_task(task), refused());
    assert_eq!(store.complete_task(task).map(drop), refused());
    archive(&store, task, at(2), None, false).unwrap();
    assert_eq!(store.delete_task(task), Ok(()));
    assert_eq!(store.session(session).unwrap().task, None);
    store.check().unwrap();
}
