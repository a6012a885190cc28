//! Work that is asked to stop.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use git::{Git, GitError, Stop};
use rustix::fs::{CWD, Mode, mkfifoat};
use testkit::WAIT;

use crate::sandbox::{Sandbox, assert_fails};

/// A repository whose checkouts hang in a filter that does not end when it is asked to.
struct Hanging {
    sandbox: Sandbox,
    repo: PathBuf,
    /// The filter writes its number here when it has begun.
    begun: PathBuf,
}

impl Hanging {
    fn new() -> Hanging {
        let (sandbox, repo) = Sandbox::with_repo();
        sandbox.commit(&repo, ".gitattributes", "file filter=held\n");
        let (begun, held) = (sandbox.root.join("begun"), sandbox.root.join("held"));
        for pipe in [&begun, &held] {
            mkfifoat(CWD, pipe, Mode::RWXU).unwrap();
        }
        let filter =
            format!("trap '' TERM; echo $$ >'{}'; read x <'{}'; cat", begun.display(), held.display());
        sandbox.git(&repo, &["config", "--global", "filter.held.smudge", &filter]);
        Hanging { sandbox, repo, begun }
    }

    fn git(&self, stop: &Stop) -> Git {
        self.sandbox.subject().with_stop(stop.clone())
    }

    /// Waits until a checkout hangs, and gives the number of its filter.
    fn filter(&self) -> u32 {
        within(fs::read_to_string, &self.begun).unwrap().trim().parse().unwrap()
    }
}

/// What something gives that may hang, in time.
fn within<T: Send + 'static>(what: impl FnOnce(PathBuf) -> T + Send + 'static, path: &Path) -> T {
    let (tell, told) = mpsc::channel();
    let path = path.to_owned();
    thread::spawn(move || tell.send(what(path)));
    told.recv_timeout(WAIT).expect("it comes to an end")
}

fn is_alive(pid: u32) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !state.is_empty() && !state.contains(") Z ")
}

#[test]
fn a_checkout_that_is_asked_to_stop_is_undone_and_everything_it_started_ends() {
    let hanging = Hanging::new();
    let Hanging { sandbox, repo, .. } = &hanging;
    let before = sandbox.state(repo);
    let stop = Stop::new().unwrap();
    let git = hanging.git(&stop);
    let filter = thread::scope(|scope| {
        let adding = scope.spawn(|| git.add_worktree(repo, &sandbox.new_branch("x")));
        let filter = hanging.filter();
        assert!(is_alive(filter));
        let holders = git.holders();
        assert!(!holders.is_empty() && !holders.contains(&process::id()), "{holders:?}");
        stop.ask();
        assert_fails!(adding.join().unwrap(), GitError::Stopped);
        filter
    });
    assert!(!is_alive(filter), "it could still write into the worktree");
    assert_eq!(git.holders(), Vec::<u32>::new());
    assert_eq!(sandbox.state(repo), before);
    sandbox.assert_settled();
    assert_fails!(git.add_worktree(repo, &sandbox.new_branch("x")), GitError::Stopped);
    assert_eq!(sandbox.state(repo), before, "a stop stays asked");
}

#[test]
fn a_slow_git_that_is_told_to_end_has_the_time_to_remove_its_locks() {
    let (sandbox, repo) = Sandbox::with_repo();
    let lock = sandbox.root.join("slow.lock");
    // A hanging program has two seconds, a git that may work for longer has more.
    let script = format!(
        "trap 'sleep 3; rm \"{0}\"; exit 143' TERM\n: >'{0}'\nwhile :; do sleep 1000; done",
        lock.display()
    );
    let deadline = Duration::from_secs(5);
    let git = sandbox.subject_at(sandbox.program("git", &script)).with_deadlines(deadline, deadline);
    assert_fails!(git.inspect(&repo), GitError::Deadline { .. });
    assert!(!lock.exists());
}

#[test]
fn the_wait_for_a_repository_stops_when_it_is_asked_to() {
    let hanging = Hanging::new();
    let Hanging { sandbox, repo, .. } = &hanging;
    let (first, second) = (Stop::new().unwrap(), Stop::new().unwrap());
    thread::scope(|scope| {
        let git = hanging.git(&first);
        let adding = scope.spawn(move || git.add_worktree(repo, &sandbox.new_branch("x")));
        hanging.filter();
        let git = hanging.git(&second);
        let waiting = scope.spawn(move || git.add_worktree(repo, &sandbox.new_branch("y")));
        second.ask();
        assert_fails!(waiting.join().unwrap(), GitError::Stopped);
        assert!(!adding.is_finished(), "the other one is not asked");
        first.ask();
        assert_fails!(adding.join().unwrap(), GitError::Stopped);
    });
    sandbox.assert_settled();
}

/// Git can be told to end just when it has made a lock, and then leaves it. A lock that all worktrees share would stop
/// every git of the user.
#[test]
fn w5_a_command_that_can_be_stopped_locks_nothing_that_worktrees_share() {
    if !Command::new("strace").args(["-o", "/dev/null", "true"]).status().is_ok_and(|status| status.success())
    {
        return testkit::skip("`strace` is not installed or may trace nothing here");
    }
    let (sandbox, repo) = Sandbox::with_repo();
    let traces = sandbox.root.join("traces");
    fs::create_dir(&traces).unwrap();
    let traced = format!("exec strace -f -qq -e trace=openat -o {}/$$ $real \"$@\"", traces.display());
    let git = sandbox.subject_at(sandbox.program("traced", &traced));
    let made = git.add_worktree(&repo, &sandbox.new_branch("x")).unwrap();
    let file = made.path.join("file").display().to_string();
    let own = repo.join(".git/worktrees/x").display().to_string();
    let calls =
        fs::read_dir(&traces).unwrap().map(|trace| fs::read_to_string(trace.unwrap().path()).unwrap());
    let mut writes_files = calls.filter(|calls| {
        let mut made = calls.lines().filter(|call| call.contains("O_CREAT"));
        made.any(|call| call.contains(&file) || call.contains("\"file\""))
    });
    let calls = writes_files.next().expect("a git that writes the file");
    assert_eq!(writes_files.next(), None, "one git writes the files");
    let locks: Vec<&str> =
        calls.lines().filter(|call| call.contains(".lock\"") && call.contains("O_CREAT")).collect();
    assert!(!locks.is_empty(), "it locks the index:\n{calls}");
    assert!(locks.iter().all(|call| call.contains(&own)), "{locks:#?}");
}
