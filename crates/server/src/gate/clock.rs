//! The gate's clock.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use jiff::Timestamp;

/// A wait that may be boxed and sent.
pub type Wait = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The gate's source of time. A test can replace it and move it by hand.
pub trait Clock: Send + Sync {
    /// The current time of a clock that only moves forward.
    fn now(&self) -> Instant;

    /// The current date and time.
    fn wall(&self) -> Timestamp;

    /// Ends after this time.
    fn wait(&self, time: Duration) -> Wait;
}

/// The real time.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealClock;

impl Clock for RealClock {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn wall(&self) -> Timestamp {
        Timestamp::now()
    }

    fn wait(&self, time: Duration) -> Wait {
        Box::pin(tokio::time::sleep(time))
    }
}
