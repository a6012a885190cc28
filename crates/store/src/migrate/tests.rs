use std::env;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::Instant;

use tempfile::TempDir;

use super::*;

const FIRST: Migration = "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
                          INSERT INTO things VALUES (1, 'one'), (2, 'two');";
/// Makes a table anew, under one that refers to it.
const SECOND: Migration = "CREATE TABLE parts (thing INTEGER NOT NULL REFERENCES things (id)) STRICT;
                           INSERT INTO parts SELECT id FROM things;
                           CREATE TABLE new_things (id INTEGER PRIMARY KEY, name TEXT, size INTEGER) STRICT;
                           INSERT INTO new_things SELECT id, name, 0 FROM things;
                           DROP TABLE things;
                           ALTER TABLE new_things RENAME TO things;";
/// Takes a while.
const THIRD: Migration =
    "WITH RECURSIVE numbers (n) AS (SELECT 3 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
                          INSERT INTO things SELECT n, 'number ' || n, n FROM numbers;
                          UPDATE things SET name = name || '!';";
const ALL: &[Migration] = &[FIRST, SECOND, THIRD];

/// Tells a second process which database to migrate.
const DATABASE: &str = "ABIDE_TEST_MIGRATE";

/// A database of the first version.
fn old() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("abide.db");
    drop(connect::writer(&path, &ALL[..1]).unwrap());
    (dir, path)
}

/// The version of a sound database, and how many things are in it.
fn read(path: &Path) -> (u32, u32) {
    let connection = Connection::open(path).unwrap();
    let sound: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok", "{}", path.display());
    let things = connection.query_row("SELECT count(*) FROM things", [], |row| row.get(0)).unwrap();
    (version(&connection).unwrap(), things)
}

fn backup(path: &Path, version: u32) -> PathBuf {
    file::beside(path, &format!(".before-{version}"))
}

#[test]
fn every_migration_of_ours_gives_a_sound_database() {
    let mut connection = Connection::open_in_memory().unwrap();
    for (migration, to) in MIGRATIONS.iter().zip(1..) {
        step(&mut connection, migration, to).unwrap();
    }
    let sound: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
}

#[test]
fn d11_an_older_database_is_copied_before_it_is_changed() {
    let (_dir, path) = old();
    drop(connect::writer(&path, ALL).unwrap());
    assert_eq!(read(&path), (3, 20_000));
    assert_eq!(read(&backup(&path, 3)), (1, 2));
    assert_eq!(fs::metadata(backup(&path, 3)).unwrap().mode() & 0o777, 0o600);
    assert!(!file::beside(&backup(&path, 3), ".new").exists());
}

#[test]
fn a_new_database_and_one_that_is_up_to_date_are_not_copied() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("abide.db");
    for _ in 0..2 {
        drop(connect::writer(&path, ALL).unwrap());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
    assert_eq!(read(&path), (3, 20_000));
}

#[test]
fn d11_a_migration_that_fails_leaves_what_was_there() {
    let broken = "DELETE FROM things; INSERT INTO nowhere VALUES (1);";
    let dangling = "DELETE FROM things WHERE id = 1;";
    for failing in [broken, dangling] {
        let (_dir, path) = old();
        connect::writer(&path, &[FIRST, SECOND, failing]).unwrap_err();
        assert_eq!(read(&path), (2, 2), "the steps before it were taken");
        assert_eq!(read(&backup(&path, 3)), (1, 2));
        drop(connect::writer(&path, ALL).unwrap());
        assert_eq!(read(&path), (3, 20_000));
    }
}

#[test]
fn d11_a_database_is_copied_wherever_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let odd = dir.path().join(std::ffi::OsStr::from_bytes(b"file:%20 '\xff?mode=ro"));
    fs::create_dir(&odd).unwrap();
    let path = odd.join("abide.db");
    drop(connect::writer(&path, &ALL[..1]).unwrap());
    drop(connect::writer(&path, ALL).unwrap());
    assert_eq!(read(&backup(&path, 3)), (1, 2));
}

#[test]
fn d11_a_copy_that_was_not_finished_is_made_again() {
    let (_dir, path) = old();
    fs::write(file::beside(&backup(&path, 3), ".new"), b"half a cop").unwrap();
    drop(connect::writer(&path, ALL).unwrap());
    assert_eq!(read(&backup(&path, 3)), (1, 2));
}

#[test]
fn d11_a_process_killed_at_any_instant_of_a_migration_leaves_the_old_or_the_new() {
    if let Some(path) = env::var_os(DATABASE).map(PathBuf::from) {
        drop(connect::writer(&path, ALL).unwrap());
        return;
    }
    let migrate = |path: &Path| {
        let test = thread::current().name().expect("the harness names a test's thread").to_owned();
        let mut again = Command::new(env::current_exe().unwrap());
        again.args(["--exact", &test, "--nocapture"]).env(DATABASE, path).stdout(std::process::Stdio::null());
        again.spawn().unwrap()
    };
    let (_dir, path) = old();
    let start = Instant::now();
    assert!(migrate(&path).wait().unwrap().success());
    let whole = start.elapsed();
    let mut versions = Vec::new();
    for part in 0..12 {
        let (_dir, path) = old();
        let mut migrating = migrate(&path);
        thread::sleep(whole * part / 12);
        migrating.kill().unwrap();
        migrating.wait().unwrap();
        let (version, things) = read(&path);
        assert_eq!(things, if version == 3 { 20_000 } else { 2 }, "version {version}");
        if version > 1 || backup(&path, 3).exists() {
            assert_eq!(read(&backup(&path, 3)), (1, 2));
        }
        drop(connect::writer(&path, ALL).unwrap());
        assert_eq!(read(&path), (3, 20_000));
        versions.push(version);
    }
    println!("killed at versions {versions:?}");
}
