//! Many starts and retries at once.

use std::collections::BTreeSet;
use std::thread;

use api::{ErrorCode, SessionStatus, Task};
use model::TaskId;
use serde_json::json;

use super::{Answer, Workshop};
use crate::house::wait_for;

/// Takes a step of a task many times at once, and gives all answers.
fn at_once(shop: &Workshop, id: TaskId, step: &str, times: usize) -> Vec<Answer> {
    let path = format!("/api/tasks/{id}/{step}");
    thread::scope(|scope| {
        let all: Vec<_> = (0..times).map(|_| scope.spawn(|| shop.server.step(&path))).collect();
        all.into_iter().map(|each| each.join().expect("an answer")).collect()
    })
}

/// The workers that have a host.
fn hosts(shop: &Workshop) -> usize {
    let dirs = shop.house.home().worker_dirs().expect("the workers");
    dirs.iter().filter(|dir| dir.identity().is_some_and(|identity| identity.is_alive())).count()
}

#[test]
fn p10_of_fifty_starts_at_once_one_gets_the_session_and_the_others_its_id() {
    let shop = Workshop::new();
    let task = shop.task("Something");
    let (started, refused): (Vec<_>, Vec<_>) =
        at_once(&shop, task.id, "session/start", 50).into_iter().partition(|answer| answer.status == 202);
    let [started] = <[Answer; 1]>::try_from(started).expect("one is started");
    let started: Task = started.ok(202);
    assert_eq!(refused.len(), 49);
    for answer in refused {
        let problem = answer.problem(ErrorCode::HasSession);
        assert_eq!(problem.error.detail, Some(json!({"sessionId": started.session_id})));
    }
    let running = shop.wait_for_status(task.id, SessionStatus::Running);
    assert_eq!((running.session_id, running.worker_id), (started.session_id, started.worker_id));
    assert_eq!(hosts(&shop), 1);
    assert_eq!(shop.house.home().worker_dirs().unwrap().len(), 1);
    assert_eq!(shop.linked().len(), 1);
    assert_eq!(shop.worktrees().len(), 1);
}

#[test]
fn p10_many_retries_at_once_leave_one_session_and_log_each_that_was_ended() {
    let shop = Workshop::new();
    let task = shop.running("Something");
    let answers = at_once(&shop, task.id, "session/retry", 12);
    let (started, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 202);
    assert!(!started.is_empty());
    for answer in refused {
        assert_eq!(answer.status, 409, "{}", answer.text);
    }
    let running = shop.wait_for_status(task.id, SessionStatus::Running);
    let session: api::Session =
        shop.server.get(&format!("/api/sessions/{}", running.session_id.unwrap())).ok(200);
    assert_eq!(session.workers.len(), 1);
    wait_for("one host", || (hosts(&shop) == 1).then_some(()));
    let open: Vec<api::Session> = shop.server.get("/api/sessions").ok(200);
    assert_eq!(open.iter().map(|session| session.id).collect::<Vec<_>>(), [running.session_id.unwrap()]);
    let logs: Vec<api::SessionLog> = shop.server.get(&format!("/api/tasks/{}/session-logs", task.id)).ok(200);
    assert_eq!(logs.len(), started.len(), "each was logged once");
    // A retry cancels a start that is under way. The log of that one has no worker, since none has run.
    let (ran, cancelled): (Vec<_>, Vec<_>) = logs.iter().partition(|log| log.worker_id.is_some());
    assert!(cancelled.iter().all(|log| log.error.is_some()), "{cancelled:#?}");
    let workers: BTreeSet<_> = ran.iter().filter_map(|log| log.worker_id).collect();
    assert_eq!(workers.len(), ran.len(), "{ran:#?}");
    assert!(workers.contains(&task.worker_id.unwrap()) && !workers.contains(&running.worker_id.unwrap()));
    assert_eq!(shop.linked().len(), 1);
}

#[test]
fn p10_a_task_completed_many_times_at_once_is_completed_once() {
    let shop = Workshop::new();
    let task = shop.running("Something");
    let answers = at_once(&shop, task.id, "complete", 12);
    let (done, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
    assert!(!done.is_empty());
    for answer in refused {
        answer.problem(ErrorCode::WrongState);
    }
    let logs: Vec<api::SessionLog> = shop.server.get(&format!("/api/tasks/{}/session-logs", task.id)).ok(200);
    assert_eq!(logs.len(), 1);
    assert_eq!(hosts(&shop), 0);
    assert_eq!(shop.linked(), Vec::<std::path::PathBuf>::new(), "its worktree is in the trash");
    let kept: Vec<_> = shop.worktrees().into_iter().map(|worktree| worktree.state).collect();
    assert_eq!(kept, [api::WorktreeState::Trashed]);
}

#[test]
fn w4_tasks_of_one_repository_that_start_at_once_get_a_worktree_and_a_branch_each() {
    let shop = Workshop::new();
    // All want the same name for their branch.
    let tasks: Vec<Task> = (0..8).map(|_| shop.task("The same title")).collect();
    thread::scope(|scope| {
        for task in &tasks {
            scope.spawn(|| shop.start(task.id));
        }
    });
    let tasks: Vec<Task> = shop.server.get("/api/tasks").ok(200);
    let branches: BTreeSet<_> = tasks.iter().map(|task| task.branch.clone().unwrap()).collect();
    let paths: BTreeSet<_> = tasks.iter().map(|task| task.worktree_path.clone().unwrap()).collect();
    assert_eq!((branches.len(), paths.len()), (8, 8), "{tasks:#?}");
    assert_eq!(hosts(&shop), 8);
    for task in &tasks {
        let directory = super::place(task);
        assert_eq!(shop.repository.git_in(directory, &["status", "--porcelain"]), "");
        let branch = shop.repository.git_in(directory, &["branch", "--show-current"]);
        assert_eq!(Some(branch.trim()), task.branch.as_deref());
    }
    assert_eq!(shop.linked().len(), 8);
    shop.repository.git(&["fsck", "--strict"]);
    thread::scope(|scope| {
        for task in &tasks {
            scope.spawn(|| assert_eq!(shop.complete(task.id).kept_worktree, None));
        }
    });
    assert_eq!(shop.linked(), Vec::<std::path::PathBuf>::new());
    assert_eq!(hosts(&shop), 0);
}

/// Adds workers to a session from several threads while another ends it, and checks that no worker is left behind.
fn end_while_adding(shop: &Workshop, session: model::SessionId, end: impl Fn() -> Answer + Sync) {
    let workers = format!("/api/sessions/{session}/workers");
    let ended = thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let answer = shop.server.post(&workers, json!({"type": "terminal", "command": ["cat"]}));
                assert!([201, 404, 409, 422].contains(&answer.status), "{} {}", answer.status, answer.text);
            });
        }
        // One that is only just being made is waited for.
        let ending = scope
            .spawn(|| wait_for("the session's end", || Some(end()).filter(|answer| answer.status != 409)));
        ending.join().expect("an answer")
    });
    assert!([200, 204].contains(&ended.status), "{}", ended.text);
    let listed: Vec<api::Worker> = shop.server.get("/api/workers").ok(200);
    assert_eq!(listed, []);
    wait_for("no host", || (hosts(shop) == 0).then_some(()));
}

#[test]
fn p11_a_worker_that_is_added_while_its_session_ends_is_not_left_behind() {
    let shop = Workshop::new();
    for _ in 0..4 {
        let task = shop.running("Something");
        let complete = format!("/api/tasks/{}/complete", task.id);
        end_while_adding(&shop, task.session_id.unwrap(), || shop.server.step(&complete));
        let (session, _) = shop.server.terminal(shop.repository.text(), "read x");
        let path = format!("/api/sessions/{}", session.id);
        end_while_adding(&shop, session.id, || shop.server.delete(&path));
    }
}
