//! Waiting for something that has no event of its own.

use std::fmt::Debug;
use std::thread;
use std::time::{Duration, Instant};

/// How long a test waits for something that should happen at once: long enough for a machine under heavy load.
pub const WAIT: Duration = Duration::from_secs(30);

/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// Looks until there is something, with a deadline.
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    wait_until(what, || look().ok_or(""))
}

/// Looks until `look` returns something, with a deadline; after that it panics and says what there is instead.
pub fn wait_until<T, E: Debug>(what: &str, mut look: impl FnMut() -> Result<T, E>) -> T {
    let deadline = Instant::now() + WAIT;
    loop {
        match look() {
            Ok(found) => return found,
            Err(instead) => {
                assert!(Instant::now() < deadline, "{what}: not seen within {WAIT:?}: {instead:#?}");
            }
        }
        thread::sleep(PAUSE);
    }
}
