//! A data directory with made-up recordings.

use std::sync::atomic::{AtomicU8, Ordering};

use home::{Home, WorkerDir};
use model::{TermSize, WorkerId};
use testkit::{DataDirectory, Life};

/// A data directory that is gone when this is.
pub(crate) struct House {
    pub(crate) home: Home,
    /// Part of every id: a process of another test's worker must not pass for one of ours.
    number: u8,
    _directory: DataDirectory,
}

impl House {
    pub(crate) fn new() -> House {
        static HOUSES: AtomicU8 = AtomicU8::new(0);
        let directory = DataDirectory::new();
        let number = HOUSES.fetch_add(1, Ordering::Relaxed);
        House { home: directory.home.clone(), number, _directory: directory }
    }

    /// A worker that begins to live. Its terminal has one row: a line settles as soon as the next one is printed.
    pub(crate) fn life(&self, number: u8, begins_us: u64) -> Life {
        let [a, b, c, d] = std::process::id().to_le_bytes();
        let dir = self.home.worker(WorkerId::from_random([number, self.number, a, b, c, d, 0, 0]));
        Life::begin(dir, begins_us, TermSize::clamped(60, 1))
    }

    /// A worker that has printed these lines, one each second from a time on, and ended.
    pub(crate) fn worker(&self, number: u8, begins_us: u64, lines: &[&str]) -> WorkerDir {
        let mut life = self.life(number, begins_us);
        for line in lines {
            life.print(format!("{line}\r\n")).wait_ms(1_000);
        }
        life.exit();
        life.dir
    }
}
