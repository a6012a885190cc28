//! Another process locks the database for a while. The server still answers reads, and afterwards records what happened
//! meanwhile.

use std::fs;
use std::path::PathBuf;

use api::{ArchivedTask, ErrorCode, SessionStatus, Task, WorktreeState};
use rusqlite::Connection;
use serde_json::json;

use super::{Socket, Workshop};
use crate::house::{House, wait_for};

/// Locks the database until it is dropped: the server cannot write meanwhile.
struct Held {
    _connection: Connection,
}

impl Held {
    fn hold(house: &House) -> Held {
        let connection = Connection::open(house.path().join("abide.db")).expect("a database");
        connection.busy_timeout(testkit::WAIT).expect("a timeout");
        connection.execute_batch("BEGIN IMMEDIATE").expect("the lock");
        Held { _connection: connection }
    }
}

/// A task whose setup has begun, and says when it has ended, as `outcome` has it.
struct Provisioning {
    shop: Workshop,
    task: Task,
    go: PathBuf,
    ended: PathBuf,
}

impl Provisioning {
    fn begin(outcome: &str) -> Provisioning {
        let shop = Workshop::new();
        let file = |name: &str| shop.house.path().join(name);
        let (begun, go, ended) = (file("begun"), file("go"), file("ended"));
        let setup = format!(
            "touch '{}'; while ! [ -e '{}' ]; do sleep 0.05; done; touch '{}'; {outcome}",
            begun.display(),
            go.display(),
            ended.display()
        );
        shop.runs(&[&setup], &[]);
        let task = shop.task("Do something");
        let _: Task = shop.server.step(&format!("/api/tasks/{}/session/start", task.id)).ok(202);
        wait_for("its setup", || begun.exists().then_some(()));
        Provisioning { shop, task, go, ended }
    }

    /// Lets the setup come to its end while the database is held, and waits until that could not be written down.
    fn end_while_held(&self) {
        let held = Held::hold(&self.shop.house);
        fs::write(&self.go, "").unwrap();
        wait_for("the end of its setup", || self.ended.exists().then_some(()));
        // These writes queue behind the earlier ones.
        for title in ["one", "two"] {
            let path = format!("/api/tasks/{}", self.task.id);
            self.shop.server.patch(&path, json!({ "title": title })).problem(ErrorCode::Unavailable);
        }
        let still: Task = self.shop.server.get(&format!("/api/tasks/{}", self.task.id)).ok(200);
        assert_eq!(still.session_status, Some(SessionStatus::Provisioning));
        drop(held);
    }
}

#[test]
fn d7_a_setup_that_fails_while_the_database_is_locked_is_recorded_afterwards() {
    let begun = Provisioning::begin("[ -e \"$HOME/network\" ]");
    begun.end_while_held();
    let Provisioning { shop, task, .. } = begun;
    shop.wait_for_status(task.id, SessionStatus::Failed);
    fs::write(shop.house.path().join("network"), "").unwrap();
    let _: ArchivedTask = shop.server.step(&format!("/api/tasks/{}/session/retry", task.id)).ok(202);
    shop.wait_for_status(task.id, SessionStatus::Running);
}

#[test]
fn d7_an_agent_that_is_started_while_the_database_is_locked_is_recorded_afterwards() {
    let begun = Provisioning::begin("true");
    begun.end_while_held();
    let running = begun.shop.wait_for_status(begun.task.id, SessionStatus::Running);
    begun.shop.wait_for_output(running.worker_id.unwrap(), "told: Do something");
    assert_eq!(begun.shop.complete(begun.task.id).kept_worktree, None);
}

#[test]
fn s5_d7_a_missing_worktree_is_reported_while_the_database_is_locked() {
    let shop = Workshop::new();
    let made = shop.worktree(None);
    let held = Held::hold(&shop.house);
    fs::remove_dir_all(&made.path).unwrap();
    assert_eq!(shop.worktrees()[0].state, WorktreeState::Missing);
    let path = format!("/api/worktrees/{}", made.id);
    let seen: api::Worktree = shop.server.get(&path).ok(200);
    assert_eq!(seen.state, WorktreeState::Missing);
    let mut dashboard = Socket::open(&shop.server, "/ws/dashboard");
    let state = dashboard.json();
    assert_eq!((&state["type"], &state["worktrees"][0]["state"]), (&json!("state"), &json!("missing")));
    // What changes something is refused, and done once it can be.
    shop.server.delete(&format!("{path}?force=true")).problem(ErrorCode::Unavailable);
    drop(held);
    let forgotten: api::RemovedWorktree = shop.server.delete(&format!("{path}?force=true")).ok(200);
    assert_eq!(forgotten.worktree.state, WorktreeState::Missing);
}
