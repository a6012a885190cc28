//! Failures on demand, so that tests can see the host survive them. Not in release builds.

use std::io;
#[cfg(debug_assertions)]
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The variable that arms them.
#[cfg(debug_assertions)]
const ARMED: &str = "ABIDE_FAULTS";

/// Output with this text makes the model panic.
#[cfg(debug_assertions)]
const PANIC: &[u8] = b"abide-fault:panic";

/// Output with this text makes the model hang.
#[cfg(debug_assertions)]
const HANG: &[u8] = b"abide-fault:hang";

/// Once this was printed, the disk takes as long for a write as there is no file of this name in the worker's directory.
#[cfg(debug_assertions)]
const STALL: &[u8] = b"abide-fault:stall";

/// Once this was printed, the disk can only be read, until there is such a file.
#[cfg(debug_assertions)]
const READ_ONLY: &[u8] = b"abide-fault:read-only";

/// Whether that was printed.
#[cfg(debug_assertions)]
static READ_ONLY_NOW: AtomicBool = AtomicBool::new(false);

/// As long as there is a file of this name in the worker's directory, the disk does not come to an end of forcing
/// anything onto it. Writes go on: the system has them in memory.
#[cfg(debug_assertions)]
const SLOW_SYNC: &str = "slow-sync";

/// The file that mends the disk; a host's working directory is its worker's.
#[cfg(debug_assertions)]
const MENDED: &str = "mended";

/// Whether the model or the disk shall fail on what is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Faults {
    #[cfg(debug_assertions)]
    armed: bool,
}

impl Faults {
    #[cfg(debug_assertions)]
    pub(crate) fn from_environment() -> Faults {
        Faults { armed: std::env::var_os(ARMED).is_some() }
    }

    #[cfg(not(debug_assertions))]
    pub(crate) fn from_environment() -> Faults {
        Faults {}
    }

    /// How long a model or a disk may stand still before we go on without it.
    #[cfg(debug_assertions)]
    pub(crate) fn patience(self, usual: Duration) -> Duration {
        if self.armed { usual / 10 } else { usual }
    }

    #[cfg(not(debug_assertions))]
    pub(crate) fn patience(self, usual: Duration) -> Duration {
        usual
    }

    /// Called with everything that the model is fed.
    #[cfg(debug_assertions)]
    pub(crate) fn on_feed(self, bytes: &[u8]) {
        let contains = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
        if self.armed && contains(PANIC) {
            panic!("asked to");
        }
        while self.armed && contains(HANG) {
            std::thread::park();
        }
    }

    #[cfg(not(debug_assertions))]
    pub(crate) fn on_feed(self, _bytes: &[u8]) {}

    /// Called with everything that is to be recorded.
    #[cfg(debug_assertions)]
    pub(crate) fn on_write(self, bytes: &[u8]) -> io::Result<()> {
        let contains = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
        let is_broken = || !std::path::Path::new(MENDED).exists();
        while self.armed && contains(STALL) && is_broken() {
            std::thread::sleep(Duration::from_millis(10));
        }
        if self.armed && contains(READ_ONLY) {
            READ_ONLY_NOW.store(true, Ordering::Relaxed);
        }
        if READ_ONLY_NOW.load(Ordering::Relaxed) && is_broken() {
            return Err(io::ErrorKind::ReadOnlyFilesystem.into());
        }
        Ok(())
    }

    #[cfg(not(debug_assertions))]
    pub(crate) fn on_write(self, _bytes: &[u8]) -> io::Result<()> {
        Ok(())
    }

    /// Called before anything is forced to the disk.
    #[cfg(debug_assertions)]
    pub(crate) fn on_sync(self) {
        while self.armed && std::path::Path::new(SLOW_SYNC).exists() {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[cfg(not(debug_assertions))]
    pub(crate) fn on_sync(self) {}
}
