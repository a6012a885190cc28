//! S38: secrets that programs print in every way are not found at rest, nor in what leaves.

use std::fs;
use std::path::Path;

use crate::house::House;
use crate::planted::{PLANTED, at_rest_with};

/// Secrets of several kinds, put together here so that no scanner takes this file for a leak.
fn secrets() -> Vec<String> {
    vec![
        format!("ghp_{}", "aB3dE5fG7hJ9".repeat(3)),
        format!("sk-ant-api03-{}", "Zx9Cv8Bn7Mq6".repeat(8)),
        format!("AKIA{}", "IOSFODNN7QWERTYU"),
        format!("xoxb-123456789012-{}", "a1B2c3D4e5F6g7H8i9J0k1L2"),
        "correct-horse-battery-9".to_owned(),
    ]
}

/// A program that prints secrets in many ways: plain, coloured, letter by letter with the cursor moved away and back,
/// wrapped, drawn over, in a title, and over a full screen.
fn program(secrets: &[String], house: &Path) -> String {
    let mut script = String::from("import sys, os, time\nw = sys.stdout.write\n");
    script += &format!("secrets = {secrets:?}\nsecrets.append(os.environ['PLANTED_TOKEN'])\n");
    script += r#"
for s in secrets:
    named = f'password={s}' if s.startswith('correct') else s
    w(f'plain {named} end\r\n')
    w('colours ' + ''.join(f'\x1b[3{i % 8}m{c}' for i, c in enumerate(named)) + '\x1b[m end\r\n')
    w('moves ' + ''.join(c + '\x1b7\x1b[1;1H\x1b8' for c in named) + '\r\n')
    w('typed ')
    for i, c in enumerate(named):
        w(c + '\b' * min(i + 1, 9) + named[max(0, i - 8):i + 1])
    w('\r\n' + ' ' * 60 + named + '\r\n')
    w(f'\x1b]0;title {named}\x07')
    w('\x1b[?1049h')
    for row in range(1, 10):
        w(f'\x1b[{row};{row}H{named}')
    w('\x1b[?1049l')
    sys.stdout.flush()
for i in range(300):
    w(f'line {i}\r\n')
sys.stdout.flush()
sys.stdin.readline()
"#;
    let path = house.join("prints.py");
    fs::write(&path, script).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn s38_no_planted_secret_is_found_at_rest_or_in_what_leaves() {
    let house = House::new();
    let outside = tempfile::tempdir().unwrap();
    let secrets = secrets();
    let script = program(&secrets, outside.path());
    let worker = house.worker_with(&["--name", "leaky", "--size", "80x24"], &["python3", &script]);
    testkit::Watcher::watch(&worker).wait_for("line 299");
    check_what_leaves(&house, outside.path(), &secrets);
    worker.send(b"\r");
    worker.wait_for_rest();
    check_what_leaves(&house, outside.path(), &secrets);
    for secret in secrets.iter().map(String::as_str).chain([PLANTED]) {
        assert_eq!(at_rest_with(house.path(), secret), Vec::<std::path::PathBuf>::new(), "{secret}");
    }
}

/// Nothing that the commands give out has a secret in it, whether the recording is at rest or not.
fn check_what_leaves(house: &House, outside: &Path, secrets: &[String]) {
    let mut given = vec![
        house.output(["logs", "leaky"]),
        house.output(["logs", "leaky", "--raw"]),
        house.output(["search", "plain|colours|moves|typed", "-C", "3"]),
        house.output(["search", "--json", "plain"]),
    ];
    for format in ["asciicast", "text", "html", "player", "svg"] {
        let file = outside.join(format);
        house.output(["export", "leaky", "--format", format, "-o", file.to_str().unwrap()]);
        given.push(fs::read_to_string(file).unwrap());
    }
    for secret in secrets.iter().map(String::as_str).chain([PLANTED]) {
        for given in &given {
            assert!(!given.contains(secret), "{secret} in {}", &given[..given.len().min(300)]);
        }
        let found = house.run(["search", "--fixed", secret]);
        assert_eq!(found.status.code(), Some(1), "{}", String::from_utf8_lossy(&found.stdout));
    }
    assert!(given[0].contains("plain ***REDACTED***"), "{}", &given[0][..200]);
    assert!(given[0].contains("password=***REDACTED***"));
}

#[test]
fn a_recording_stays_unmasked_if_the_user_wants_that() {
    let house = House::new();
    let secret = &secrets()[0];
    let house = house.setting("ABIDE_MASK", "never");
    let worker = house.worker_with(
        &["--name", "kept"],
        &["sh", "-c", &format!("printf 'key {}%s\\n' {}", &secret[..8], &secret[8..])],
    );
    worker.wait_for_rest();
    assert!(!at_rest_with(&worker.dir.recording(), secret).is_empty(), "it is kept");
    for arguments in
        [&["logs", "kept"][..], &["logs", "kept", "--raw"], &["search", "key"], &["export", "kept"]]
    {
        let given = house.output(arguments);
        assert!(given.contains("key ***REDACTED***") && !given.contains(secret), "{arguments:?}: {given}");
    }
}

#[test]
fn s38_a_mistake_in_the_users_rules_leaves_no_secret_at_rest() {
    let house = House::new();
    fs::write(house.home().mask_file(), "no = sense").unwrap();
    // Every script of a house prints planted secrets first.
    let worker = house.script("echo ready; read x");
    testkit::Watcher::watch(&worker).wait_for("ready");
    worker.send(b"\r");
    worker.wait_for_rest();
    assert_eq!(at_rest_with(house.path(), PLANTED), Vec::<std::path::PathBuf>::new());
}
