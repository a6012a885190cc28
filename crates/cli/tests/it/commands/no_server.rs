//! Commands that need the server, where none runs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use home::Identity;
use serde_json::json;

use crate::house::House;

/// A call of each command that asks the server.
const CALLS: &[&[&str]] = &[
    &["open"],
    &["open", "--print"],
    &["repo", "add"],
    &["repo", "ls", "--json"],
    &["repo", "agree", "shop"],
    &["repo", "rm", "shop", "--tasks"],
    &["task", "add", "Fix the door", "--description", "-", "--start"],
    &["task", "ls", "--all", "--json"],
    &["task", "start", "k7f2"],
    &["task", "retry", "k7f2"],
    &["task", "done", "k7f2"],
    &["task", "reopen", "k7f2"],
    &["task", "rm", "k7f2", "x"],
    &["task", "logs", "k7f2"],
    &["session", "import", "sessions.json"],
    &["session", "rm", "k7f2"],
];

#[test]
fn without_a_server_commands_say_how_to_start_one() {
    let house = House::new();
    for call in CALLS {
        let words = house.refused(call, 125);
        let expected = "error: no server runs for this data directory\nhint: start it with `abide serve`\n";
        assert_eq!(words, expected, "{call:?}");
    }
}

#[test]
fn sessions_are_listed_from_their_workers() {
    let house = House::new();
    let list = house.output(["session", "ls", "--json"]);
    assert_eq!(serde_json::from_str::<Vec<api::Session>>(&list).unwrap(), []);
    let living = house.worker_with(&["--name", "living"], &["sh", "-c", "read x"]);
    let ended = house.worker_with(&["--name", "ended"], &["sh", "-c", "exit 3"]);
    ended.wait_for_exit();
    let list = house.output(["session", "ls", "--json"]);
    let sessions: Vec<api::Session> = serde_json::from_str(&list).unwrap();
    let [first, second] = sessions.as_slice() else { panic!("{sessions:?}") };
    assert_eq!(
        (first.kind.clone(), first.location_path.as_str()),
        (api::SessionKind::Quick, house.path().to_str().unwrap())
    );
    assert_eq!((first.workers[0].id, &first.workers[0].state), (living.dir.id(), &api::WorkerState::Live));
    assert_eq!(second.workers[0].state, api::WorkerState::Exited { exit_code: 3, signal: None });
    assert_eq!([first.status, second.status], [api::SessionActivity::Active, api::SessionActivity::Inactive]);
    let list = house.output(["session", "ls"]);
    assert!(list.contains("1 of 1 live") && list.contains("living") && list.contains("exited 3"), "{list}");
    // A server tells the same.
    let server = crate::server::Server::start(&house);
    let told: Vec<api::Session> = server.get("/api/sessions").ok(200);
    let ids = |sessions: &[api::Session]| sessions.iter().map(|session| session.id).collect::<Vec<_>>();
    assert_eq!(ids(&told), ids(&sessions));
}

#[test]
fn p8_a_note_of_a_server_that_ended_does_not_count_as_a_server() {
    let mut gone = Command::new("sleep").arg("1000").spawn().unwrap();
    let identity = Identity::of(gone.id()).unwrap();
    gone.kill().unwrap();
    gone.wait().unwrap();
    let house = House::new();
    let (note, alive) = (house.path().join("server.json"), Identity::own().unwrap());
    let reused = Identity { start_ticks: alive.start_ticks + 1, ..alive.clone() };
    for identity in [identity, reused] {
        let text = json!({
            "url": "http://127.0.0.1:1",
            "pid": identity.pid,
            "startTicks": identity.start_ticks,
            "bootId": identity.boot_id,
            "release": "0.0.0",
        });
        fs::write(&note, text.to_string()).unwrap();
        fs::set_permissions(&note, fs::Permissions::from_mode(0o600)).unwrap();
        let words = house.refused(&["task", "ls"], 125);
        assert!(words.contains("no server runs"), "{words}");
    }
    fs::write(&note, "{").unwrap();
    assert!(house.refused(&["task", "ls"], 125).contains("no server runs"));
}

#[test]
fn bad_arguments_are_refused_before_the_command_looks_for_a_server() {
    let house = House::new();
    for call in [
        &["serve", "--listen", "7433"][..],
        &["serve", "--listen", "example.org:80"],
        &["task", "add"],
        &["task", "rm"],
        &["task"],
        &["repo", "rm"],
        &["session", "import"],
        &["service", "start"],
    ] {
        assert_eq!(house.run(call).status.code(), Some(2), "{call:?}");
    }
}

#[test]
fn s7_a_server_is_not_started_where_other_machines_reach_it() {
    let house = House::new();
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        let output = house.run(["serve", "--listen", address]);
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(words.contains("other machines"), "{words}");
    }
    let house = house.setting("ABIDE_LISTEN", "0.0.0.0:0");
    assert!(house.refused(&["serve"], 125).contains("other machines"));
}
