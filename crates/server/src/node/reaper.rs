//! Collects hosts that have ended. They are children of the server until the server ends.
//!
//! A small thread waits for each of them. Listening for `SIGCHLD` instead would interrupt every other thread in its
//! system calls.

use std::process::Child;
use std::thread;

/// A thread that only waits needs little.
const STACK_BYTES: usize = 64 << 10;

/// Takes over a process, and collects it when it ends.
pub(super) fn take(mut child: Child) {
    let waiting = thread::Builder::new().name("reaper".into()).stack_size(STACK_BYTES);
    // The host's exit note says how it ended, so the status is dropped. If no thread can be started, the process stays in
    // the kernel's list until the server ends.
    let _ = waiting.spawn(move || child.wait());
}
