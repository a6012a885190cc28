//! Failures on demand, so that tests can see the host survive them. Not in release builds.

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

/// Whether the model shall fail on what is printed.
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

    /// How long a model may stand still before it is replaced.
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
}
