//! A server that is killed again and again under load: no terminal notices, nothing is lost, nothing is left over.

mod aftermath;
mod door;
mod follower;
mod load;

use std::env;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use api::{Session, SessionReply, Worker, WorkerReply};
use jiff::Timestamp;
use model::{Epoch, WorkerId};
use serde_json::json;
use testkit::Random;
use ureq::http::Method;

use self::door::Door;
use self::follower::Follower;
use self::load::Load;
use super::Repository;
use crate::hardships::no_process_is_left;
use crate::house::{House, SetAtEnd, is_alive};

/// Variable with the seed of a run that shall be repeated.
const SEED: &str = "ABIDE_KILLS_SEED";

/// How many terminals print all the while.
const TERMINALS: usize = 3;

/// How many viewers each of them has.
const VIEWERS_EACH: usize = 2;

/// How many clients make and remove things all the while.
const CLIENTS: u64 = 2;

/// Numbered lines, several at a time: a process for each would leave the machine nothing for the rest.
const NUMBERS: &str =
    "i=0; while :; do for _ in 1 2 3 4 5; do i=$((i+1)); echo number $i; done; sleep 0.02; done";

/// An agent that says what it was told, and waits.
const AGENTS: &str = r#"
[[agent]]
id = "fake"
name = "Fake"
command = ["sh", "-c", "echo \"told: $0\"; read x"]
prompt = ["{prompt}"]
"#;

#[test]
fn p1_p11_a_server_killed_again_and_again_under_load_loses_nothing_and_leaves_nothing() {
    kills(200);
}

/// A terminal that must not notice anything.
struct Printing {
    worker: WorkerId,
    child: u32,
}

/// Kills the server so many times, at instants that follow from a seed, while terminals print, viewers watch, and
/// clients start, retry and complete tasks and make and remove worktrees and sessions.
pub(crate) fn kills(count: usize) {
    let seed = env::var(SEED).ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(some_seed);
    println!("seed {seed}: the same choices again with {SEED}={seed}");
    let mut random = Random::new(seed);
    let house = House::with_keeper();
    let repository = Repository::new(house.path(), "project");
    std::fs::write(house.path().join("agents.toml"), AGENTS).unwrap();
    let mut door = Door::new(&house, &mut random);
    let first = door.serve();
    door.learn_token();
    let registered = json!({"path": repository.text()});
    let registered: api::Repository = door.must(Method::POST, "/api/repositories", Some(registered), 201);
    let printing: Vec<Printing> = (0..TERMINALS).map(|_| printing(&house, &door)).collect();
    first.kill();

    let mut followers: Vec<Follower> = printing
        .iter()
        .flat_map(|printing| (0..VIEWERS_EACH).map(|_| Follower::new(printing.worker)))
        .collect();
    let mut loads: Vec<Load<'_>> =
        (0..CLIENTS).map(|client| Load::new(&door, random.number(), client, registered.id)).collect();
    let (load_is_over, all_is_over) = (AtomicBool::new(false), AtomicBool::new(false));
    let may_leave = AtomicBool::new(true);
    let last = thread::scope(|scope| {
        // If a check fails here, the other threads must end so that the failure is shown.
        let _ends = (SetAtEnd(&load_is_over), SetAtEnd(&all_is_over));
        let following: Vec<_> = followers
            .iter_mut()
            .map(|follower| {
                let (house, door, over) = (&house, &door, &all_is_over);
                scope.spawn(move || follower.follow(house, door, over))
            })
            .collect();
        let loading: Vec<_> =
            loads.iter_mut().map(|load| scope.spawn(|| load.run(&load_is_over, &may_leave))).collect();
        for kill in 1..=count {
            // In the last round, clients wait for every answer.
            may_leave.store(kill < count, Ordering::Relaxed);
            let process = door.spawn();
            let (may_be_starting, within) =
                random.weighted(&[(25, (true, 80)), (65, (false, 250)), (10, (false, 1000))]);
            let process = if may_be_starting { process } else { process.ready() };
            thread::sleep(Duration::from_millis(random.below(within) as u64));
            process.kill();
            assert!(!loading.iter().any(ScopedJoinHandle::is_finished), "a client failed");
            assert!(!following.iter().any(ScopedJoinHandle::is_finished), "a viewer failed");
        }
        let last = door.serve();
        load_is_over.store(true, Ordering::Relaxed);
        loading.into_iter().for_each(|thread| thread.join().expect("a client"));
        all_is_over.store(true, Ordering::Relaxed);
        last
    });
    for printing in &printing {
        let status = house.called(printing.worker.as_str()).status();
        assert_eq!((status.child_pid, status.epoch), (printing.child, Epoch(1)), "its host noticed nothing");
        assert!(is_alive(printing.child));
    }
    for follower in &followers {
        follower.check(&house);
    }
    println!("{}", loads.iter().map(Load::told).collect::<Vec<_>>().join("; "));
    println!("{}", followers.iter().map(Follower::told).collect::<Vec<_>>().join("; "));
    aftermath::is_in_order(&house, &door, &repository, &loads);
    aftermath::everything_ends(&door);
    last.stop();
    door.check_log();
    store::Database::open(&house.path().join("abide.db"))
        .expect("a database")
        .of(model::OwnerId::ONLY)
        .check()
        .expect("a sound one");
    drop(loads);
    no_process_is_left(&house);
}

fn some_seed() -> u64 {
    Timestamp::now().as_nanosecond() as u64
}

/// Starts a terminal that prints for ever.
fn printing(house: &House, door: &Door<'_>) -> Printing {
    let session = json!({"type": "quick", "locationPath": house.path()});
    let session: SessionReply = door.must(Method::POST, "/api/sessions", Some(session), 201);
    let Session { id, .. } = session.session;
    let worker = json!({"type": "terminal", "command": ["sh", "-c", NUMBERS]});
    let worker: WorkerReply =
        door.must(Method::POST, &format!("/api/sessions/{id}/workers"), Some(worker), 201);
    let Worker { id: worker, .. } = worker.worker;
    let child = house.called(worker.as_str()).status().child_pid;
    Printing { worker, child }
}
