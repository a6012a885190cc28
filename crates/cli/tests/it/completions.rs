//! Completing a command line, in real shells.

use std::path::Path;
use std::process::Command;

use rustix::process::Signal;
use serde_json::json;
use testkit::Program;

use crate::house::{ABIDE, House, signal};
use crate::server::Workshop;

/// A house whose PATH begins with the program under test.
fn with_abide() -> House {
    let bin = Path::new(ABIDE).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    House::new().setting("PATH", &path)
}

/// The words that `abide complete` offers for the last word of a line.
fn words(house: &House, line: &[&str]) -> Vec<String> {
    let index = (line.len() - 1).to_string();
    let arguments = [&["complete", "--index", &index, "--"], line].concat();
    let answer = house.output(arguments);
    answer.lines().map(|line| line.split_once('\t').expect("a tab").0.to_owned()).collect()
}

fn is_installed(shell: &str) -> bool {
    Command::new(shell).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Writes the script of a shell where the shell looks for a file of this name.
fn script(house: &House, shell: &str, name: &str) {
    let path = house.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, house.output(["completions", shell])).unwrap();
}

/// A shell in a terminal, with the environment of a house, at its prompt.
fn at_prompt(house: &House, shell: &str, arguments: &[&str], setup: &str) -> Program {
    let mut command = Program::command(shell);
    house.settle(command.args(arguments));
    command.env("TERM", "xterm").env("PS1", "> ");
    let mut program = Program::spawn(&mut command, model::TermSize::clamped(120, 40));
    prints(&mut program, &format!("{setup}; echo $((40 + 2)) is set up\n"), "42 is set up");
    program
}

/// Types keys, waits until the shell prints a text that was not typed, and then for the next prompt.
fn prints(program: &mut Program, keys: &str, text: &str) {
    let before = program.output().len();
    program.send(keys.as_bytes());
    program.wait_until(text, |output| {
        let new = String::from_utf8_lossy(&output[before..]);
        new.split_once(text).is_some_and(|(_, behind)| behind.contains("> "))
    });
}

/// Types the beginning of a line and a tab; the program must get these words.
fn completes(program: &mut Program, typed: &str, words: &str) {
    // Ctrl-A puts a command before the line that prints its words; the shell prints the sum, and not what is typed here.
    prints(program, &format!("{typed}\t\x01echo $((40 + 2)) \n"), &format!("42 {words}"));
}

#[test]
fn every_command_offers_the_workers_that_it_can_take() {
    let house = with_abide();
    let running = house.worker_with(&["--name", "build"], &["cat"]);
    let ended = house.worker_with(&["--name", "burnt"], &["true"]);
    ended.wait_for_exit();
    for command in ["attach", "kill", "send", "upgrade"] {
        assert_eq!(words(&house, &["abide", command, "b"]), [running.name.as_str()], "{command}");
    }
    for command in ["export", "logs", "replay", "rm", "screen", "wait"] {
        let mut offered = words(&house, &["abide", command, "b"]);
        offered.sort();
        assert_eq!(offered, ["build", "burnt"], "{command}");
    }
    assert_eq!(words(&house, &["abide", "rm", "burnt", "bui"]), ["build"], "a second name");
    assert_eq!(words(&house, &["abide", "search", "text", "bui"]), ["build"]);
    assert_eq!(
        words(&house, &["abide", "new", "--name", "bui"]),
        [] as [&str; 0],
        "a new name is not completed"
    );
}

#[test]
fn a_name_comes_with_the_command_of_its_worker() {
    let house = with_abide();
    house.worker_with(&["--name", "build"], &["sh", "-c", "read x; echo \u{1b}[31m"]);
    let answer = house.output(["complete", "--index", "2", "--", "abide", "attach", ""]);
    let (_, description) = answer.trim_end().split_once('\t').unwrap();
    assert!(description.starts_with("sh -c read x; echo"), "{answer:?}");
    assert!(!answer.contains('\u{1b}'), "{answer:?}");
}

#[test]
fn completion_does_not_wait_for_a_stopped_host_or_server() {
    let workshop = Workshop::in_house(with_abide());
    let house = &workshop.house;
    let worker = house.worker_with(&["--name", "build"], &["cat"]);
    assert_eq!(words(house, &["abide", "repo", "rm", ""]), ["project"]);
    let host = worker.dir.identity().expect("a host").pid;
    let server = workshop.server.pid();
    for pid in [host, server] {
        signal(pid, Signal::STOP);
    }
    let names = words(house, &["abide", "attach", ""]);
    // A command may wait a minute for a server; a program in a terminal must end sooner here.
    let mut command = Program::command(ABIDE);
    house.settle(command.args(["complete", "--index", "3", "--", "abide", "repo", "rm", "pro"]));
    let mut asked = Program::spawn(&mut command, model::TermSize::clamped(120, 40));
    // It holds the other end of the terminal, which would not hang up.
    drop(command);
    let ended = asked.wait_for_exit();
    for pid in [host, server] {
        signal(pid, Signal::CONT);
    }
    assert_eq!(names, ["build"], "the data directory has the names");
    assert!(ended.success() && asked.output().is_empty(), "{ended}: {}", asked.output().escape_ascii());
}

#[test]
fn completion_offers_names_from_the_server_and_ids_for_unsafe_names() {
    let workshop = Workshop::in_house(with_abide());
    let house = &workshop.house;
    let plain = workshop.task_of(json!({"title": "paint", "agentId": "fake"}));
    let odd = workshop.task_of(json!({"title": "$(touch taken) the door", "agentId": "fake"}));
    let mut offered = words(house, &["abide", "task", "start", ""]);
    offered.sort();
    let mut expected = ["paint".to_owned(), odd.id.to_string()];
    expected.sort();
    assert_eq!(offered, expected);
    assert_eq!(words(house, &["abide", "task", "add", "x", "--repo", "pro"]), ["project"]);
    workshop.start(plain.id);
    assert_eq!(words(house, &["abide", "session", "rm", ""]).len(), 1);
    // Without a server there are no names, and no error.
    let alone = with_abide();
    assert_eq!(words(&alone, &["abide", "task", "start", "x"]), [] as [&str; 0]);
}

#[test]
fn bash_completes_commands_names_and_paths() {
    if !is_installed("bash") {
        return testkit::skip("no bash");
    }
    let house = with_abide();
    house.worker_with(&["--name", "build"], &["cat"]);
    std::fs::create_dir(house.path().join("odd place")).unwrap();
    script(&house, "bash", "abide.bash");
    let mut bash = at_prompt(&house, "bash", &["--norc", "--noprofile"], "source abide.bash");
    completes(&mut bash, "abide scr", "abide screen");
    completes(&mut bash, "abide attach b", "abide attach build");
    completes(&mut bash, "abide attach build --re", "abide attach build --read-only");
    completes(&mut bash, "abide new --cwd od", "abide new --cwd odd place");
    completes(&mut bash, "abide new --cwd=od", "abide new --cwd=odd place");
}

#[test]
fn zsh_completes_commands_names_and_paths_from_the_first_key_on() {
    if !is_installed("zsh") {
        return testkit::skip("no zsh");
    }
    let house = with_abide();
    house.worker_with(&["--name", "build"], &["cat"]);
    std::fs::create_dir(house.path().join("odd place")).unwrap();
    script(&house, "zsh", "functions/_abide");
    let setup = "fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -u -D; bindkey -e";
    let mut zsh = at_prompt(&house, "zsh", &["-f", "-i"], setup);
    completes(&mut zsh, "abide attach b", "abide attach build");
    completes(&mut zsh, "abide scr", "abide screen");
    completes(&mut zsh, "abide new --cwd od", "abide new --cwd odd place");
}

#[test]
fn fish_completes_commands_names_and_paths() {
    if !is_installed("fish") {
        return testkit::skip("no fish");
    }
    let house = with_abide();
    house.worker_with(&["--name", "build"], &["cat"]);
    std::fs::create_dir(house.path().join("odd place")).unwrap();
    script(&house, "fish", ".config/fish/completions/abide.fish");
    let completed = |line: &str| -> Vec<String> {
        let mut fish = Command::new("fish");
        house.settle(fish.args(["-c", &format!("complete --do-complete '{line}'")]));
        let output = fish.output().expect("fish runs");
        let text = String::from_utf8(output.stdout).expect("text");
        text.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(completed("abide scr"), ["screen"]);
    assert_eq!(completed("abide attach b"), ["build"]);
    assert_eq!(completed("abide attach build --re"), ["--read-only"]);
    assert_eq!(completed("abide new --cwd od"), ["odd place/"]);
}
