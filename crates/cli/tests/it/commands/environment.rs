//! The directory, the command and the environment of a child.

use std::collections::BTreeMap;
use std::fs;

use crate::house::{House, Worker};

/// The environment of a worker's child, once it has ended.
fn environment(house: &House, worker: &Worker) -> BTreeMap<String, String> {
    worker.wait_for_exit();
    let text = house.output(["logs", "--raw", &worker.name]);
    text.lines().filter_map(|line| line.split_once('=')).map(|(n, v)| (n.to_owned(), v.to_owned())).collect()
}

#[test]
fn s31_a_childs_environment_is_built_not_inherited() {
    let foreign = [
        "TMUX",
        "TMUX_PANE",
        "STY",
        "CLAUDECODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "CODEX_SANDBOX",
        "VSCODE_PID",
        "NOTIFY_SOCKET",
        "LISTEN_FDS",
        "INVOCATION_ID",
        "COLUMNS",
        "LINES",
        "KITTY_WINDOW_ID",
        "TERM_SESSION_ID",
        "ABIDE_SIZE",
    ];
    let house = foreign.iter().fold(House::new(), |house, name| {
        house.setting(name, if *name == "ABIDE_SIZE" { "90x30" } else { "1" })
    });
    let house = house.setting("TERM", "dumb").setting("COLORTERM", "no").setting("EDITOR", "mine");
    let worker = house.worker(&["env"]);
    let environment = environment(&house, &worker);
    for name in foreign {
        assert!(!environment.contains_key(name), "{name}: {environment:?}");
    }
    let id = worker.dir.id();
    let expected = [
        ("TERM", "xterm-256color"),
        ("COLORTERM", "truecolor"),
        ("TERM_PROGRAM", "abide"),
        ("TERM_PROGRAM_VERSION", env!("CARGO_PKG_VERSION")),
        ("EDITOR", "mine"),
        ("ABIDE_WORKER", id.as_str()),
        ("ABIDE_HOME", house.path().to_str().unwrap()),
        ("PWD", house.path().to_str().unwrap()),
    ];
    for (name, value) in expected {
        assert_eq!(environment.get(name).map(String::as_str), Some(value), "{name}: {environment:?}");
    }
    let malloc = environment.keys().find(|name| name.starts_with("MALLOC_"));
    assert_eq!(malloc, None, "how the host uses its memory is not the child's");
}

#[test]
fn requested_variables_override_all_others() {
    let house = House::new().setting("EDITOR", "mine");
    let worker =
        house.worker_with(&["--env", "EDITOR=yours", "--env", "A=b=c d", "--env", "TMUX=wanted"], &["env"]);
    let environment = environment(&house, &worker);
    for (name, value) in [("EDITOR", "yours"), ("A", "b=c d"), ("TMUX", "wanted")] {
        assert_eq!(environment.get(name).map(String::as_str), Some(value), "{name}: {environment:?}");
    }
}

#[test]
fn a_worker_starts_where_it_was_told() {
    let house = House::new();
    let place = house.path().join("a place");
    fs::create_dir(&place).unwrap();
    let link = house.path().join("link");
    std::os::unix::fs::symlink(&place, &link).unwrap();
    for (asked, pwd) in
        [("a place", &place), (place.to_str().unwrap(), &place), (link.to_str().unwrap(), &link)]
    {
        let worker = house.worker_with(&["--cwd", asked], &["sh", "-c", "env | grep ^PWD=; ls -id ."]);
        worker.wait_for_exit();
        let inode = std::os::unix::fs::MetadataExt::ino(&fs::metadata(&place).unwrap());
        let expected = format!("PWD={}\n{inode} .\n", pwd.display());
        assert_eq!(house.output(["logs", "--raw", &worker.name]).replace("\r\n", "\n"), expected);
    }
}

#[test]
fn without_a_command_the_users_shell_is_started() {
    let house = House::new();
    let worker = house.called(house.output(["new", "-d"]).trim());
    assert_eq!(worker.name, "sh");
    worker.send(b"echo $((6*7)); exit 4\r");
    assert_eq!(worker.wait_for_exit().status.code(), 4);
    // The prompt may come before or after the line is typed.
    let text = house.output(["logs", "sh"]);
    assert!(text.lines().any(|line| line.trim_start_matches("$ ") == "42"), "{text}");
}
