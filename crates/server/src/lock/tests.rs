use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::process::{Child, Command, Stdio};

use super::*;

/// The variable that tells the lock-holding process its data directory.
const HOME_OF_HOLDER: &str = "ABIDE_TEST_LOCK_HOME";

fn home() -> (tempfile::TempDir, Home) {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::at(dir.path());
    (dir, home)
}

/// Not a test. Other tests run this as a process of its own, until they kill it.
#[test]
#[ignore = "run by another test as a process of its own"]
fn holds_the_lock_until_it_is_killed() {
    let Some(root) = std::env::var_os(HOME_OF_HOLDER) else { return };
    let lock = ServerLock::take(&Home::at(root)).unwrap();
    lock.announce("http://127.0.0.1:7000", true, "1.2.3").unwrap();
    println!("\nholding");
    loop {
        thread::park();
    }
}

fn holder(home: &Home) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["lock::tests::holds_the_lock_until_it_is_killed", "--exact", "--ignored", "--nocapture"])
        .env(HOME_OF_HOLDER, home.root())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "holding"));
    child
}

#[test]
fn p7_a_second_server_ends_and_names_the_first() {
    let (_dir, home) = home();
    let mut first = holder(&home);
    match ServerLock::take(&home) {
        Err(LockError::Runs { url, pid }) => {
            assert_eq!((url.as_str(), pid), ("http://127.0.0.1:7000", first.id()));
        }
        other => panic!("{other:?}"),
    }
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(ServerNote::running(&home).is_none(), "the note of a killed server does not count");
    let _next = ServerLock::take(&home).expect("after a kill the next server starts");
}

#[test]
fn p7_processes_that_a_server_started_do_not_hold_its_lock() {
    let (_dir, home) = home();
    let lock = ServerLock::take(&home).unwrap();
    let mut child = Command::new("sleep").arg("100").spawn().unwrap();
    drop(lock);
    let again = ServerLock::take(&home);
    child.kill().unwrap();
    child.wait().unwrap();
    again.unwrap();
}

#[test]
fn a_server_without_a_note_still_holds_the_lock() {
    let (_dir, home) = home();
    let _first = ServerLock::take(&home).unwrap();
    let second = ServerLock::take_within(&home, Duration::from_millis(50));
    assert!(matches!(second, Err(LockError::Busy)), "{second:?}");
}

#[test]
fn only_the_user_can_read_the_note_and_it_is_removed_with_the_lock() {
    let (_dir, home) = home();
    let lock = ServerLock::take(&home).unwrap();
    lock.announce("http://127.0.0.1:7000", true, "1.2.3").unwrap();
    let note = ServerNote::running(&home).unwrap();
    assert_eq!((note.url.as_str(), note.release.as_str()), ("http://127.0.0.1:7000", "1.2.3"));
    assert_eq!(note.socket_path(&home), Some(home.server_socket()));
    assert_eq!(note.identity, Identity::own().unwrap());
    assert_eq!(fs::metadata(home.server_note()).unwrap().mode() & 0o777, 0o600);
    drop(lock);
    assert!(!home.server_note().exists());
}

#[test]
fn s33_the_server_does_not_follow_a_link_to_a_lock() {
    let (dir, home) = home();
    let target = dir.path().join("elsewhere");
    std::os::unix::fs::symlink(&target, dir.path().join("server.lock")).unwrap();
    assert!(matches!(ServerLock::take(&home), Err(LockError::Io { .. })));
    assert!(!target.exists());
}

/// The variable that tells the second run of a test its data directory, which is read-only.
const READ_ONLY_HOME: &str = "ABIDE_TEST_READ_ONLY_HOME";

#[test]
fn d8_on_a_read_only_disk_there_is_still_only_one_server() {
    if let Some(root) = std::env::var_os(READ_ONLY_HOME) {
        let home = Home::at(root);
        let first = ServerLock::take(&home).unwrap();
        let second = ServerLock::take_within(&home, Duration::ZERO);
        assert!(matches!(second, Err(LockError::Busy)), "{second:?}");
        assert!(
            first.announce("http://127.0.0.1:7000", true, "1.2.3").is_err(),
            "a note cannot be written to a read-only disk"
        );
        return;
    }
    let (_dir, home) = home();
    let script = format!("mount -t tmpfs -o ro none \"${READ_ONLY_HOME}\" || exit 77; exec \"$@\"");
    let again = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script, "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", thread::current().name().unwrap()])
        .env(READ_ONLY_HOME, home.root())
        .output();
    match again {
        Ok(output) if output.status.code() == Some(77) => {
            testkit::skip("no mounts in a namespace of our own here");
        }
        Ok(output) => {
            let told = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && told.contains("1 passed"), "the second run:\n{told}");
        }
        Err(error) => testkit::skip(&format!("no read-only disk: unshare: {error}")),
    }
}
