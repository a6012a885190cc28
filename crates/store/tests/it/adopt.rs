use std::path::Path;

use model::{ExitStatus, TaskId, WorkerLife};
use store::{
    AdoptedSession, AdoptedWorker, NewWorker, SessionFilter, SessionKind, TaskFilter, Trash, Worktree,
    WorktreePlace,
};

use crate::support::{
    active_task, agent, archive, at, in_memory, new_task_session, repository_id, session_id, store, task_id,
    terminal, worker_id, worktree_id,
};

fn in_quick_session(worker: NewWorker, session: u32, life: WorkerLife) -> AdoptedWorker {
    AdoptedWorker {
        worker,
        session: AdoptedSession::Quick { id: session_id(session) },
        location: "/somewhere".into(),
        life,
        created_at: at(1),
        ended_at: None,
    }
}

fn in_worktree(worker: NewWorker, number: u32, task: Option<TaskId>) -> AdoptedWorker {
    AdoptedWorker {
        worker,
        session: AdoptedSession::Worktree {
            id: session_id(number),
            repository: repository_id(1),
            repository_path: "/code/mine".into(),
            worktree: worktree_id(number),
            branch: format!("task-{number}"),
            made_by_abide: true,
            task,
        },
        location: format!("/worktrees/{number}").into(),
        life: WorkerLife::Live,
        created_at: at(1),
        ended_at: None,
    }
}

#[test]
fn d9_a_quick_session_is_made_anew_from_its_worker() {
    let store = in_memory();
    let adopted = in_quick_session(terminal(1), 1, WorkerLife::Live);
    assert_eq!(store.adopt_worker(&adopted, at(9)), Ok(true));
    let session = store.session(session_id(1)).unwrap();
    assert_eq!((session.kind, session.location.as_path()), (SessionKind::Quick, Path::new("/somewhere")));
    assert_eq!((session.created_at, session.closed_at), (at(1), None));
    let worker = store.worker(worker_id(1)).unwrap();
    assert_eq!((&worker.name, &worker.command), (&terminal(1).name, &terminal(1).command));
    assert_eq!((worker.life, worker.started_at, worker.ended_at), (WorkerLife::Live, Some(at(1)), None));
    assert!(worker.primary, "it stands for its session");
    store.check().unwrap();
}

#[test]
fn d9_repository_worktree_and_session_are_made_anew_from_a_worker() {
    let store = in_memory();
    let lost_task = Some(task_id(5));
    assert_eq!(store.adopt_worker(&in_worktree(agent(1), 1, lost_task), at(9)), Ok(true));
    assert_eq!(store.adopt_worker(&in_worktree(terminal(2), 1, lost_task), at(9)), Ok(true));
    let repository = store.repository(repository_id(1)).unwrap();
    assert_eq!((repository.path.as_path(), repository.name.as_str()), (Path::new("/code/mine"), "mine"));
    let Worktree { path, branch, place, made_by_abide, .. } = store.worktree(worktree_id(1)).unwrap();
    assert_eq!((path.as_path(), branch.as_str()), (Path::new("/worktrees/1"), "task-1"));
    assert_eq!((place, made_by_abide), (WorktreePlace::Ready, true));
    let session = store.session(session_id(1)).unwrap();
    let kind = SessionKind::Worktree { repository: repository_id(1), worktree: worktree_id(1) };
    assert_eq!((session.kind, session.task), (kind, None), "what the task was is not known any more");
    let primary: Vec<_> = store.workers(session_id(1)).unwrap().iter().map(|worker| worker.primary).collect();
    assert_eq!(primary, [true, false]);
    assert_eq!(store.tasks(TaskFilter::default()), Ok(Vec::new()));
    store.check().unwrap();
}

#[test]
fn how_a_worker_ended_is_adopted_too() {
    let store = in_memory();
    let status = ExitStatus::Killed { signal: 15 };
    let ended = AdoptedWorker {
        ended_at: Some(at(5)),
        ..in_quick_session(terminal(1), 1, WorkerLife::Exited { status })
    };
    store.adopt_worker(&ended, at(9)).unwrap();
    let worker = store.worker(worker_id(1)).unwrap();
    assert_eq!((worker.life, worker.ended_at), (WorkerLife::Exited { status }, Some(at(5))));

    let lost = WorkerLife::Lost { reason: "no host".to_owned() };
    store.adopt_worker(&in_quick_session(terminal(2), 2, lost.clone()), at(9)).unwrap();
    let worker = store.worker(worker_id(2)).unwrap();
    assert_eq!((worker.life, worker.ended_at), (lost, Some(at(9))));
}

#[test]
fn adopting_twice_changes_nothing() {
    let (store, repository) = store();
    let task = active_task(&store, repository).id;
    store.begin_session(task, &new_task_session(3), &agent(3), at(1)).unwrap();
    let all = [
        in_quick_session(terminal(1), 1, WorkerLife::Live),
        in_worktree(agent(2), 2, None),
        in_worktree(agent(3), 3, Some(task)),
    ];
    let adopt_all = || all.each_ref().map(|adopted| store.adopt_worker(adopted, at(9)).unwrap());
    assert_eq!(adopt_all(), [true, true, false], "what is known is left as it is");
    store.worker_lost(worker_id(1), "no host", at(10)).unwrap();
    let state = || {
        let sessions = store.sessions_with_workers(SessionFilter::All).unwrap();
        (sessions, store.worktrees(None).unwrap(), store.repositories().unwrap())
    };
    let before = state();
    assert_eq!(adopt_all(), [false, false, false]);
    assert_eq!(state(), before);
}

#[test]
fn a_known_repository_is_recognised_by_its_path() {
    let store = in_memory();
    let known = store.add_repository("/code/mine".as_ref(), "mine", at(0)).unwrap().id;
    store.adopt_worker(&in_worktree(agent(1), 1, None), at(9)).unwrap();
    assert_eq!(store.worktree(worktree_id(1)).unwrap().repository, known);
    assert_eq!(store.repositories().unwrap().len(), 1);
}

#[test]
fn a_known_worktree_is_recognised_by_its_path() {
    let store = in_memory();
    store.adopt_worker(&in_worktree(agent(1), 1, None), at(9)).unwrap();
    let mut second = in_worktree(agent(2), 2, None);
    second.location = "/worktrees/1".into();
    store.adopt_worker(&second, at(9)).unwrap();
    let kind = SessionKind::Worktree { repository: repository_id(1), worktree: worktree_id(1) };
    assert_eq!(store.session(session_id(2)).unwrap().kind, kind);
}

#[test]
fn a_repository_that_was_removed_is_back_with_its_worker() {
    let store = in_memory();
    store.adopt_worker(&in_worktree(agent(1), 1, None), at(9)).unwrap();
    let trash = Trash { path: "/trash/1".into(), head: None, branch: None };
    store.trash_worktree(worktree_id(1), trash, at(10)).unwrap();
    store.remove_repository(repository_id(1), true, at(11)).unwrap();
    store.adopt_worker(&in_worktree(agent(2), 2, None), at(12)).unwrap();
    assert!(store.repository(repository_id(1)).is_ok());
    store.check().unwrap();
}

#[test]
fn a_living_worker_opens_its_session_and_that_of_its_task() {
    let (store, repository) = store();
    let task = active_task(&store, repository).id;
    assert_eq!(store.adopt_worker(&in_worktree(agent(1), 1, Some(task)), at(9)), Ok(true));
    let known = store.task(task).unwrap();
    assert_eq!((known.session, known.session_started_at), (Some(session_id(1)), Some(at(1))));
    archive(&store, task, at(10), None, false).unwrap();

    // A second one was in it, unknown.
    store.adopt_worker(&in_worktree(agent(2), 1, Some(task)), at(11)).unwrap();
    assert_eq!(store.session(session_id(1)).unwrap().closed_at, None);
    assert_eq!(store.task(task).unwrap().session, Some(session_id(1)));

    // The task has its session, and this is another one.
    store.adopt_worker(&in_worktree(agent(3), 3, Some(task)), at(12)).unwrap();
    assert_eq!(store.task(task).unwrap().session, Some(session_id(1)));

    // One that works for another task than its session does takes nothing over.
    let other = active_task(&store, repository).id;
    store.adopt_worker(&in_worktree(agent(4), 1, Some(other)), at(13)).unwrap();
    assert_eq!(store.task(other).unwrap().session, None);
    store.check().unwrap();
}
