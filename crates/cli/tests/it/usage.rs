//! Messages for missing or wrong arguments.

use crate::abide::failure;
use crate::house::House;

#[test]
fn bare_abide_says_how_to_start_a_worker_when_there_is_none() {
    let words = House::new().output([] as [&str; 0]);
    for expected in ["No workers", "`abide new`", "Ctrl-\\ d", "`abide help`"] {
        assert!(words.contains(expected), "{expected}:\n{words}");
    }
}

#[test]
fn help_names_every_command() {
    let words = House::new().output(["help"]);
    for command in [
        "new",
        "attach",
        "ls",
        "screen",
        "send",
        "wait",
        "kill",
        "rm",
        "logs",
        "replay",
        "search",
        "export",
        "import",
        "mask",
        "gc",
        "upgrade",
        "serve",
        "open",
        "repo",
        "task",
        "session",
        "agent",
        "transcript",
        "usage",
        "service",
        "doctor",
        "completions",
        "man",
        "debug",
    ] {
        assert!(words.contains(&format!("\n  {command} ")), "{command}:\n{words}");
    }
}

/// Runs `abide` in an empty data directory, where it must fail with this code; gives its words.
fn refused(arguments: &[&str], code: i32) -> String {
    let output = House::new().run(arguments);
    let words = String::from_utf8(output.stderr).expect("words");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {words}");
    assert!(words.starts_with("error: "), "{arguments:?}: {words}");
    assert!(code == 2 || words.contains("\nhint: "), "{arguments:?} has no way on: {words}");
    words
}

#[test]
fn an_unknown_worker_is_refused_with_a_hint() {
    for arguments in [
        &["attach", "nobody"][..],
        &["screen", "nobody"],
        &["send", "nobody", "text"],
        &["wait", "nobody"],
        &["kill", "nobody"],
        &["rm", "nobody"],
        &["logs", "nobody"],
        &["search", "text", "nobody"],
        &["export", "nobody"],
        &["upgrade", "nobody"],
    ] {
        let words = refused(arguments, 125);
        assert!(words.contains("there is no worker `nobody`") && words.contains("`abide ls`"), "{words}");
    }
}

#[test]
fn new_without_a_terminal_is_refused_with_a_hint() {
    let words = refused(&["new"], 125);
    assert!(words.contains("not a terminal") && words.contains("`-d`"), "{words}");
}

#[test]
fn n4_a_new_worker_starts_in_the_given_directory_or_not_at_all() {
    for place in ["no-such-directory", "/no/such/directory", "/proc/version"] {
        let words = refused(&["new", "-d", "--cwd", place], 125);
        assert!(words.contains(place) && words.contains("--cwd"), "{words}");
    }
}

#[test]
fn n1_odd_names_and_variables_are_refused_with_a_reason() {
    for name in ["", "a b", "-x", "a/b", "\u{1b}[31m"] {
        let option = format!("--name={name}");
        assert!(refused(&["new", "-d", &option], 2).contains("name"), "{name:?}");
    }
    assert!(refused(&["new", "-d", "--env", "NOTHING"], 2).contains("NOTHING"));
}

#[test]
fn n1_a_command_in_another_encoding_is_refused_with_a_reason() {
    let odd = std::os::unix::ffi::OsStringExt::from_vec(b"caf\xe9".to_vec());
    let arguments: [std::ffi::OsString; 4] = ["new".into(), "-d".into(), "--".into(), odd];
    let output = House::new().run(arguments);
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{words}");
    assert!(words.contains("not valid UTF-8") && words.contains("hint: "), "{words}");
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    for arguments in [
        &["wait", "x", "--exit", "--text", "y"][..],
        &["wait", "x", "--text", "("],
        &["wait", "x", "--timeout", "soon"],
        &["send", "x", "text", "--keys", "Up"],
        &["kill", "x", "--signal", "LOUD"],
        &["upgrade"],
        &["upgrade", "x", "--all"],
        &["rm"],
        &["screen", "x", "--format", "pdf"],
    ] {
        refused(arguments, 2);
    }
}

#[test]
fn impossible_sizes_are_refused_with_the_allowed_range() {
    for (option, value, way_on) in [
        ("--cols", "0", "columns from 2 to 1000"),
        ("--cols", "-5", "columns from 2 to 1000"),
        ("--cols", "wide", "columns from 2 to 1000"),
        ("--rows", "0", "rows from 1 to 1000"),
        ("--resize", "120", "as in 120x40"),
        ("--resize", "0x40", "as in 120x40"),
    ] {
        let words = failure(&["debug", "snapshot", option, value], 2);
        assert!(words.starts_with("error: ") && words.contains(way_on), "{option} {value}:\n{words}");
    }
}

#[test]
fn unknown_forms_and_commands_are_refused_with_the_known_ones() {
    let words = failure(&["debug", "snapshot", "--form", "pdf"], 2);
    assert!(words.contains("full, screen, text, html"), "{words}");
    let words = failure(&["debug", "snapsot"], 2);
    assert!(words.contains("snapshot"), "{words}");
}

#[test]
fn a_shell_without_a_terminal_is_refused_with_a_hint() {
    let words = failure(&["debug", "shell"], 125);
    assert!(words.starts_with("error: ") && words.contains("\nhint: "), "{words}");
}
