//! The host's own log: one line each, never what was typed or printed.

use std::io::{Write, stderr};
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;

/// A host lives for weeks. When its log is so long, it begins anew.
const MOST_BYTES: u64 = 1 << 20;

/// What this process has written to it.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// Writes a line to the log, which is standard error.
pub(crate) fn line(text: &str) {
    let line = format!("{:.3} {text}\n", Timestamp::now());
    let length = line.len() as u64;
    if WRITTEN.fetch_add(length, Ordering::Relaxed) + length > MOST_BYTES {
        WRITTEN.store(length, Ordering::Relaxed);
        // Fails when the log is no file, and then it does not grow either.
        let _ = rustix::fs::ftruncate(rustix::stdio::stderr(), 0);
    }
    // A full disk must not stop a terminal.
    let _ = stderr().write_all(line.as_bytes());
}
