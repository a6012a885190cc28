//! How long a test waits for something that should happen at once: long enough for a machine under heavy load.

use std::time::{Duration, Instant};

pub(crate) const SOON: Duration = Duration::from_secs(30);

pub(crate) fn soon() -> Option<Instant> {
    Some(Instant::now() + SOON)
}
