//! Databases of other releases.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use store::OpenError;

use crate::support::{add_repository, open, place};

/// Every file of a directory: its bytes, its mode, and when it was changed.
fn files(dir: &Path) -> BTreeMap<PathBuf, (Vec<u8>, u32, i64, i64)> {
    let describe = |path: PathBuf| {
        let about = fs::metadata(&path).unwrap();
        let bytes = fs::read(&path).unwrap();
        (path, (bytes, about.mode(), about.mtime(), about.mtime_nsec()))
    };
    fs::read_dir(dir).unwrap().map(|entry| describe(entry.unwrap().path())).collect()
}

#[test]
fn d10_a_newer_database_is_refused_and_not_touched() {
    let (dir, path) = place();
    add_repository(&open(&path).unwrap(), 1);
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    let before = files(dir.path());
    assert_eq!(before.len(), 1);
    let opened = open(&path).map(drop);
    assert_eq!(opened, Err(OpenError::Newer { found: 99, known: 9 }));
    assert!(files(dir.path()) == before);
}

#[test]
fn d10_a_newer_database_is_known_by_its_log_and_keeps_it() {
    let (dir, path) = place();
    add_repository(&open(&path).unwrap(), 1);
    let newer = Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", 99).unwrap();
    newer.execute("UPDATE repositories SET name = 'theirs'", []).unwrap();
    // As it would lie there had the newer program been killed.
    let (killed_dir, killed) = place();
    for name in ["abide.db", "abide.db-wal", "abide.db-shm"] {
        fs::copy(dir.path().join(name), killed_dir.path().join(name)).unwrap();
    }
    let index = killed_dir.path().join("abide.db-shm");
    let without_index = || {
        let mut files = files(killed_dir.path());
        files.remove(&index).expect("SQLite's index to the log");
        files
    };
    let before = without_index();
    let opened = open(&killed).map(drop);
    assert_eq!(opened, Err(OpenError::Newer { found: 99, known: 9 }));
    assert!(without_index() == before);
    let name: String = Connection::open(&killed)
        .unwrap()
        .query_row("SELECT name FROM repositories", [], |row| row.get(0))
        .unwrap();
    assert_eq!(name, "theirs");
}

#[test]
fn a_database_is_the_same_when_it_is_opened_again() {
    let (_dir, path) = place();
    let store = open(&path).unwrap();
    add_repository(&store, 1);
    let before = store.repositories();
    drop(store);
    let store = open(&path).unwrap();
    assert_eq!(store.repositories(), before);
    store.check().unwrap();
}
