//! A disk that refuses writes, and accepts them again later.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use store::{OpenError, StoreError, Trouble};

use crate::support::{at, in_memory, open, place, quick, session_id};
use testkit::again;

/// What an audit entry or a notice may hold, so that disks get full soon.
const LARGE: usize = 20_000;

#[test]
fn d7_a_locked_database_is_read_and_is_written_again_when_it_is_free() {
    let (_dir, path) = place();
    let store = open(&path).unwrap();
    store.create_session(&quick(1), None, at(1)).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = store.create_session(&quick(2), None, at(1));
    assert_eq!(refused, Err(StoreError::Unavailable { reason: Trouble::Locked }));
    store.session(session_id(1)).expect("reads go on");
    other.execute_batch("COMMIT").unwrap();
    store.create_session(&quick(2), None, at(1)).expect("writes go on");
}

/// Runs the calling test again on a small disk of its own, in the directory that the second run gets.
fn on_a_small_disk() -> Option<PathBuf> {
    if let Some(dir) = again::directory() {
        return Some(dir);
    }
    let shell = ["unshare", "--user", "--map-root-user", "--mount", "sh"];
    let script = r#"mount -t tmpfs -o size=3m tmpfs "$dir" && exec "$@""#;
    match again::run(&shell, script) {
        Ok(output) if output.stdout.is_empty() => {
            testkit::skip(&format!("no small disk: {}", String::from_utf8_lossy(&output.stderr)));
        }
        Ok(output) => again::assert_passed(&output),
        Err(error) => testkit::skip(&format!("no small disk: unshare: {error}")),
    }
    None
}

fn mount(options: &[&str], dir: &Path) {
    let status = std::process::Command::new("mount").args(options).arg(dir).status();
    assert!(status.expect("there is a mount program").success());
}

#[test]
fn d7_a_full_disk_is_read_and_is_written_again_when_it_has_room() {
    let Some(dir) = on_a_small_disk() else { return };
    let store = open(&dir.join("abide.db")).unwrap();
    store.create_session(&quick(1), None, at(1)).unwrap();
    let filler = dir.join("filler");
    fs::write(&filler, vec![0; 1_500_000]).unwrap();
    let mut written = 0;
    let refused = loop {
        match store.add_notice(session_id(1), &"x".repeat(LARGE)) {
            Ok(_) => written += 1,
            Err(error) => break error,
        }
        assert!(written < 1000, "the disk does not get full");
    };
    assert_eq!(refused, StoreError::Unavailable { reason: Trouble::Full });
    for _ in 0..3 {
        let again = store.add_notice(session_id(1), &"x".repeat(LARGE));
        assert_eq!(again, Err(StoreError::Unavailable { reason: Trouble::Full }));
        let notices = store.session(session_id(1)).expect("reads go on").notices;
        assert_eq!(notices.len(), written, "all accepted notices are there, and no others");
    }
    fs::remove_file(&filler).unwrap();
    store.add_notice(session_id(1), "there is room").expect("writes go on");
    assert_eq!(store.session(session_id(1)).unwrap().notices[written], "there is room");
    store.check().unwrap();
}

#[test]
fn d8_a_disk_that_is_full_at_the_start_is_not_reported_as_damage() {
    let Some(dir) = on_a_small_disk() else { return };
    let path = dir.join("abide.db");
    drop(open(&path).unwrap());
    let mut room: usize = 3 << 20;
    // The last byte, by and by.
    let mut filled = Vec::new();
    while room > 0 {
        let filler = dir.join(format!("filler-{}", filled.len()));
        match fs::write(&filler, vec![0; room]) {
            Ok(()) => filled.push(filler),
            Err(_) => {
                let _ = fs::remove_file(&filler);
                room /= 2;
            }
        }
    }
    let full = open(&path);
    assert!(matches!(full, Err(OpenError::Unavailable { .. })), "{full:?}");
    for filler in filled {
        fs::remove_file(filler).unwrap();
    }
    open(&path).expect("it was left sound").check().unwrap();
}

#[test]
fn d8_a_disk_that_is_read_only_at_the_start_is_not_reported_as_damage() {
    let Some(dir) = on_a_small_disk() else { return };
    let path = dir.join("abide.db");
    mount(&["-o", "remount,ro"], &dir);
    assert!(matches!(open(&path), Err(OpenError::Unavailable { reason: Trouble::ReadOnly })));
    mount(&["-o", "remount,rw"], &dir);
    let store = open(&path).unwrap();
    store.create_session(&quick(1), None, at(1)).unwrap();
    drop(store);
    mount(&["-o", "remount,ro"], &dir);
    assert!(matches!(open(&path), Err(OpenError::Unavailable { reason: Trouble::ReadOnly })));
    let instead = in_memory();
    instead.create_session(&quick(1), None, at(1)).expect("a server can do without its disk");
}

#[test]
fn a_database_that_cannot_be_opened_is_out_of_reach() {
    let (dir, path) = place();
    let beyond = open(&dir.path().join("nowhere/abide.db"));
    assert!(matches!(beyond, Err(OpenError::Unavailable { reason: Trouble::OutOfReach })));
    fs::create_dir(&path).unwrap();
    assert!(matches!(open(&path), Err(OpenError::Unavailable { reason: Trouble::OutOfReach })));
}
