//! Databases that are gone, damaged or from another release.

use std::fs;
use std::path::PathBuf;

use api::{Session, SessionKind, Worker, WorkerState, Worktree, WorktreeState};
use testkit::Random;

use super::{Server, Workshop};
use crate::house::House;

/// The exit code of a failure of ours.
const FAILED: i32 = 125;

/// Files of the database.
const FILES: [&str; 3] = ["abide.db", "abide.db-wal", "abide.db-shm"];

/// What there is before the database is lost: a task's session and a quick one.
struct Before {
    house: House,
    task: api::Task,
    quick: Worker,
    worktree: Worktree,
    repository: super::Repository,
}

/// A server that has done something, and was killed.
fn before() -> Before {
    let workshop = Workshop::new();
    let task = workshop.running("Fix the login");
    let (_, quick) = workshop.server.terminal("/", "echo quick; read x");
    let worktree = workshop.worktrees().remove(0);
    let Workshop { server, repository, id: _, house } = workshop;
    server.kill();
    Before { house, task, quick, worktree, repository }
}

/// Everything that lives is known again.
fn check_rebuilt(before: &Before, server: &Server) {
    let sessions: Vec<Session> = server.get("/api/sessions").ok(200);
    assert_eq!(sessions.len(), 2, "{sessions:#?}");
    let of_task = sessions
        .iter()
        .find(|session| Some(session.id) == before.task.session_id)
        .expect("the task's session");
    let SessionKind::Worktree { worktree_id, branch, .. } = &of_task.kind else { panic!("{of_task:?}") };
    assert_eq!((worktree_id, branch), (&before.worktree.id, &before.worktree.branch));
    assert_eq!(Some(&of_task.location_path), before.task.worktree_path.as_ref());
    assert_eq!(of_task.workers.len(), 1);
    assert_eq!(Some(of_task.workers[0].id), before.task.worker_id);
    assert_eq!(of_task.workers[0].kind, api::WorkerKind::Agent { agent_id: "fake".into() });
    for session in &sessions {
        assert_eq!(session.workers[0].state, WorkerState::Live);
    }
    assert!(sessions.iter().any(|session| session.id == before.quick.session_id));
    let worktrees: Vec<Worktree> = server.get("/api/worktrees").ok(200);
    assert_eq!(worktrees.len(), 1);
    assert_eq!((worktrees[0].id, worktrees[0].state), (before.worktree.id, WorktreeState::Ready));
    let repositories: Vec<api::Repository> = server.get("/api/repositories").ok(200);
    assert_eq!(repositories.len(), 1);
    assert_eq!(repositories[0].path, before.repository.text());
    // All of it can be worked with.
    server.delete(&format!("/api/sessions/{}", of_task.id)).empty(204);
    let removed: api::RemovedWorktree =
        server.delete(&format!("/api/worktrees/{}", before.worktree.id)).ok(200);
    assert_eq!(removed.worktree.state, WorktreeState::Trashed);
    server.delete(&format!("/api/sessions/{}", before.quick.session_id)).empty(204);
}

fn set_aside(house: &House) -> Vec<PathBuf> {
    let entries = fs::read_dir(house.path()).unwrap().map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("abide.db.broken-"))
        .collect()
}

#[test]
fn d9_a_deleted_database_is_made_anew_from_the_hosts() {
    let before = before();
    for file in FILES {
        let _ = fs::remove_file(before.house.path().join(file));
    }
    let server = Server::start(&before.house);
    check_rebuilt(&before, &server);
    assert_eq!(set_aside(&before.house), Vec::<PathBuf>::new());
}

/// What is told of a worktree and can be found out from disk.
fn told(worktree: &Worktree) -> (model::WorktreeId, &str, &str, WorktreeState, Option<jiff::Timestamp>) {
    (worktree.id, &worktree.path, &worktree.branch, worktree.state, worktree.expires_at)
}

#[test]
fn d9_worktrees_and_the_trash_are_made_anew_from_disk_and_archived_sessions_stay_archived() {
    let workshop = Workshop::new();
    // Two worktrees without a session, two with a completed task.
    let empty = workshop.worktree(Some("empty"));
    let thrown = workshop.worktree(Some("thrown"));
    let _: api::RemovedWorktree = workshop.server.delete(&format!("/api/worktrees/{}", thrown.id)).ok(200);
    let done = ["Fix the login", "Fix the logout"].map(|title| workshop.running(title));
    for task in &done {
        assert_eq!(workshop.complete(task.id).kept_worktree, None);
    }
    let before = workshop.worktrees();
    assert_eq!(before.len(), 4);
    // One that expired, of which the recording is left.
    let expired = before.iter().find(|worktree| worktree.branch.ends_with("logout")).unwrap();
    let Workshop { server, repository, id: _, house } = workshop;
    server.kill();
    let trash = house.path().join("trash").join(expired.id.as_str());
    repository.git(&["worktree", "remove", "--force", "--force", trash.to_str().unwrap()]);
    assert!(!trash.exists());
    for file in FILES {
        let _ = fs::remove_file(house.path().join(file));
    }

    let server = Server::start(&house);
    let mut after: Vec<Worktree> = server.get("/api/worktrees").ok(200);
    after.sort_by_key(|worktree| worktree.id);
    let mut expected: Vec<_> = before.iter().filter(|worktree| worktree.id != expired.id).map(told).collect();
    expected.sort_by_key(|told| told.0);
    assert_eq!(after.iter().map(told).collect::<Vec<_>>(), expected);
    assert_eq!(server.get("/api/sessions").ok::<Vec<Session>>(200), []);
    for task in &done {
        let worker: Worker = server.get(&format!("/api/workers/{}", task.worker_id.unwrap())).ok(200);
        assert!(matches!(worker.state, WorkerState::Exited { .. }), "its recording is found: {worker:?}");
    }
    let repositories: Vec<api::Repository> = server.get("/api/repositories").ok(200);
    assert_eq!(repositories.len(), 1, "{repositories:?}");
    // All of it can be worked with, at once.
    for worktree in after.iter().filter(|worktree| worktree.state == WorktreeState::Trashed) {
        let back: Worktree = server.step(&format!("/api/worktrees/{}/restore", worktree.id)).ok(200);
        assert_eq!((back.state, &back.path), (WorktreeState::Ready, &worktree.path));
        let branch = repository.git_in(back.path.as_ref(), &["branch", "--show-current"]);
        assert_eq!(branch.trim(), worktree.branch);
    }
    let removed: api::RemovedWorktree = server.delete(&format!("/api/worktrees/{}", empty.id)).ok(200);
    assert_eq!(removed.worktree.state, WorktreeState::Trashed);
}

#[test]
fn d9_a_damaged_database_is_set_aside_and_made_anew_from_the_hosts() {
    let before = before();
    let path = before.house.path().join("abide.db");
    // Everything is in the file itself once the database was opened and closed.
    drop(store::Database::open(&path).unwrap());
    let mut bytes = fs::read(&path).unwrap();
    for byte in &mut bytes[100..] {
        *byte = !*byte;
    }
    fs::write(&path, &bytes).unwrap();
    let server = Server::start(&before.house);
    check_rebuilt(&before, &server);
    let aside = set_aside(&before.house);
    assert!(aside.iter().any(|path| fs::read(path).unwrap() == bytes), "{aside:?}");
}

#[test]
fn d9_a_server_with_any_damaged_database_starts_and_lists_its_live_workers() {
    let before = before();
    let path = before.house.path().join("abide.db");
    drop(store::Database::open(&path).unwrap());
    let sound = fs::read(&path).unwrap();
    let mut random = Random::new(9);
    for round in 0..12 {
        let mut bytes = sound.clone();
        for _ in 0..random.between(1, 200) {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
        if random.percent(20) {
            bytes.truncate(random.below(bytes.len()));
        }
        for file in FILES {
            let _ = fs::remove_file(before.house.path().join(file));
        }
        fs::write(&path, &bytes).unwrap();
        let output = before.house.command(["serve", "--listen", "127.0.0.1:0"]);
        // A version that was flipped may look like that of a newer release, which is refused; then nothing is touched.
        let is_newer = bytes.get(60..64).is_some_and(|version| version != &sound[60..64]);
        if is_newer {
            continue;
        }
        let server = Server::run(&before.house, output);
        let workers: Vec<Worker> = server.get("/api/workers").ok(200);
        let live = |id| workers.iter().any(|worker| worker.id == id && worker.state == WorkerState::Live);
        assert!(live(before.quick.id) && live(before.task.worker_id.unwrap()), "round {round}: {workers:#?}");
        server.kill();
    }
}

#[test]
fn d10_u4_a_database_of_a_newer_release_is_refused_and_not_touched() {
    let before = before();
    let path = before.house.path().join("abide.db");
    drop(store::Database::open(&path).unwrap());
    let mut bytes = fs::read(&path).unwrap();
    // SQLite keeps the version that we gave the database here.
    bytes[60..64].copy_from_slice(&9999_u32.to_be_bytes());
    fs::write(&path, &bytes).unwrap();
    let words = before.house.refused(&["serve", "--listen", "127.0.0.1:0"], FAILED);
    assert!(words.contains("version 9999"), "{words}");
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(set_aside(&before.house), Vec::<PathBuf>::new());
    // Hosts need no server.
    before.house.called(before.quick.id.as_str()).send(b"\r");
    before.house.called(before.quick.id.as_str()).wait_for_exit();
}
