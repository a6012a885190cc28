//! Checks after the load has ended: the server, git, the disk and the process table agree.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use api::{Session, Task, TaskState, Worker, WorkerState, Worktree, WorktreeState};
use ureq::http::Method;

use super::door::Door;
use super::load::{BRANCH, Load};
use crate::house::{House, wait_for, wait_until};
use crate::server::Repository;

/// Compares the server, git, the disk and the process table.
pub(super) fn is_in_order(house: &House, door: &Door<'_>, repository: &Repository, loads: &[Load<'_>]) {
    workers(house, door);
    worktrees(house, door, repository);
    nothing_answered_is_forgotten(door, loads);
}

/// Every worker that the server calls live has a host, and there is no other host. None is lost: no host was killed.
fn workers(house: &House, door: &Door<'_>) {
    let hosted = || -> BTreeSet<String> {
        let prefix = format!("{}/", house.home().workers_dir().display());
        let words = arguments().into_iter().flatten();
        words.filter_map(|word| Some(word.strip_prefix(&prefix)?.to_owned())).collect()
    };
    let sessions = || -> Vec<Session> { door.get("/api/sessions") };
    let all = wait_for("workers that are settled", || {
        let all: Vec<Worker> = sessions().into_iter().flat_map(|session| session.workers).collect();
        let is_settled = |worker: &Worker| {
            !matches!(
                worker.state,
                WorkerState::Pending | WorkerState::Provisioning | WorkerState::NotAnswering
            )
        };
        let live = all.iter().filter(|worker| worker.state == WorkerState::Live);
        let live: BTreeSet<String> = live.map(|worker| worker.id.to_string()).collect();
        (all.iter().all(is_settled) && live == hosted()).then_some(all)
    });
    for worker in &all {
        assert!(!matches!(worker.state, WorkerState::Lost { .. }), "{worker:?}");
    }
    let names = || -> Vec<String> {
        let entries = fs::read_dir(house.home().workers_dir()).expect("a directory").flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    };
    let is_removed = |name: &String| name.starts_with("removed-");
    wait_for("the end of removals", || (!names().iter().any(is_removed)).then_some(()));
    for name in names() {
        // A worker whose session is archived is in no list, but the server knows it. A directory that was only just made
        // when its server was killed may stay for a while until the server removes it.
        wait_for("a directory that the server knows", || {
            let answer = door.ask(Method::GET, &format!("/api/workers/{name}"), None);
            let is_known = answer.is_some_and(|answer| answer.status == 200);
            (is_known || !house.home().workers_dir().join(&name).exists()).then_some(())
        });
    }
}

/// Git, the server and the disk have the same worktrees, and each has a session or was requested by itself.
fn worktrees(house: &House, door: &Door<'_>, repository: &Repository) {
    // The server answers requests while it still finishes what the last one left.
    let known: Vec<Worktree> = wait_until("worktrees at rest", || {
        let known: Vec<Worktree> = door.get("/api/worktrees");
        let is_left =
            |worktree: &&Worktree| worktree.note.as_deref() == Some(store::KeptReason::AwaitsTrash.words());
        let left: Vec<Worktree> = known.iter().filter(is_left).cloned().collect();
        let half_done = half_done(house);
        if left.is_empty() && half_done.is_empty() { Ok(known) } else { Err((left, half_done)) }
    });
    let listed = repository.git(&["worktree", "list", "--porcelain"]);
    let listed = listed.lines().filter_map(|line| line.strip_prefix("worktree ")).skip(1);
    let listed: BTreeSet<PathBuf> = listed.map(PathBuf::from).collect();
    let (worktrees, trash) = (house.path().join("worktrees"), house.path().join("trash"));
    let is_here = |worktree: &&Worktree| matches!(worktree.state, WorktreeState::Ready | WorktreeState::Kept);
    let is_trashed = |worktree: &&Worktree| worktree.state == WorktreeState::Trashed;
    let here: BTreeSet<PathBuf> =
        known.iter().filter(is_here).map(|one| worktrees.join(one.id.as_str())).collect();
    let thrown: BTreeSet<PathBuf> =
        known.iter().filter(is_trashed).map(|one| trash.join(one.id.as_str())).collect();
    assert_eq!(here.len() + thrown.len(), known.len(), "{known:#?}");
    assert_eq!(listed, here.union(&thrown).cloned().collect(), "what git knows");
    assert_eq!(directories(&worktrees), here, "what is there");
    assert_eq!(directories(&trash), thrown, "what is in the trash");
    for worktree in &known {
        let is_wanted = !worktree.session_ids.is_empty()
            || worktree.branch.starts_with(BRANCH)
            || worktree.state != WorktreeState::Ready;
        assert!(is_wanted, "no session uses it: {worktree:?}");
    }
    let branches = repository.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
    let expected: BTreeSet<&str> =
        known.iter().map(|worktree| worktree.branch.as_str()).chain(["main"]).collect();
    let unexpected: Vec<&str> = branches.lines().filter(|branch| !expected.contains(branch)).collect();
    assert!(unexpected.is_empty(), "branches without a worktree: {unexpected:?}");
}

/// Changes of worktrees that still run, or that were cut short.
fn half_done(house: &House) -> Vec<String> {
    let files = fs::read_dir(house.path().join("git")).into_iter().flatten().flatten();
    let intents =
        files.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "json"));
    intents.filter_map(|path| fs::read_to_string(path).ok()).collect()
}

/// What a client was told is there, is there.
fn nothing_answered_is_forgotten(door: &Door<'_>, loads: &[Load<'_>]) {
    for load in loads {
        for task in load.tasks.iter().filter(|task| !task.may_be_gone) {
            let _: Task = door.get(&format!("/api/tasks/{}", task.id));
        }
        for session in load.sessions.iter().filter(|session| !session.may_be_gone) {
            let _: Session = door.get(&format!("/api/sessions/{}", session.id));
        }
        for worktree in load.worktrees.iter().filter(|worktree| !worktree.may_be_gone) {
            let _: Worktree = door.get(&format!("/api/worktrees/{}", worktree.id));
        }
    }
}

/// Completes all tasks and closes all sessions. This must be possible in every state.
pub(super) fn everything_ends(door: &Door<'_>) {
    let tasks: Vec<Task> = door.get("/api/tasks");
    for task in tasks.iter().filter(|task| task.status == TaskState::Active) {
        let done: api::ArchivedTask =
            door.must(Method::POST, &format!("/api/tasks/{}/complete", task.id), None, 200);
        assert_eq!(done.kept_worktree, None, "nothing was done in it");
    }
    let sessions: Vec<Session> = door.get("/api/sessions");
    for session in sessions {
        let answer =
            door.ask(Method::DELETE, &format!("/api/sessions/{}", session.id), None).expect("an answer");
        answer.empty(204);
    }
    assert_eq!(door.get::<Vec<Worker>>("/api/workers"), Vec::new());
}

fn directories(parent: &Path) -> BTreeSet<PathBuf> {
    fs::read_dir(parent).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// The arguments of every process.
fn arguments() -> Vec<Vec<String>> {
    let processes = fs::read_dir("/proc").expect("/proc").flatten();
    let lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let words = |line: Vec<u8>| String::from_utf8_lossy(&line).split('\0').map(str::to_owned).collect();
    lines.map(words).collect()
}
