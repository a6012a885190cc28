//! `POST /api/tasks/{id}/session/cancel`, and what else ends a start.

use std::thread;

use api::{ArchivedTask, ErrorCode, LogExit, SessionLog, SessionStatus, Task, TaskState};
use model::TaskId;
use server::StartStep;

use super::asked::Asked;
use super::hanging::{Hanging, Where, be_quick};
use super::held::{Held, hold_no_more, release};
use super::{check_running, check_whole, heard, task};
use crate::house::is_alive;
use crate::server::Workshop;

fn cancel(id: TaskId) -> String {
    format!("/api/tasks/{id}/session/cancel")
}

/// Checks that a task's start is cancelled, and that the task can be started again.
fn check_cancelled(shop: &Workshop, archived: ArchivedTask) {
    let ArchivedTask { task, kept_worktree } = archived;
    assert_eq!((task.status, task.session_id, task.worker_id), (TaskState::Active, None, None));
    assert_eq!(kept_worktree, None);
    let logs: Vec<SessionLog> = shop.server.get(&format!("/api/tasks/{}/session-logs", task.id)).ok(200);
    let [log] = logs.as_slice() else { panic!("{logs:?}") };
    assert_eq!((log.exit_status, log.error.as_deref()), (LogExit::Failed, Some("cancelled")));
    check_whole(shop);
    assert_eq!(shop.linked(), Vec::<std::path::PathBuf>::new());
    shop.server.step(&cancel(task.id)).problem(ErrorCode::NoSession);
    shop.start(task.id);
    check_running(shop, task.id);
}

#[test]
fn a_start_is_cancelled_at_any_step_until_its_agent_runs() {
    thread::scope(|scope| {
        for step in StartStep::ALL {
            scope.spawn(move || {
                let Held { shop, task: held, start } = Held::before(*step);
                let path = cancel(held.id);
                match step {
                    StartStep::Begin => {
                        shop.server.step(&path).problem(ErrorCode::NoSession);
                    }
                    StartStep::Done => {
                        let problem = shop.server.step(&path).problem(ErrorCode::WrongState);
                        assert_eq!(problem.error.message, "the agent runs already");
                        assert!(problem.error.hint.is_some());
                    }
                    _ => {
                        let cancelled = Asked::step(&shop.server, &path);
                        heard(&shop.house.path().join("asked"));
                        release(&shop);
                        hold_no_more(&shop.house);
                        return check_cancelled(&shop, cancelled.answer().ok(200));
                    }
                }
                release(&shop);
                let _: Task = start.answer().ok(202);
                check_running(&shop, held.id);
            });
        }
    });
}

#[test]
fn a_start_that_hangs_is_cancelled_with_everything_it_runs() {
    thread::scope(|scope| {
        for place in Where::ALL {
            scope.spawn(move || {
                let Hanging { shop, task, process } = Hanging::start(place);
                let cancelled = shop.server.step(&cancel(task.id)).ok(200);
                assert!(!is_alive(process), "{place:?}");
                be_quick(&shop.house);
                check_cancelled(&shop, cancelled);
            });
        }
    });
}

#[test]
fn a_start_that_is_cancelled_twice_at_once_is_cancelled_once() {
    let Held { shop, task, start } = Held::before(StartStep::Setup);
    let _: Task = start.answer().ok(202);
    let asked = shop.house.path().join("asked");
    let both = [(); 2].map(|()| {
        let cancelled = Asked::step(&shop.server, &cancel(task.id));
        heard(&asked);
        cancelled
    });
    release(&shop);
    hold_no_more(&shop.house);
    let [first, second] = both.map(|cancelled| cancelled.answer().ok::<ArchivedTask>(200));
    assert_eq!(first.task.session_id, None);
    check_cancelled(&shop, second);
}

#[test]
fn a_task_whose_start_hangs_is_retried_and_completed_and_not_forgotten() {
    let Hanging { shop, task: hung, process } = Hanging::start(Where::Setup);
    let path = format!("/api/tasks/{}", hung.id);
    let problem = shop.server.delete(&path).problem(ErrorCode::HasSession);
    assert!(problem.error.hint.is_some_and(|hint| hint.contains("`session/cancel`")));
    assert!(is_alive(process));
    be_quick(&shop.house);
    let retried: ArchivedTask = shop.server.step(&format!("{path}/session/retry")).ok(202);
    assert_eq!(retried.kept_worktree, None);
    assert!(!is_alive(process));
    check_running(&shop, hung.id);

    let Hanging { shop, task: hung, process } = Hanging::start(Where::Setup);
    let done = shop.complete(hung.id);
    assert_eq!((done.task.status, done.kept_worktree), (TaskState::Done, None));
    assert!(!is_alive(process));
    check_whole(&shop);
    shop.server.step(&cancel(hung.id)).problem(ErrorCode::NoSession);
}

#[test]
fn a_start_that_failed_or_whose_task_was_never_started_cannot_be_cancelled() {
    let shop = Workshop::new();
    shop.runs(&["exit 9"], &[]);
    let failing = shop.task("Do something");
    shop.server.step(&cancel(failing.id)).problem(ErrorCode::NoSession);
    shop.fail(failing.id);
    let problem = shop.server.step(&cancel(failing.id)).problem(ErrorCode::WrongState);
    assert_eq!(problem.error.message, "the start has failed already");
    assert_eq!(task(&shop, failing.id).session_status, Some(SessionStatus::Failed), "it stays as it is");
}

#[test]
fn a_cancelled_start_keeps_a_worktree_that_holds_work() {
    let house = crate::house::House::new();
    let (begun, never) = (super::pipe(&house, "begun"), super::pipe(&house, "never"));
    let shop = Workshop::in_house(house);
    let setup = format!("echo work >work; echo >'{}'; read x <'{}'", begun.display(), never.display());
    shop.runs(&[&setup], &[]);
    let hung = shop.task("Do something");
    let _: Task = shop.server.step(&format!("/api/tasks/{}/session/start", hung.id)).ok(202);
    heard(&begun);
    let cancelled: ArchivedTask = shop.server.step(&cancel(hung.id)).ok(200);
    let kept = cancelled.kept_worktree.expect("it is kept");
    assert_eq!(kept.work, ["1 file that git does not track"]);
    assert!(std::path::Path::new(&kept.path).join("work").exists());
}

#[test]
fn the_command_cancels_a_start_and_says_how_to_go_on() {
    let Hanging { shop, task: hung, process } = Hanging::start(Where::Setup);
    let said = shop.house.run(["task", "cancel", "Do some"]);
    let words = String::from_utf8(said.stderr).unwrap();
    assert_eq!(said.status.code(), Some(0), "{words}");
    let id = hung.id;
    assert_eq!(
        words,
        format!("the start of `Do something` is cancelled; `abide task start {id}` starts it again\n")
    );
    assert!(!is_alive(process));
    check_whole(&shop);
    let refused = shop.house.refused(&["task", "cancel", id.as_str()], 1);
    assert!(refused.contains("no session") && refused.contains("`abide task start`"), "{refused}");
}
