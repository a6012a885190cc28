//! The gate's clock.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use jiff::Timestamp;

/// A wait that may be boxed and sent.
pub type Wait = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Time as the gate knows it, so that a test can move it by hand.
pub trait Pace: Send + Sync {
    /// Now, on a clock that nobody sets.
    fn now(&self) -> Instant;

    /// Now, as people and the database write it.
    fn wall(&self) -> Timestamp;

    /// Comes to an end after so long.
    fn wait(&self, time: Duration) -> Wait;
}

/// Time as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealPace;

impl Pace for RealPace {
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
