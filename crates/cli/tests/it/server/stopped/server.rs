//! The server is stopped or killed at every step of a start.

use std::fs;
use std::net::TcpStream;
use std::thread;

use api::{ArchivedTask, SessionStatus, Task, Worktree, WorktreeState};
use model::TaskId;
use rustix::process::Signal;
use server::StartStep;

use super::asked::Asked;
use super::hanging::{Hanging, Where, be_quick};
use super::held::{Held, release};
use super::{check_running, check_whole, heard, pipe, task};
use crate::house::{is_alive, signal, wait_for};
use crate::server::{Server, Workshop};

/// Why a start has failed that a server could not finish.
const UNSTARTED: &str = "the server stopped before this began";

/// Does something with every step at once.
fn at_every_step(check: impl Fn(StartStep) + Copy + Send) {
    thread::scope(|scope| {
        for step in StartStep::ALL {
            scope.spawn(move || check(*step));
        }
    });
}

/// Starts a server in the place of one that is gone.
fn next_server(shop: Workshop, end: impl FnOnce(Server)) -> Workshop {
    next_server_with(shop, end, &[])
}

/// Starts a server in the place of one that is gone, with these variables.
fn next_server_with(shop: Workshop, end: impl FnOnce(Server), variables: &[(&str, &str)]) -> Workshop {
    let Workshop { server, repository, id, house } = shop;
    end(server);
    let server = Server::start_with(&house, variables);
    Workshop { server, repository, id, house }
}

/// The task of a start that did not come to its end undisturbed, once its state stays.
fn settled(shop: &Workshop, id: TaskId) -> Task {
    let is_settled = |task: &Task| task.session_status != Some(SessionStatus::Provisioning);
    shop.server.wait_for_task(id, "a state that stays", is_settled)
}

/// Checks that nothing is left of a start that failed.
fn check_nothing_left(shop: &Workshop) {
    let is_being_made = |worktree: &Worktree| worktree.state == WorktreeState::Making;
    wait_for("worktrees that are settled", || (!shop.worktrees().iter().any(is_being_made)).then_some(()));
    check_whole(shop);
}

fn retry(shop: &Workshop, id: TaskId) {
    let retried: ArchivedTask = shop.server.step(&format!("/api/tasks/{id}/session/retry")).ok(202);
    assert_eq!(retried.kept_worktree, None);
}

#[test]
fn p11_a_server_that_is_told_to_stop_at_any_step_of_a_start_finishes_it() {
    at_every_step(|step| {
        let Held { shop, task, start } = Held::before(step);
        // The server gives up nothing before this is read. So a slow machine changes nothing here.
        pipe(&shop.house, "late");
        signal(shop.server.pid(), Signal::TERM);
        let is_told = || TcpStream::connect(shop.server.authority()).is_err().then_some(());
        wait_for("the server has heard that it is to stop", is_told);
        release(&shop);
        let started: Task = start.answer().ok(202);
        assert_eq!(started.id, task.id, "{step:?}");
        let shop = next_server(shop, Server::stop);
        check_running(&shop, task.id);
    });
}

#[test]
fn p11_a_server_that_has_no_more_time_at_any_step_of_a_start_undoes_it_and_says_so() {
    at_every_step(|step| {
        let Held { shop, task: held, start } = Held::before(step);
        let gave_up = pipe(&shop.house, "gave-up");
        signal(shop.server.pid(), Signal::TERM);
        heard(&gave_up);
        release(&shop);
        let shop = next_server(shop, Server::stop);
        drop(start);
        let settled = settled(&shop, held.id);
        match settled.session_status {
            // It was not accepted: the server ended before it wrote the session down.
            None if step == StartStep::Begin => {
                let _: Task = shop.server.step(&format!("/api/tasks/{}/session/start", held.id)).ok(202);
            }
            // The agent runs already. If the server ends before it can undo that, the next one adopts the agent.
            Some(SessionStatus::Running) if step == StartStep::AgentLive => {}
            Some(SessionStatus::Running) => assert_eq!(step, StartStep::Done),
            _ => {
                assert_ne!(step, StartStep::Done);
                assert_eq!(settled.session_error.as_deref(), Some(UNSTARTED), "{step:?}");
                check_nothing_left(&shop);
                retry(&shop, held.id);
            }
        }
        check_running(&shop, held.id);
    });
}

#[test]
fn p11_a_server_that_is_killed_at_any_step_of_a_start_leaves_a_task_that_runs_or_can_be_started() {
    at_every_step(|step| {
        let Held { shop, task: held, start } = Held::before(step);
        let shop = next_server(shop, Server::kill);
        drop(start);
        let id = held.id;
        let settled = settled(&shop, id);
        match step {
            StartStep::Begin => {
                assert_eq!(settled.session_id, None);
                let _: Task = shop.server.step(&format!("/api/tasks/{id}/session/start")).ok(202);
            }
            StartStep::AgentLive | StartStep::Done => {
                assert_eq!(settled.session_status, Some(SessionStatus::Running), "{step:?}");
            }
            _ => {
                assert_eq!(settled.session_error.as_deref(), Some(UNSTARTED), "{step:?}");
                check_nothing_left(&shop);
                retry(&shop, id);
            }
        }
        check_running(&shop, id);
    });
}

#[test]
fn p11_a_retry_waits_until_the_server_knows_whether_the_worktree_was_made() {
    let Held { shop, task: held, start } = Held::before(StartStep::WorktreeReady);
    let shop = next_server_with(shop, Server::kill, &[("ABIDE_HOLD_START", "settle")]);
    drop(start);
    heard(&shop.house.path().join("held"));
    let waits = pipe(&shop.house, "waits");
    let retry = Asked::step(&shop.server, &format!("/api/tasks/{}/session/retry", held.id));
    heard(&waits);
    let states: Vec<WorktreeState> = shop.worktrees().into_iter().map(|worktree| worktree.state).collect();
    assert_eq!(states, [WorktreeState::Making], "until it is settled, it is not said to be there");
    release(&shop);
    let retried: ArchivedTask = retry.answer().ok(202);
    assert_eq!(retried.kept_worktree, None);
    fs::remove_file(waits).expect("it is there");
    check_running(&shop, held.id);
}

/// Checks that nothing is left of a start that hung when the server went, and that the task can be started.
fn check_given_up(shop: &Workshop, hung: &Task, process: u32) {
    let failed = task(shop, hung.id);
    assert_eq!(failed.session_status, Some(SessionStatus::Failed), "{failed:?}");
    assert_eq!(failed.session_error.as_deref(), Some(UNSTARTED));
    wait_for("the end of what hung", || (!is_alive(process)).then_some(()));
    check_nothing_left(shop);
    be_quick(&shop.house);
    retry(shop, hung.id);
    check_running(shop, hung.id);
}

#[test]
fn p11_a_server_that_is_told_to_stop_gives_up_a_start_that_hangs() {
    thread::scope(|scope| {
        for place in Where::ALL {
            scope.spawn(move || {
                let Hanging { shop, task, process } = Hanging::start(place);
                let Workshop { server, repository, id, house } = shop;
                server.stop();
                assert!(!is_alive(process), "it ends with the server: {place:?}");
                let server = Server::start(&house);
                check_given_up(&Workshop { server, repository, id, house }, &task, process);
            });
        }
    });
}

#[test]
fn p11_the_next_server_ends_processes_that_a_killed_server_left_hanging() {
    thread::scope(|scope| {
        for place in Where::ALL {
            scope.spawn(move || {
                let Hanging { shop, task, process } = Hanging::start(place);
                let Workshop { server, repository, id, house } = shop;
                server.kill();
                assert!(is_alive(process), "it still runs: {place:?}");
                let server = Server::start(&house);
                check_given_up(&Workshop { server, repository, id, house }, &task, process);
            });
        }
    });
}
