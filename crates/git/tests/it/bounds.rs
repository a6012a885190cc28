//! A git that is missing, too old, hangs or prints too much: the caller gets a typed error in bounded time.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use git::{Git, GitError, NewWorktree};

use crate::sandbox::{Sandbox, assert_fails, branch};

/// Short, and long enough for a real git on a busy machine.
const SOON: Duration = Duration::from_millis(600);

#[test]
fn w7_a_missing_git_is_reported_missing() {
    let (sandbox, repo) = Sandbox::with_repo();
    let nowhere = sandbox.root.join("nowhere");
    let environment = [("PATH".into(), nowhere.clone().into())];
    assert_fails!(Git::find_in(environment), GitError::NotFound);
    assert_fails!(sandbox.subject_at(nowhere.join("git")).inspect(&repo), GitError::NotFound);
}

#[test]
fn s36_a_git_in_a_relative_directory_of_the_path_is_not_found() {
    let environment = [("PATH".into(), ".:bin:".into())];
    assert_fails!(Git::find_in(environment), GitError::NotFound);
}

#[test]
fn w7_an_old_git_is_reported_old() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = |words: &str| sandbox.subject_at(sandbox.program("git", &format!("echo '{words}'")));
    let error = git("git version 2.30.9").version().unwrap_err();
    assert_eq!(error.to_string(), "git 2.30 is too old; 2.31 or newer is needed");
    assert_fails!(git("git version 1.9").worktrees(&repo), GitError::TooOld { .. } | GitError::Failed { .. });
    assert_fails!(git("bash: no").version(), GitError::Failed { .. });
    assert!(git("git version 2.31.0").version().is_ok());
}

#[test]
fn w7_a_hanging_git_is_stopped_with_everything_it_started() {
    let (sandbox, repo) = Sandbox::with_repo();
    let pids = sandbox.root.join("pids");
    // It does not go when asked, and has a child that holds its output open.
    let script =
        format!("trap '' TERM\nsleep 1000 & echo $! $$ >>{0}\nwhile :; do sleep 1000; done", pids.display());
    let git = sandbox.subject_at(sandbox.program("git", &script)).with_deadlines(SOON, SOON);
    assert_fails!(git.inspect(&repo), GitError::Deadline { command } if command == "rev-parse");
    for pid in fs::read_to_string(&pids).unwrap().split_whitespace() {
        assert_gone(pid);
    }
}

/// Who was killed takes a moment to go.
#[track_caller]
fn assert_gone(pid: &str) {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        if state.is_empty() || state.contains(") Z ") {
            return;
        }
        assert!(Instant::now() < until, "{pid} lives: {state}");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn w7_the_real_git_hanging_on_a_trap_is_stopped() {
    let (sandbox, repo) = Sandbox::with_repo();
    let pipe = sandbox.root.join("pipe");
    make_pipe(&pipe);
    let mut config = fs::read_to_string(repo.join(".git/config")).unwrap();
    config.push_str(&format!("[include]\npath = {}\n", pipe.display()));
    fs::write(repo.join(".git/config"), config).unwrap();
    let git = sandbox.subject().with_deadlines(SOON, SOON);
    assert_fails!(git.inspect(&repo), GitError::Deadline { .. });
    assert_fails!(git.work(&repo), GitError::Deadline { .. });
    assert_fails!(git.add_worktree(&repo, &sandbox.new_branch("x")), GitError::Deadline { .. });
}

fn make_pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

#[test]
fn w7_a_checkout_that_takes_too_long_leaves_nothing() {
    let (sandbox, repo) = Sandbox::with_repo();
    sandbox.commit(&repo, ".gitattributes", "file filter=slow\n");
    sandbox.git(&repo, &["config", "--global", "filter.slow.smudge", "sleep 1000"]);
    let before = sandbox.state(&repo);
    let git = sandbox.subject().with_deadlines(Duration::from_secs(20), SOON);
    assert_fails!(git.add_worktree(&repo, &sandbox.new_branch("x")), GitError::Deadline { .. });
    assert_eq!(sandbox.state(&repo), before);
    sandbox.assert_settled();
}

#[test]
fn w7_a_git_that_prints_too_much_is_stopped() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject_at(sandbox.program("git", "exec yes"));
    assert_fails!(git.branches(&repo), GitError::TooMuchOutput { .. });
    // Standard error is read and dropped, so git does not wait.
    let script = "head -c 30000000 /dev/zero >&2; echo 'fatal: the end' >&2; exit 1";
    let git = sandbox.subject_at(sandbox.program("git", script));
    let error = git.branches(&repo).unwrap_err();
    assert!(error.to_string().len() < 2000, "{error}");
}

#[test]
fn w4_a_worktree_that_another_git_is_writing_down_is_waited_for() {
    let (sandbox, repo) = Sandbox::with_repo();
    let words = "fatal: failed to read .git/worktrees/x/commondir: Success";
    let met = sandbox.root.join("met");
    let script = format!(
        "[ -e '{0}' ] || {{ touch '{0}'; echo '{words}' >&2; exit 128; }}\nexec $real \"$@\"",
        met.display()
    );
    let git = sandbox.subject_at(sandbox.program("git", &script));
    fs::remove_file(&met).ok();
    assert_eq!(git.free_branch(&repo, &branch("next")).unwrap(), branch("next"));
    assert!(met.exists());
    let git = sandbox.subject_at(sandbox.program("git", &format!("echo '{words}' >&2; exit 128")));
    assert_fails!(git.free_branch(&repo, &branch("next")), GitError::Failed { .. });
}

#[test]
fn w7_a_process_that_keeps_gits_output_open_does_not_delay_us() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject_at(sandbox.program("git", "setsid sleep 5 &\nexec $real \"$@\""));
    assert_eq!(git.inspect(&repo).unwrap().path, repo);
}

#[test]
fn w7_a_directory_in_the_place_of_git_or_of_the_lock_is_an_error() {
    let (sandbox, repo) = Sandbox::with_repo();
    assert_fails!(sandbox.subject_at(sandbox.root.join("home")).inspect(&repo), GitError::Io { .. });
    fs::write(sandbox.root.join("file"), "").unwrap();
    let git = sandbox.subject().with_locks(sandbox.root.join("file"));
    let before = sandbox.state(&repo);
    let new: NewWorktree = sandbox.new_branch("x");
    assert_fails!(git.add_worktree(&repo, &new), GitError::Io { .. });
    assert_eq!(sandbox.state(&repo), before);
    // Looking needs no locks.
    assert!(git.inspect(&repo).is_ok());
}
