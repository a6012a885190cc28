//! What must be so when everything has come to rest: what the server, git, the disk and the machine know is the same.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use api::{Session, Task, TaskStatus, Worker, WorkerState, Worktree, WorktreeState};
use ureq::http::Method;

use super::door::Door;
use super::load::{BRANCH, Load};
use crate::house::{House, wait_for};
use crate::server::Repository;

/// Compares what everybody knows.
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
        // One whose session is archived is in no list, and known. One that was only just made when its server was killed
        // may be looked at for a while, and goes.
        wait_for("a directory that somebody knows", || {
            let answer = door.ask(Method::GET, &format!("/api/workers/{name}"), None);
            let is_known = answer.is_some_and(|answer| answer.status == 200);
            (is_known || !house.home().workers_dir().join(&name).exists()).then_some(())
        });
    }
}

/// Every worktree is known to git, to the server and to the disk alike, and each is there for somebody.
fn worktrees(house: &House, door: &Door<'_>, repository: &Repository) {
    // What the last server left is finished while others are let in.
    let known = wait_for("worktrees at rest", || {
        let known: Vec<Worktree> = door.get("/api/worktrees");
        let is_left = |worktree: &Worktree| worktree.note.as_deref() == Some(store::ARCHIVED);
        (!known.iter().any(is_left) && !is_half_done(house)).then_some(known)
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
        assert!(is_wanted, "nobody works there: {worktree:?}");
    }
    let branches = repository.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
    let expected: BTreeSet<&str> =
        known.iter().map(|worktree| worktree.branch.as_str()).chain(["main"]).collect();
    let unexpected: Vec<&str> = branches.lines().filter(|branch| !expected.contains(branch)).collect();
    assert!(unexpected.is_empty(), "branches of nobody: {unexpected:?}");
}

/// Whether something is being done to a worktree, or was and is not finished.
fn is_half_done(house: &House) -> bool {
    let intents = fs::read_dir(house.path().join("git")).into_iter().flatten().flatten();
    intents.into_iter().any(|entry| entry.path().extension().is_some_and(|end| end == "json"))
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

/// Completes all tasks and closes all sessions: whatever became of them, that can be done.
pub(super) fn everything_ends(door: &Door<'_>) {
    let tasks: Vec<Task> = door.get("/api/tasks");
    for task in tasks.iter().filter(|task| task.status == TaskStatus::Active) {
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
