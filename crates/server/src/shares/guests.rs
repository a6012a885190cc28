//! What all guests use together.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::limits::{self, MOST_WAIT, Most};
use super::pace::{Pace, Rate};

/// What all guests use together.
#[derive(Debug)]
pub(super) struct Guests {
    pub(super) most_connections: Most,
    pub(super) connections: Counted,
    pub(super) requests: Counted,
    pub(super) reads: Counted,
    pub(super) exports: Counted,
    pub(super) request_rate: Paced,
    pub(super) attach_rate: Paced,
    pub(super) message_rate: Paced,
}

/// A number of something that may be in use at a time.
#[derive(Debug)]
pub(super) struct Counted(Arc<Semaphore>);

/// A rate that is kept by several tasks.
#[derive(Debug)]
pub(super) struct Paced(Mutex<Pace>);

impl Guests {
    /// At most half of all connections are for guests.
    pub(super) fn new(all_connections: usize) -> Guests {
        let all = limits::CONNECTIONS.all.min((all_connections / 2).max(1));
        let most_connections = Most { one: limits::CONNECTIONS.one, all };
        Guests {
            most_connections,
            connections: Counted::new(all),
            requests: Counted::new(limits::REQUESTS.all),
            reads: Counted::new(limits::READS.all),
            exports: Counted::new(limits::EXPORTS.all),
            request_rate: Paced::new(limits::REQUEST_RATE.all),
            attach_rate: Paced::new(limits::ATTACH_RATE.all),
            message_rate: Paced::new(limits::MESSAGE_RATE.all),
        }
    }
}

impl Counted {
    pub(super) fn new(most: usize) -> Counted {
        Counted(Arc::new(Semaphore::new(most)))
    }

    pub(super) fn try_take(&self) -> Option<OwnedSemaphorePermit> {
        self.0.clone().try_acquire_owned().ok()
    }

    /// Waits for one, in the order of asking. The semaphore is never closed, so there always is one in the end.
    pub(super) async fn take(&self) -> Option<OwnedSemaphorePermit> {
        self.0.clone().acquire_owned().await.ok()
    }
}

impl Paced {
    pub(super) fn new(rate: Rate) -> Paced {
        Paced(Mutex::new(Pace::new(rate)))
    }

    pub(super) fn wait(&self, cost: u32, now: Instant) -> Option<Duration> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).wait(cost, now, MOST_WAIT)
    }
}
