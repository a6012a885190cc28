//! The host's own log: one line each, never input or output.

mod visits;

use std::fs;
use std::io::{Write, stderr};
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use rustix::fs::{Mode, OFlags};

pub(crate) use visits::Visits;

/// A host lives for weeks. When its log is so long, it begins anew, and what there was is kept beside it.
const MOST_BYTES: u64 = 1 << 20;

/// Where the log is: a host's working directory is its worker's.
const LOG: &str = "log";
/// Where the log before it goes.
const OLD_LOG: &str = "log.old";

/// What this process has written to it.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// Writes a line to the log, which is standard error.
pub(crate) fn line(text: &str) {
    let line = format!("{:.3} {text}\n", Timestamp::now());
    let length = line.len() as u64;
    if WRITTEN.fetch_add(length, Ordering::Relaxed) + length > MOST_BYTES {
        WRITTEN.store(length, Ordering::Relaxed);
        begin_anew();
    }
    // A full disk must not stop a terminal.
    let _ = stderr().write_all(line.as_bytes());
}

fn begin_anew() {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // What fails leaves the log as it is, which is better than none.
    let _ = fs::rename(LOG, OLD_LOG);
    if let Ok(file) = rustix::fs::open(LOG, flags, Mode::RUSR | Mode::WUSR) {
        let _ = rustix::stdio::dup2_stderr(file);
    }
}
