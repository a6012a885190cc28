use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use rustix::process::geteuid;

use super::*;
use crate::Process;
use crate::linux::soon::soon;

/// A program that has started once it says so: until then, the new process still looks like this one.
fn shell(change: impl FnOnce(&mut Command)) -> Child {
    let mut command = Command::new("sh");
    command.args(["-c", "echo ready; read line", "an argument"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    change(&mut command);
    let mut child = command.spawn().unwrap();
    let mut said = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
    assert_eq!(said, "ready\n");
    child
}

fn end(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_process_is_described_as_it_was_started() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().canonicalize().unwrap();
    let child = shell(|command| {
        command.env("SYSTEM_TEST", "a=b").current_dir(&place).process_group(0);
    });
    let pid = child.id();
    assert!(all().any(|other| other == pid));
    assert_eq!(directory(pid), Some(place));
    assert_eq!(arguments(pid).unwrap(), ["sh", "-c", "echo ready; read line", "an argument"]);
    assert!(environment(pid).unwrap().contains(&("SYSTEM_TEST".into(), "a=b".into())));
    assert!(has_variable(pid, "SYSTEM_TEST", "a=b"));
    assert!(!has_variable(pid, "SYSTEM_TEST", "a"));
    assert!(!has_variable(pid, "SYSTEM", "a=b"));
    assert_eq!(group(pid), Some(pid), "it leads a group of its own");
    assert_eq!(user(pid), Some(geteuid().as_raw()));
    assert_eq!(name(pid).as_deref(), Some("sh"));
    assert!(program(pid).unwrap().is_absolute());
    assert_eq!(service_group(pid), service_group(this()), "children stay in their parent's");
    end(child);
}

#[test]
fn an_unknown_process_has_no_description() {
    let none = u32::MAX;
    assert_eq!((arguments(none), environment(none), start(none)), (None, None, None));
    assert_eq!((directory(none), program(none), standard_input(none)), (None, None, None));
    assert_eq!((name(none), user(none), service_group(none)), (None, None, None));
    assert_eq!((group(none), foreground_group(none), children(none)), (None, None, vec![]));
    assert!(!has_variable(none, "PATH", ""));
}

#[test]
fn an_ended_process_has_no_start_time_even_before_it_is_collected() {
    let mut child = shell(|_| {});
    let pid = child.id();
    let process = Process::open(pid).unwrap();
    assert!(start(pid) >= start(this()), "it started after us");
    assert_eq!(start(pid), start(pid));
    child.kill().unwrap();
    assert_eq!(process.ends_before(soon()), Ok(true));
    assert!(all().any(|other| other == pid), "it is still listed");
    assert_eq!(start(pid), None);
    child.wait().unwrap();
}

#[test]
fn the_standard_input_of_a_process_is_known() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let child = Command::new("sleep").arg("600").stdin(file.reopen().unwrap()).spawn().unwrap();
    assert_eq!(standard_input(child.id()), Some(file.path().canonicalize().unwrap()));
    end(child);
}

#[test]
fn a_process_dies_of_signals_that_it_neither_handles_ignores_nor_blocks() {
    let mut command = Command::new("sh");
    let script = "trap : USR1; trap '' USR2; echo ready; read line";
    let mut shell =
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(shell.stdout.take().unwrap()).read_line(&mut said).unwrap();
    assert!(!dies_of(shell.id(), Signal::USR1) && !dies_of(shell.id(), Signal::USR2));
    assert!(dies_of(shell.id(), Signal::TERM) && dies_of(shell.id(), Signal::KILL));
    drop(shell.stdin.take());
    shell.wait().unwrap();
    assert!(holds("SigCgt:\t0000000000000200\n", "SigCgt:", Signal::USR1));
    assert!(!holds("SigCgt:\tnone\n", "SigCgt:", Signal::USR1));
}

#[test]
fn the_children_of_a_process_are_known() {
    let mut command = Command::new("sh");
    let script = "sleep 600 & echo $!; read line; kill $!";
    let mut shell =
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(shell.stdout.take().unwrap()).read_line(&mut said).unwrap();
    let child = Pid::from_raw(said.trim_end().parse().unwrap()).unwrap();
    assert_eq!(children(shell.id()), [child]);
    drop(shell.stdin.take());
    shell.wait().unwrap();
}

#[test]
fn the_service_managers_hierarchy_is_the_one_that_counts() {
    let new = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/abide.service\n";
    assert!(parse_service_group(new).unwrap().ends_with("/abide.service"));
    let both = "12:pids:/p\n1:name=systemd:/user.slice/session-2.scope\n0::/\n";
    assert_eq!(parse_service_group(both).unwrap(), "/user.slice/session-2.scope");
    assert_eq!(parse_service_group("4:memory:/m\n"), None);
}
