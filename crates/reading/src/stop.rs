//! Work that can be told to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use thiserror::Error;

/// Tells work that its caller no longer waits, or that it has taken too long. Clones are the same one.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    is_set: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

/// Why work stopped before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Stopped {
    /// The caller no longer waits for it.
    #[error("the caller no longer waits for this")]
    Unwanted,
    /// It took longer than it may.
    #[error("this takes too long; ask for less of it")]
    Late,
}

impl Stop {
    /// One that stops by itself after so long.
    pub fn after(limit: Duration) -> Stop {
        Stop { deadline: Instant::now().checked_add(limit), ..Stop::default() }
    }

    /// The caller no longer waits.
    pub fn set(&self) {
        self.is_set.store(true, Ordering::Relaxed);
    }

    /// A guard that sets it when dropped, for a caller that waits and may leave.
    pub fn when_dropped(&self) -> StopGuard {
        StopGuard(self.clone())
    }

    /// Whether to go on.
    ///
    /// # Errors
    ///
    /// When not.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_set.load(Ordering::Relaxed) {
            return Err(Stopped::Unwanted);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stopped::Late),
            _ => Ok(()),
        }
    }
}

/// Sets a [`Stop`] when it is dropped.
#[derive(Debug)]
#[must_use = "it stops the work when it is dropped"]
pub struct StopGuard(Stop);

impl Drop for StopGuard {
    fn drop(&mut self) {
        self.0.set();
    }
}
