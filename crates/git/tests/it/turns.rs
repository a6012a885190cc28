//! Changes to one repository take turns.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;
use std::time::Duration;

use git::{GitError, NewWorktree, WorktreeBranch};
use rustix::fs::{FlockOperation, flock};

use crate::sandbox::{Sandbox, assert_fails, branch};

#[test]
fn w4_many_threads_at_once_make_whole_worktrees_or_none() {
    let (sandbox, repo) = Sandbox::with_repo();
    // Every change is seen alone: the program says when two are at work at once.
    let script = format!(
        "case \"$*\" in *'worktree add'*|*update-ref*) mkdir {0}/busy || echo >>{0}/together; \
         $real \"$@\"; status=$?; rmdir {0}/busy; exit $status;; *) exec $real \"$@\";; esac",
        sandbox.root.display()
    );
    let git = sandbox.subject_at(sandbox.program("git", &script));
    let results: Vec<_> = thread::scope(|scope| {
        let add = |number: usize| {
            let (git, sandbox, repo) = (git.clone(), &sandbox, &repo);
            // Two of them want the same branch.
            let name = if number == 11 { "x0".to_owned() } else { format!("x{number}") };
            let path = sandbox.worktree(&number.to_string());
            let new = NewWorktree { path, branch: WorktreeBranch::New { name: branch(&name), base: None } };
            scope.spawn(move || git.add_worktree(repo, &new))
        };
        let threads: Vec<_> = (0..12).map(add).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(!sandbox.root.join("together").exists(), "two changes at once");
    let refused =
        results.iter().filter(|result| matches!(result, Err(GitError::BranchExists { .. }))).count();
    let made: BTreeSet<_> = results.iter().flatten().map(|made| made.path.clone()).collect();
    assert_eq!((made.len(), refused), (11, 1), "{results:?}");
    let listed: BTreeSet<_> =
        git.worktrees(&repo).unwrap().into_iter().skip(1).map(|listed| listed.path).collect();
    assert_eq!(listed, made);
    let there: BTreeSet<_> =
        fs::read_dir(sandbox.root.join("worktrees")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(there, made);
    for path in &made {
        assert!(git.work(path).unwrap().is_nothing());
    }
    sandbox.assert_settled();
}

#[test]
fn w4_a_change_waits_a_limited_time_for_another_process() {
    let (sandbox, repo) = Sandbox::with_repo();
    sandbox.add(&repo, "first");
    let lock = fs::read_dir(sandbox.root.join("locks")).unwrap().next().unwrap().unwrap().path();
    // A lock on another opened file is another process's, as far as the kernel can tell.
    let other = File::open(&lock).unwrap();
    flock(&other, FlockOperation::LockExclusive).unwrap();
    let before = sandbox.state(&repo);
    let short = sandbox.subject().with_deadlines(Duration::from_secs(20), Duration::from_millis(300));
    assert_fails!(short.add_worktree(&repo, &sandbox.new_branch("x")), GitError::Busy { repository } if *repository == repo.join(".git"));
    assert_eq!(sandbox.state(&repo), before);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| sandbox.subject().add_worktree(&repo, &sandbox.new_branch("x")));
        flock(&other, FlockOperation::Unlock).unwrap();
        waiting.join().unwrap().unwrap();
    });
}

#[test]
fn s33_locks_and_intents_are_the_users_alone() {
    let (sandbox, repo) = Sandbox::with_repo();
    let locks = sandbox.root.join("locks");
    fs::create_dir(&locks).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    fs::set_permissions(&locks, fs::Permissions::from_mode(0o755)).unwrap();
    // Git sees the intent while it is at work.
    let script = format!(
        "case \"$*\" in *'worktree add'*) cp -p {0}/*.json {0}/../seen;; esac; exec $real \"$@\"",
        locks.display()
    );
    let git = sandbox.subject_at(sandbox.program("git", &script));
    git.add_worktree(&repo, &sandbox.new_branch("x")).unwrap();
    assert_eq!(mode(&locks), 0o700);
    assert_eq!(mode(&sandbox.root.join("seen")), 0o600);
    for entry in fs::read_dir(&locks).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
}

#[test]
fn w4_nothing_of_ours_is_written_into_the_repository() {
    let (sandbox, repo) = Sandbox::with_repo();
    let listing = || {
        let entries = fs::read_dir(repo.join(".git")).unwrap().map(|entry| entry.unwrap().file_name());
        entries.collect::<BTreeSet<_>>()
    };
    let mut before = listing();
    let path = sandbox.add(&repo, "x").path;
    sandbox.subject().to_trash(&repo, &path, &sandbox.trash("t")).unwrap();
    sandbox.subject().expire(&repo, &sandbox.trash("t")).unwrap();
    before.insert("worktrees".into());
    assert!(listing().is_subset(&before), "{:?}", listing());
}
