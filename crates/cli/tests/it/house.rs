//! A data directory of its own for a test, with real hosts in it and planted secrets in their environment.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use home::Identity;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

pub(crate) use testkit::{Worker, receive, wait_for, wait_until, watching};

pub(crate) use crate::abide::ABIDE;
use crate::planted;

/// A data directory of `abide`. When it is dropped, its workers are killed, and no planted secret may be at rest in it.
pub(crate) struct House(testkit::House);

impl House {
    /// An empty one. No keeper runs in it unless a test wants one.
    pub(crate) fn new() -> House {
        House(testkit::House::new(ABIDE)).planted()
    }

    /// One in a directory that the test made.
    pub(crate) fn at(root: impl Into<PathBuf>) -> House {
        House(testkit::House::at(ABIDE, root)).planted()
    }

    fn planted(self) -> House {
        planted::variables().into_iter().fold(self, |house, (name, value)| house.setting(name, value))
    }

    /// One whose workers outlive their hosts.
    pub(crate) fn with_keeper() -> House {
        House::new().setting("ABIDE_KEEPER", "true")
    }

    /// With a variable in the environment of every `abide` that is run.
    pub(crate) fn setting(mut self, name: &str, value: &str) -> House {
        self.0.set(name, value);
        self
    }

    /// Runs `abide`, which must fail with this code, and gives its words.
    pub(crate) fn refused(&self, arguments: &[&str], code: i32) -> String {
        let output = self.run(arguments);
        let words = String::from_utf8(output.stderr).expect("words");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {words}");
        assert!(words.starts_with("error: ") && words.contains("\nhint: "), "{arguments:?}: {words}");
        words
    }

    /// Starts a worker that prints the planted secrets, wipes them away, and goes on with a script.
    pub(crate) fn leaky(&self, script: &str) -> Worker {
        self.script(&planted::printing(script))
    }
}

impl Deref for House {
    type Target = testkit::House;

    fn deref(&self) -> &testkit::House {
        &self.0
    }
}

impl Drop for House {
    fn drop(&mut self) {
        if !thread::panicking() {
            self.kill_all();
            planted::check(self);
        }
    }
}

/// Sets a flag when it is dropped, also when that is because something failed.
pub(crate) struct SetAtEnd<'f>(pub(crate) &'f AtomicBool);

impl Drop for SetAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// So many do something at the same time: most of the time goes by while processes start and leave.
const AT_ONCE: usize = 8;

/// Does something for every number below `count`, several at a time.
pub(crate) fn for_each(count: usize, act: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    act(number);
                }
            });
        }
    });
}

/// Whether a process runs.
pub(crate) fn is_alive(pid: u32) -> bool {
    Identity::of(pid).is_some()
}

/// Sends a signal to a process that the test knows to be its own.
pub(crate) fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(pid.cast_signed()).expect("a process");
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(pidfd) => pidfd_send_signal(pidfd, signal).expect("the signal is sent"),
        Err(_) => kill_process(pid, signal).expect("the signal is sent"),
    }
}
