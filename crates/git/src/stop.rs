//! Asking git to stop.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use system::Waker;

use crate::locks;

/// Asks a checkout to stop, and the wait for a repository that others change. All clones are asked together.
///
/// Short runs of git are not stopped, so that a checkout that was stopped can be undone.
#[derive(Clone, Debug)]
pub struct Stop(Arc<Asked>);

#[derive(Debug)]
struct Asked {
    is_asked: AtomicBool,
    /// Readable once it was asked. It is never cleared, so it stays readable.
    waker: Waker,
}

impl Stop {
    /// One that was not asked yet.
    ///
    /// # Errors
    ///
    /// When there is no descriptor left.
    pub fn new() -> io::Result<Stop> {
        Ok(Stop(Arc::new(Asked { is_asked: AtomicBool::new(false), waker: Waker::new()? })))
    }

    /// Asks everything that has this to stop. It stays asked.
    pub fn ask(&self) {
        self.0.is_asked.store(true, Ordering::SeqCst);
        self.0.waker.wake();
        locks::wake();
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.0.is_asked.load(Ordering::SeqCst)
    }

    pub(crate) fn event(&self) -> BorrowedFd<'_> {
        self.0.waker.as_fd()
    }
}
