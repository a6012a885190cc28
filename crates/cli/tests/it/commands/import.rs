//! `abide import`

use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use testkit::server::Server;

use crate::house::{House, wait_for};

const CAST: &str = r#"{"version": 2, "width": 40, "height": 10, "timestamp": 1700000000}
[0.1, "o", "hello from\r\n"]
[1.5, "o", "elsewhere password=hunter2hunter2\r\n"]
[2.0, "r", "60x20"]
[2.5, "i", "typed"]
[3.0, "o", "the end"]
"#;

#[test]
fn a_recording_from_elsewhere_becomes_a_worker_that_has_ended() {
    let house = House::new();
    let file = house.path().join("demo.cast");
    fs::write(&file, CAST).unwrap();
    assert_eq!(house.output(["import", file.to_str().unwrap()]), "demo\n");
    assert_eq!(house.output(["logs", "demo"]), "hello from\nelsewhere password=***REDACTED***\nthe end\n");
    assert_eq!(house.output(["import", file.to_str().unwrap(), "--name", "again"]), "again\n");
    assert!(house.output(["search", "elsewhere"]).contains("2023-11-14"), "its time is its own");
    assert!(house.output(["ls"]).contains("demo"));
    assert!(house.output(["screen", "demo"]).contains("the end"));
    let cast = house.output(["export", "demo"]);
    assert!(cast.contains("\"r\",\"60x20\"") || cast.contains("\"r\", \"60x20\""), "{cast}");
    assert!(crate::planted::at_rest_with(&house.path().join("workers"), "hunter2hunter2").is_empty());
    house.output(["rm", "demo", "again"]);
}

#[test]
fn s39_a_file_that_is_not_a_recording_is_refused_and_leaves_nothing() {
    let house = House::new();
    let file = house.path().join("bad.cast");
    for text in ["", "not json", "{\"version\": 9}", "\u{1f}\u{8b}gzip"] {
        fs::write(&file, text).unwrap();
        let words = house.refused(&["import", file.to_str().unwrap()], 125);
        assert!(words.contains("bad.cast"), "{words}");
    }
    fs::write(&file, format!("{}\n[0, \"o\", \"{}\"]\n", CAST.lines().next().unwrap(), "x".repeat(5 << 20)))
        .unwrap();
    house.refused(&["import", file.to_str().unwrap()], 125);
    house.refused(&["import", "/nonexistent.cast"], 125);
    let workers = fs::read_dir(house.path().join("workers")).map_or(0, Iterator::count);
    assert_eq!(workers, 0, "nothing is left of what failed");
}

#[test]
fn an_import_says_which_parts_it_left_out() {
    let house = House::new();
    let file = house.path().join("marked.cast");
    fs::write(&file, format!("{CAST}[3.5, \"m\", \"here\"]\n")).unwrap();
    let imported = house.run(["import", file.to_str().unwrap()]);
    let said = String::from_utf8(imported.stderr).unwrap();
    assert!(said.contains("1 marker was left out"), "{said}");
}

#[test]
fn bad_rules_are_reported_once_with_their_file() {
    let house = House::new();
    let file = house.path().join("demo.cast");
    fs::write(&file, CAST).unwrap();
    for name in ["one", "two"] {
        house.output(["import", file.to_str().unwrap(), "--name", name]);
    }
    fs::write(house.home().mask_file(), "no = sense").unwrap();
    for arguments in [&["import", file.to_str().unwrap()][..], &["gc"]] {
        let said = String::from_utf8(house.run(arguments).stderr).unwrap();
        assert_eq!(said.matches("error:").count(), 1, "{said}");
        assert!(said.contains("masking.toml") && !said.contains("asciicast"), "{said}");
    }
}

/// An import that reads standard input and waits for more of it.
fn half_an_import(house: &House) -> Child {
    let abide = house.command(["import", "-", "--name", "half"]);
    // What a shell starts in the background ignores SIGINT, and so would all that it starts.
    let mut command = std::process::Command::new("env");
    command.arg("--default-signal=INT,TERM,HUP").arg(abide.get_program()).args(abide.get_args());
    house.settle(&mut command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut import = command.spawn().unwrap();
    import.stdin.as_mut().unwrap().write_all(CAST.as_bytes()).unwrap();
    wait_for("the import to begin", || (!entries(house).is_empty()).then_some(()));
    import
}

fn entries(house: &House) -> Vec<String> {
    let entries = fs::read_dir(house.home().workers_dir()).into_iter().flatten();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn s32_an_import_is_not_taken_for_a_host_and_is_seen_when_it_is_whole() {
    let house = House::new();
    let server = Server::start(&house);
    let import = half_an_import(&house);
    // Both look at every worker's directory.
    assert_eq!(house.output(["ls", "--json"]), "[]\n");
    let other = house.script("read x");
    let sessions = || -> Vec<api::Session> { server.get("/api/sessions").ok(200) };
    let names = || -> Vec<String> {
        sessions().into_iter().flat_map(|session| session.workers).map(|worker| worker.name).collect()
    };
    let seen =
        wait_for("the server to see another worker", || Some(names()).filter(|names| !names.is_empty()));
    assert_eq!(seen, std::slice::from_ref(&other.name));
    let imported = import.wait_with_output().unwrap();
    assert!(imported.status.success(), "{imported:?}");
    assert_eq!(house.output(["logs", "half"]), "hello from\nelsewhere password=***REDACTED***\nthe end\n");
    wait_for("the server to see the imported worker", || names().contains(&"half".to_owned()).then_some(()));
    house.output(["rm", "half"]);
}

#[test]
fn an_import_that_is_interrupted_leaves_nothing() {
    let house = House::new();
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut import = half_an_import(&house);
        // It stays open: at the end of its input the import would be whole, perhaps before the signal.
        let input = import.stdin.take();
        kill_process(Pid::from_child(&import), signal).unwrap();
        let ended = import.wait_with_output().unwrap();
        assert_eq!(ended.status.signal(), Some(signal.as_raw()), "{ended:?}");
        drop(input);
        assert_eq!(entries(&house), [] as [&str; 0], "after {signal:?}");
    }
    let mut import = half_an_import(&house);
    import.kill().unwrap();
    import.wait().unwrap();
    assert_eq!(house.output(["ls", "--json"]), "[]\n");
    house.output(["gc"]);
    assert_eq!(entries(&house), [] as [&str; 0], "after a kill");
}

#[test]
fn an_import_under_nohup_outlives_its_terminal() {
    let house = House::new();
    let abide = house.command(["import", "-", "--name", "half"]);
    let mut command = std::process::Command::new("nohup");
    command.arg(abide.get_program()).args(abide.get_args());
    house.settle(&mut command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut import = command.spawn().unwrap();
    import.stdin.as_mut().unwrap().write_all(CAST.as_bytes()).unwrap();
    wait_for("the import to begin", || (!entries(&house).is_empty()).then_some(()));
    kill_process(Pid::from_child(&import), Signal::HUP).unwrap();
    let imported = import.wait_with_output().unwrap();
    assert!(imported.status.success(), "{imported:?}");
    house.output(["rm", "half"]);
}
