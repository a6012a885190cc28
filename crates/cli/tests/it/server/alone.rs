//! One server for one data directory.

use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use home::Identity;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::Server;
use crate::house::{House, wait_for};

/// The exit code of a failure of ours.
const FAILED: i32 = 125;

const SERVE: &[&str] = &["serve", "--listen", "127.0.0.1:0"];

#[test]
fn p7_a_second_server_leaves_and_names_the_first() {
    let house = House::new();
    let server = Server::start(&house);
    let words = house.refused(SERVE, FAILED);
    assert!(words.contains(&server.pid().to_string()) && words.contains(&server.url), "{words}");
    let _: api::Health = server.get("/api/health").ok(200);
}

#[test]
fn p7_after_a_kill_the_next_server_starts_at_once_at_the_same_port() {
    let house = House::new();
    let mut server = Server::start(&house);
    // Its hosts must not keep its port or its lock open.
    let (_, worker) = server.terminal("/", "read x");
    let address = server.authority().to_owned();
    for _ in 0..5 {
        server.kill();
        server = Server::run(&house, house.command(["serve", "--listen", &address]));
        assert_eq!(server.authority(), address);
        let _: api::Worker = server.get(&format!("/api/workers/{}", worker.id)).ok(200);
    }
}

#[test]
fn p8_stale_notes_and_locks_do_not_stop_a_server() {
    let house = House::new();
    let stranger = Stranger(Command::new("sleep").arg("1000").spawn().unwrap());
    let identity = Identity::of(stranger.0.id()).unwrap();
    // The note names a process that runs and is not a server. Only the lock shows that a server runs.
    let note = json!({
        "url": "http://127.0.0.1:1", "pid": identity.pid, "startTicks": identity.start_ticks,
        "bootId": identity.boot_id, "release": "0",
    });
    fs::write(house.path().join("server.json"), note.to_string()).unwrap();
    fs::write(house.path().join("server.lock"), "who is this").unwrap();
    Server::start(&house).kill();
    // The note of a killed server, whose pid now belongs to another process.
    let mut note: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(house.path().join("server.json")).unwrap()).unwrap();
    note["pid"] = json!(identity.pid);
    fs::write(house.path().join("server.json"), note.to_string()).unwrap();
    Server::start(&house).kill();
    // A link, which is never followed.
    let target = house.path().join("target");
    fs::write(&target, "not yours").unwrap();
    fs::remove_file(house.path().join("server.json")).unwrap();
    symlink(&target, house.path().join("server.json")).unwrap();
    let server = Server::start(&house);
    assert_eq!(fs::read_to_string(&target).unwrap(), "not yours");
    assert!(Identity::of(stranger.0.id()).is_some_and(|now| now == identity), "a stranger was touched");
    server.stop();
}

#[test]
fn s11_a_data_directory_that_is_a_link_is_refused() {
    let house = House::new();
    let (real, link) = (house.path().join("real"), house.path().join("link"));
    fs::create_dir(&real).unwrap();
    symlink(&real, &link).unwrap();
    let mut command = house.command(SERVE);
    let server = command.env("ABIDE_HOME", &link).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut server = Stranger(server.unwrap());
    let status = wait_for("the refusal", || server.0.try_wait().unwrap());
    let mut words = String::new();
    server.0.stderr.take().unwrap().read_to_string(&mut words).unwrap();
    assert_eq!(status.code(), Some(FAILED), "{words}");
    assert!(words.contains("is not a directory, or belongs to another user"), "{words}");
    assert_eq!(fs::read_dir(&real).unwrap().count(), 0, "nothing was put there");
}

/// A process that goes when the test does.
struct Stranger(std::process::Child);

impl Drop for Stranger {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A shell that lifts the limit of core dumps, and then becomes `abide serve`.
fn without_limit_of_dumps(house: &House) -> Command {
    let serve = house.command(SERVE);
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "ulimit -c unlimited && exec \"$@\"", "sh"])
        .arg(serve.get_program())
        .args(serve.get_args());
    house.settle(&mut shell);
    shell
}

#[test]
fn s40_a_server_leaves_no_core_dump_and_its_terminals_keep_the_users_limit() {
    let house = House::new();
    // Elsewhere, and without our variables: its dump holds them all.
    let elsewhere = tempfile::tempdir().unwrap();
    let mut dumps = Command::new("sh");
    dumps.args(["-c", "ulimit -c unlimited && kill -ABRT $$"]).env_clear().current_dir(elsewhere.path());
    if !dumps.status().unwrap().core_dumped() {
        return testkit::skip("this machine writes no core dumps, or forbids them");
    }
    let server = Server::run(&house, without_limit_of_dumps(&house));
    let place = house.path().to_str().unwrap().to_owned();
    let (_, worker) = server.terminal(&place, "echo \"limit $(ulimit -c)\"; read x");
    let shown = wait_for("the terminal's limit", || {
        let screen = house.output(["screen", worker.id.as_str()]);
        screen.contains("limit ").then_some(screen)
    });
    assert!(shown.contains("limit unlimited"), "{shown}");
    kill_process(Pid::from_raw(server.pid().cast_signed()).unwrap(), Signal::ABORT).unwrap();
    let ended = server.ended();
    assert_eq!((ended.signal(), ended.core_dumped()), (Some(Signal::ABORT.as_raw()), false));
}
