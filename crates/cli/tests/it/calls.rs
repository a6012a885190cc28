//! System calls that fail, one at a time: each ends in an error with words, or in a worker that goes on.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use home::ExitNote;
use model::{ExitStatus, TermSize};
use testkit::Watcher;

use crate::house::{ABIDE, House, for_each, wait_for};
use crate::numbers::gaps;

/// Calls that may be refused for want of something, and in which words they are. Those that some machines do not have
/// begin with a question mark.
const CALLS: [(&str, &str); 27] = [
    ("?open,openat", "EMFILE"),
    ("read,readv", "EIO"),
    ("write", "EIO"),
    ("writev", "EIO"),
    ("?clone3,clone", "EAGAIN"),
    ("socket,socketpair", "EMFILE"),
    ("?epoll_create1,?eventfd2,?timerfd_create,?pidfd_open", "EMFILE"),
    ("epoll_ctl", "ENOSPC"),
    ("ioctl", "EIO"),
    ("fsync,fdatasync", "EIO"),
    ("?rename,?renameat,?renameat2", "EIO"),
    ("?mkdir,mkdirat", "EACCES"),
    ("accept4", "EMFILE"),
    ("bind", "EACCES"),
    ("listen", "ENOBUFS"),
    ("connect", "ECONNREFUSED"),
    ("sendto,sendmsg", "EPIPE"),
    ("recvfrom,recvmsg", "ECONNRESET"),
    ("getrandom", "EAGAIN"),
    ("statx,?newfstatat", "EACCES"),
    ("?readlink,readlinkat", "EACCES"),
    ("getdents64", "EIO"),
    ("?unlink,unlinkat", "EACCES"),
    ("fchmod,?chmod,?fchmodat", "EPERM"),
    ("fcntl", "EINVAL"),
    ("flock", "ENOLCK"),
    ("wait4,waitid", "ECHILD"),
];

/// The call by which `abide seal` makes itself less urgent. It is always refused: while other
/// programs keep the processors busy, a process that is less urgent may need minutes for what is waited for here.
const URGENCY: &str = "setpriority";

/// What cannot be refused in truth: taking off a list what is on it, and a flag of a socket.
const NEVER_REFUSED: [&str; 2] = ["EPOLL_CTL_DEL", "FIONBIO"];

/// Whether calls can be made to fail here; says so if not.
fn can_be_refused() -> bool {
    let traced = Command::new("strace")
        .args(["-qq", "-f", "--seccomp-bpf", "-o", "/dev/null", "true"])
        .stderr(Stdio::null())
        .status();
    let is_there = traced.is_ok_and(|status| status.success());
    if !is_there {
        testkit::skip("`strace` is not installed or may trace nothing here");
    }
    is_there
}

/// Something in which a call fails: that of this number in each process and thread.
struct Refused {
    house: House,
    tracing: Child,
    what: String,
}

/// Which call fails, and how.
#[derive(Clone, Copy)]
struct Refusal {
    calls: &'static str,
    error: &'static str,
    number: usize,
}

impl Refusal {
    /// As `strace` reads it.
    fn fault(self) -> String {
        format!("error={}:when={}", self.error, self.number)
    }
}

impl Refused {
    /// The start of a worker, with all that runs in it.
    fn start(refusal: Refusal, command: &[&str]) -> Refused {
        // Only the calls that matter stop what is traced: a quarter of the work.
        let options = ["-qq", "--seccomp-bpf", ABIDE, "new", "-d", "--name", "it", "--"];
        let arguments = [&options[..], command].concat();
        Refused::trace(House::with_keeper(), refusal.calls, &refusal.fault(), &arguments)
    }

    /// The host of a worker, from now on; nothing where the system does not let it be traced.
    fn host(house: House, calls: &str, fault: &str) -> Option<Refused> {
        let host = house.called("it").status().host_pid;
        let mut refused = Refused::trace(house, calls, fault, &["-p", &host.to_string()]);
        let is_attached = wait_for(&format!("{}: attached", refused.what), || {
            let has_left = refused.tracing.try_wait().expect("strace is ours").is_some();
            let is_attached = refused.text("complained").contains("attached");
            (has_left || is_attached).then_some(is_attached)
        });
        is_attached.then_some(refused)
    }

    fn trace(house: House, calls: &str, fault: &str, traced: &[&str]) -> Refused {
        let file = |name: &str| File::create(house.path().join(name)).expect("a file");
        let mut strace = Command::new("strace");
        strace.args(["-f", "-o", "calls", "-e"]).arg(format!("trace={calls},{URGENCY}"));
        strace.arg("-e").arg(format!("inject={calls}:{fault}"));
        strace.arg("-e").arg(format!("inject={URGENCY}:error=EPERM")).args(traced);
        house.settle(&mut strace);
        strace.stdin(Stdio::null()).stdout(file("said")).stderr(file("complained"));
        let tracing = strace.spawn().expect("strace runs");
        Refused { house, tracing, what: format!("{fault} of {calls}") }
    }

    fn text(&self, name: &str) -> String {
        let bytes = fs::read(self.house.path().join(name)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Waits until everything that was started has left.
    fn code(&mut self) -> i32 {
        let what = format!("{}: all processes have ended", self.what);
        let status = wait_for(&what, || self.tracing.try_wait().expect("strace is ours"));
        status.code().expect("strace ends by itself")
    }

    /// Runs `abide`, which must come to an end.
    fn ask(&self, arguments: &[&str]) -> Output {
        let mut command = self.house.command(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut asking = command.spawn().expect("abide runs");
        let what = format!("{}: an end of {arguments:?}", self.what);
        wait_for(&what, || asking.try_wait().expect("it is ours"));
        asking.wait_with_output().expect("what it said")
    }

    /// The calls that failed, of those that were to fail.
    fn refusals(&self) -> Vec<String> {
        let calls = self.text("calls");
        let failed = calls.lines().filter(|line| line.contains("(INJECTED)") && !line.contains(URGENCY));
        failed.map(str::to_owned).collect()
    }

    fn no_process_panicked(&self) {
        let mut files: Vec<PathBuf> = vec!["complained".into(), self.house.home().keeper_log()];
        files.extend(self.house.home().worker_dirs().unwrap_or_default().iter().map(home::WorkerDir::log));
        for file in files {
            let text = self.text(file.to_str().expect("text"));
            assert!(!text.contains("panicked"), "{}: {text}", self.what);
        }
    }

    /// How the worker ended, whether output is known to be missing, and the recorded output.
    fn ended(&self) -> (ExitNote, bool, String) {
        let worker = self.house.called("it");
        let note = wait_for(&format!("{}: the exit", self.what), || worker.dir.exit_note());
        let logs = self.ask(&["logs", "it"]);
        (note, gaps(&worker) > 0, String::from_utf8(logs.stdout).expect("text"))
    }
}

/// A worker that prints something is started, again and again, and each time another call fails.
pub(crate) fn starts(most: usize) {
    if can_be_refused() {
        for_each(CALLS.len(), |row| {
            let (calls, error) = CALLS[row];
            (1..=most).all(|number| start(Refusal { calls, error, number }));
        });
    }
}

/// Starts a worker in which a call fails; says whether there was such a call.
fn start(refusal: Refusal) -> bool {
    let mut refused = Refused::start(refusal, &["sh", "-c", "echo hello"]);
    let code = refused.code();
    let refusals = refused.refusals();
    if refusals.is_empty() {
        return false;
    }
    refused.no_process_panicked();
    if refusals.iter().any(|line| NEVER_REFUSED.iter().any(|never| line.contains(never))) {
        return true;
    }
    let what = &refused.what;
    let words = refused.text("complained");
    let listed = refused.house.output(["ls"]).contains("sh -c");
    match code {
        // Before it is ours, a program may fail in the system's own words.
        127 => {}
        0 => {
            let (note, has_gaps, output) = refused.ended();
            // The child's own calls fail as well.
            let is_whole = output == "hello\n" || note.status != (ExitStatus::Exited { code: 0 });
            assert!(is_whole || has_gaps, "{what}: {output:?}");
        }
        code => {
            assert_eq!(code, 125, "{what}: {words}");
            assert!(words.starts_with("error: "), "{what}: {words}");
            assert!(!words.contains("(empty)"), "{what}: {words}");
            // A start that could not print the worker's name has started it nevertheless.
            assert!(!listed || words.contains("standard output"), "{what}: {words}");
        }
    }
    true
}

/// A worker is typed to, watched and ended, again and again, and each time another call of its host fails.
pub(crate) fn lives(most: usize) {
    if !can_be_refused() {
        return;
    }
    // Threads wake each other by writing, and what is waited for changes on a list: in truth that never fails.
    let mut calls = CALLS.to_vec();
    calls.retain(|(calls, _)| !["write", "epoll_ctl"].contains(calls));
    let may_attach = AtomicBool::new(true);
    for_each(calls.len(), |row| {
        let (calls, error) = calls[row];
        for number in 1..=most {
            let house = House::with_keeper();
            house.worker_with(&["--name", "it"], &["cat"]).wait_for_lease();
            let fault = Refusal { calls, error, number }.fault();
            let Some(mut refused) = Refused::host(house, calls, &fault) else {
                return may_attach.store(false, Ordering::Relaxed);
            };
            live(&refused);
            refused.code();
            let refusals = refused.refusals();
            refused.no_process_panicked();
            if refusals.is_empty() {
                break;
            }
        }
    });
    if !may_attach.into_inner() {
        testkit::skip("`strace` may not attach to a host here");
    }
}

/// Everything that is asked of a host may be refused once, and is asked again.
fn live(refused: &Refused) {
    let what = &refused.what;
    let done = |arguments: &[&str]| {
        wait_for(&format!("{what}: {arguments:?}"), || {
            let Output { status, stderr, .. } = refused.ask(arguments);
            let words = String::from_utf8_lossy(&stderr).into_owned();
            assert!(status.success() || words.starts_with("error: "), "{what}: {arguments:?}: {words}");
            // If the first answer was lost, the worker has already ended when we ask again.
            (status.success() || words.contains("has ended")).then_some(())
        });
    };
    done(&["send", "it", "--enter", "hello"]);
    wait_for(&format!("{what}: the echo"), || {
        let screen = String::from_utf8(refused.ask(&["screen", "it"]).stdout).expect("text");
        (screen.matches("hello").count() >= 2).then_some(())
    });
    done(&["kill", "it"]);
    let (_, has_gaps, output) = refused.ended();
    assert!(has_gaps || output.matches("hello").count() >= 2, "{what}: {output:?}");
    done(&["rm", "it"]);
}

#[test]
fn d12_a_start_in_which_any_call_fails_ends_in_an_error_or_in_a_worker() {
    starts(4);
}

#[test]
fn d12_a_host_in_which_any_call_fails_goes_on() {
    lives(6);
}

#[test]
fn a_key_that_takes_the_size_comes_after_the_size() {
    if !can_be_refused() {
        return;
    }
    let house = House::with_keeper();
    let script = "stty -echo; echo ready; while read x; do stty size; done";
    let worker = house.worker_with(&["--name", "it"], &["sh", "-c", script]);
    let mut one = Watcher::at_keyboard(&worker, 80, 24);
    one.wait_for("ready");
    let mut two = Watcher::at_keyboard(&worker, 60, 20);
    two.wait_until("its own size", |two| two.terminal.size() == TermSize::clamped(60, 20));
    // A key that came before the size would be answered long before the size changes.
    let Some(_slow) = Refused::host(house, "ioctl", "delay_enter=300000") else {
        return testkit::skip("`strace` may not attach to a host here");
    };
    one.send(b"\r");
    one.wait_until("an answer", |one| {
        one.terminal.text(0).contains("24 80") || one.terminal.text(0).contains("20 60")
    });
    assert!(one.terminal.text(0).contains("24 80"), "{}", one.terminal.text(0));
}

#[test]
fn d2_a_recording_that_cannot_begin_at_once_begins_late_and_misses_nothing() {
    if !can_be_refused() {
        return;
    }
    // The disk takes its time for that: the child has ended before.
    let refusal = Refusal { calls: "writev", error: "EIO:delay_exit=300000", number: 1 };
    let mut refused = Refused::start(refusal, &["echo", "hello"]);
    assert_eq!(refused.code(), 0);
    assert_eq!(refused.refusals().len(), 1, "the beginning of the segment");
    let worker = refused.house.called("it");
    assert_eq!((worker.recorded(), gaps(&worker)), (b"hello\r\n".to_vec(), 0));
}
