//! Databases that are damaged or not there.

use std::fs;
use std::path::{Path, PathBuf};

use store::{OpenError, SessionFilter, TaskFilter, set_aside};
use testkit::Random;

use crate::support::{active_task, add_repository, agent, archive, at, new_task_session, open, place};

/// A database with something in it, at rest.
fn fill(path: &Path) {
    let store = open(path).unwrap();
    let repository = add_repository(&store, 1);
    for number in 0..20 {
        let task = active_task(&store, repository).id;
        store.begin_session(task, &new_task_session(number), &agent(number), at(1)).unwrap();
    }
    drop(store);
    // Damage to free pages harms nothing and is not noticed, so this database has none.
    rusqlite::Connection::open(path).unwrap().execute_batch("VACUUM").unwrap();
}

#[track_caller]
fn assert_corrupt(path: &Path) {
    let opened = open(path);
    assert!(matches!(opened, Err(OpenError::Corrupt { .. })), "{opened:?}");
}

fn names(dir: &Path) -> Vec<PathBuf> {
    let mut names: Vec<_> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into()).collect();
    names.sort();
    names
}

#[test]
fn d9_a_file_that_is_not_a_database_is_reported_as_damaged() {
    let (_dir, path) = place();
    fs::write(&path, b"{}\n").unwrap();
    assert_corrupt(&path);
    fs::write(&path, vec![7; 100_000]).unwrap();
    assert_corrupt(&path);
    fs::remove_file(&path).unwrap();
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    assert_corrupt(&path);
}

#[test]
fn d9_pages_that_are_lost_or_overwritten_are_noticed_at_the_start() {
    let (_dir, path) = place();
    fill(&path);
    let sound = fs::read(&path).unwrap();
    fs::write(&path, &sound[..sound.len() / 2]).unwrap();
    assert_corrupt(&path);
    for page in 1..sound.len() / 4096 {
        let mut damaged = sound.clone();
        damaged[page * 4096..(page + 1) * 4096].fill(0xa5);
        fs::write(&path, damaged).unwrap();
        assert_corrupt(&path);
    }
    fs::write(&path, sound).unwrap();
    open(&path).unwrap().check().unwrap();
}

#[test]
fn d9_any_damage_is_an_error_and_never_a_panic() {
    let (_dir, path) = place();
    fill(&path);
    let sound = fs::read(&path).unwrap();
    let (mut refused, mut read) = (0, 0);
    for seed in 0..80 {
        let mut random = Random::new(seed);
        let mut damaged = sound.clone();
        for _ in 0..random.between(1, 4) {
            let start = random.below(damaged.len());
            let end = (start + random.between(1, 40)).min(damaged.len());
            damaged[start..end].fill_with(|| random.number() as u8);
        }
        fs::write(&path, damaged).unwrap();
        let Ok(store) = open(&path) else {
            refused += 1;
            continue;
        };
        read += 1;
        let _ = store.repositories();
        let _ = store.worktrees(None);
        let _ = store.sessions_with_workers(SessionFilter::All);
        for task in store.tasks(TaskFilter::default()).unwrap_or_default() {
            let _ = archive(&store, task.id, at(5), None, true);
            let _ = store.session_logs(task.id);
        }
    }
    assert!(refused > 10 && read > 5, "of both kinds there are some: {refused} and {read}");
}

#[test]
fn d9_a_damaged_database_is_set_aside_with_all_that_belongs_to_it() {
    let (dir, path) = place();
    for (name, text) in [("abide.db", "broken"), ("abide.db-wal", "log"), ("abide.db-shm", "index")] {
        fs::write(dir.path().join(name), text).unwrap();
    }
    let aside = set_aside(&path, at(0)).unwrap();
    assert_eq!(aside, dir.path().join("abide.db.broken-20250301T120000Z"));
    assert_eq!(fs::read(&aside).unwrap(), b"broken");
    let aside_names =
        ["", "-shm", "-wal"].map(|end| PathBuf::from(format!("abide.db.broken-20250301T120000Z{end}")));
    assert_eq!(names(dir.path()), aside_names);
    open(&path).expect("a new one takes its place").check().unwrap();

    fs::write(&path, "broken again").unwrap();
    let second = set_aside(&path, at(0)).unwrap();
    assert_eq!(second, dir.path().join("abide.db.broken-20250301T120000Z-2"));
    assert_eq!(fs::read(&aside).unwrap(), b"broken", "nothing is overwritten");
    assert!(set_aside(&path, at(1)).is_err(), "there is nothing");
}

#[test]
fn d9_a_database_that_was_deleted_is_made_anew() {
    let (_dir, path) = place();
    fill(&path);
    fs::remove_file(&path).unwrap();
    let store = open(&path).unwrap();
    assert_eq!(store.repositories(), Ok(Vec::new()));
    drop(store);
    fs::write(&path, b"").unwrap();
    assert_eq!(open(&path).unwrap().repositories(), Ok(Vec::new()));
}

#[test]
fn d9_a_log_without_its_database_is_ignored() {
    let (dir, path) = place();
    let store = open(&path).unwrap();
    add_repository(&store, 1);
    let other = dir.path().join("other.db");
    fs::copy(dir.path().join("abide.db-wal"), dir.path().join("other.db-wal")).unwrap();
    assert_eq!(open(&other).unwrap().repositories(), Ok(Vec::new()));
}
