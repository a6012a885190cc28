//! Work on worktrees that can be asked to stop: a start that a person cancels, everything that a server which leaves can
//! no longer wait for.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use api::{ErrorCode, Problem};
use model::WorktreeId;
use tokio::sync::watch;

/// Why work is asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// A person cancelled it.
    Cancelled,
    /// The server leaves, and has no more time for it.
    ServerLeaves,
}

impl StopReason {
    /// The reason in words, as it is written down for work that failed because of it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            StopReason::Cancelled => "cancelled",
            StopReason::ServerLeaves => UNSTARTED,
        }
    }

    pub(crate) fn problem(self) -> Problem {
        let code = match self {
            StopReason::Cancelled => ErrorCode::WrongState,
            StopReason::ServerLeaves => ErrorCode::Unavailable,
        };
        Problem::new(code, self.as_str())
    }
}

/// Why a worker never came to be that was being started when a server was stopped or killed.
pub(crate) const UNSTARTED: &str = "the server stopped before this began";

/// All work that can be asked to stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stops(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    is_leaving: bool,
    next: u64,
    work: HashMap<u64, Arc<Entry>>,
}

#[derive(Debug)]
struct Entry {
    worktree: WorktreeId,
    /// The work and everything that it does has a receiver of it.
    asked: watch::Sender<Option<StopReason>>,
    git: git::Stop,
}

impl Entry {
    fn ask(&self, reason: StopReason) {
        self.asked.send_modify(|asked| *asked = asked.or(Some(reason)));
        self.git.ask();
    }
}

impl Stops {
    /// Registers work on a worktree, until what this gives is dropped.
    ///
    /// # Errors
    ///
    /// When there is no descriptor left.
    pub(crate) fn begin(&self, worktree: WorktreeId) -> Result<Stoppable, Problem> {
        let git = git::Stop::new().map_err(|error| {
            Problem::new(ErrorCode::Unavailable, format!("the server cannot run that now: {error}"))
        })?;
        let (asked, is_asked) = watch::channel(None);
        let entry = Arc::new(Entry { worktree, asked, git: git.clone() });
        let mut known = self.lock();
        if known.is_leaving {
            entry.ask(StopReason::ServerLeaves);
        }
        let number = known.next;
        known.next += 1;
        known.work.insert(number, entry);
        drop(known);
        Ok(Stoppable { all: self.clone(), number, stop: Stop { asked: is_asked, git } })
    }

    /// Asks the work on a worktree to stop. What this gives waits until it has; nothing if there is no such work.
    pub(crate) fn cancel(&self, worktree: WorktreeId) -> Option<impl Future<Output = ()> + Send + use<>> {
        let found = self.lock().work.values().find(|entry| entry.worktree == worktree).cloned();
        let entry = found?;
        entry.ask(StopReason::Cancelled);
        Some(async move { entry.asked.closed().await })
    }

    /// Asks everything to stop, now and from now on: the server leaves.
    pub(crate) fn leave(&self) {
        let mut known = self.lock();
        known.is_leaving = true;
        for entry in known.work.values() {
            entry.ask(StopReason::ServerLeaves);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Work that is registered as long as this is there.
#[derive(Debug)]
pub(crate) struct Stoppable {
    all: Stops,
    number: u64,
    stop: Stop,
}

impl Stoppable {
    pub(crate) fn stop(&self) -> &Stop {
        &self.stop
    }
}

impl Drop for Stoppable {
    fn drop(&mut self) {
        self.all.lock().work.remove(&self.number);
    }
}

/// Tells work whether it is asked to stop.
#[derive(Clone, Debug)]
pub(crate) struct Stop {
    asked: watch::Receiver<Option<StopReason>>,
    git: git::Stop,
}

impl Stop {
    /// Refuses to go on once it is asked to stop.
    ///
    /// # Errors
    ///
    /// With the reason.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        self.asked.borrow().map_or(Ok(()), |reason| Err(reason.problem()))
    }

    /// Comes to an end when it is asked to stop.
    pub(crate) async fn asked(&self) -> StopReason {
        let mut asked = self.asked.clone();
        match asked.wait_for(Option::is_some).await.map(|reason| *reason) {
            Ok(Some(reason)) => reason,
            // The sender was dropped: no request to stop can come.
            _ => std::future::pending().await,
        }
    }

    /// The same for git.
    pub(crate) fn git(&self) -> git::Stop {
        self.git.clone()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn worktree(number: u8) -> WorktreeId {
        WorktreeId::from_random([number; 8])
    }

    #[tokio::test]
    async fn the_work_that_is_cancelled_is_asked_once_and_waited_for() {
        let stops = Stops::default();
        let (one, other) = (stops.begin(worktree(1)).unwrap(), stops.begin(worktree(2)).unwrap());
        assert!(stops.cancel(worktree(3)).is_none(), "there is no such work");
        assert_eq!(one.stop().asked().now_or_never(), None);
        let mut over = Box::pin(stops.cancel(worktree(1)).expect("it is under way"));
        assert_eq!(one.stop().asked().await, StopReason::Cancelled);
        assert_eq!(one.stop().check().unwrap_err().error.message, "cancelled");
        assert!(other.stop().check().is_ok());
        stops.leave();
        assert_eq!(one.stop().asked().await, StopReason::Cancelled, "the first reason stays");
        assert_eq!(other.stop().asked().await, StopReason::ServerLeaves);
        assert_eq!((&mut over).now_or_never(), None, "it has not stopped yet");
        drop(one);
        over.await;
        assert!(stops.cancel(worktree(1)).is_none(), "it has stopped");
        let late = stops.begin(worktree(4)).unwrap();
        assert!(late.stop().check().is_err(), "a server that leaves begins nothing");
    }
}
