//! Starts of a task that do not come to their end undisturbed: the server is stopped or killed at every step, or the
//! start is cancelled there.

mod asked;
mod cancelled;
mod hanging;
mod held;
mod server;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;

use api::{SessionStatus, Task, WorktreeState};
use model::TaskId;
use testkit::WAIT;

use super::Workshop;
use crate::house::House;

/// Makes a named pipe in a house.
pub(super) fn pipe(house: &House, name: &str) -> PathBuf {
    let path = house.path().join(name);
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).expect("a pipe");
    path
}

/// What is written to a named pipe, once it is closed.
pub(super) fn heard(pipe: &Path) -> String {
    let (tell, told) = mpsc::channel();
    let path = pipe.to_owned();
    thread::spawn(move || tell.send(fs::read_to_string(path)));
    let told = told.recv_timeout(WAIT).unwrap_or_else(|_| panic!("nothing came through {}", pipe.display()));
    told.expect("a pipe")
}

fn task(shop: &Workshop, id: TaskId) -> Task {
    shop.server.get(&format!("/api/tasks/{id}")).ok(200)
}

/// The processes that work in one of the worktrees.
fn working(shop: &Workshop) -> Vec<u32> {
    let worktrees = shop.house.path().canonicalize().expect("the house").join("worktrees");
    let processes = fs::read_dir("/proc").expect("/proc").flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_there = |pid: &u32| {
        let directory = fs::read_link(format!("/proc/{pid}/cwd"));
        directory.is_ok_and(|directory| directory.starts_with(&worktrees))
    };
    pids.filter(is_there).collect()
}

/// Checks that git, the disk and the API know the same worktrees, and that nothing runs that no session knows.
fn check_whole(shop: &Workshop) {
    let there = shop.worktrees().into_iter().filter(|worktree| worktree.state != WorktreeState::Trashed);
    let mut listed: Vec<PathBuf> = there
        .map(|worktree| {
            assert_eq!(worktree.state, WorktreeState::Ready, "{worktree:?}");
            worktree.path.into()
        })
        .collect();
    listed.sort();
    let mut linked = shop.linked();
    linked.sort();
    assert_eq!(linked, listed);
    let on_disk = fs::read_dir(shop.house.path().join("worktrees")).into_iter().flatten().flatten();
    let mut on_disk: Vec<PathBuf> = on_disk.map(|entry| entry.path()).collect();
    on_disk.sort();
    assert_eq!(on_disk, listed);
    let records = fs::read_dir(shop.house.path().join("setups")).into_iter().flatten().flatten();
    assert_eq!(records.count(), 0, "no setup command runs");
    let workers: Vec<api::Worker> = shop.server.get("/api/workers").ok(200);
    let live: Vec<_> = workers
        .iter()
        .filter(|worker| worker.state == api::WorkerState::Live)
        .map(|worker| (worker.id, shop.house.called(worker.id.as_str()).status().child_pid))
        .collect();
    for dir in shop.house.home().worker_dirs().expect("the workers") {
        let is_live = live.iter().any(|(id, _)| *id == dir.id());
        assert!(is_live || dir.exit_note().is_some(), "{} neither lives nor has ended", dir.id());
        assert_eq!(is_live, dir.identity().is_some_and(|host| host.is_alive()), "the host of {}", dir.id());
    }
    let working = working(shop);
    let is_known = |pid: &u32| live.iter().any(|(_, child)| child == pid);
    assert!(working.iter().all(is_known), "{working:?} work, and these live: {live:?}");
}

/// Checks that a task's session runs and nothing else does, and finishes the task.
fn check_running(shop: &Workshop, id: TaskId) {
    let running = shop.wait_for_status(id, SessionStatus::Running);
    shop.wait_for_output(running.worker_id.expect("a worker"), "told: Do something");
    check_whole(shop);
    assert_eq!(shop.complete(id).kept_worktree, None);
    assert_eq!(shop.linked(), Vec::<PathBuf>::new());
    check_whole(shop);
}
