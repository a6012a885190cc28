//! Recordings of made-up workers.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use home::Home;
use jiff::Timestamp;
use masking::Rules;
use model::{MaskPolicy, TermSize, WorkerId};
use playback::{Growth, seal_recording};
use testkit::{BLANK, DataDirectory, Random};

pub(crate) use testkit::Life;

/// The start time of every worker.
pub(crate) const BEGIN_US: u64 = 1_700_000_000_000_000;

/// A text that looks like a secret. It is put together here, so that scanners do not report this file.
pub(crate) fn secret() -> String {
    format!("ghp_{}", "q7Zt2XbK9mR4vLd8HwPf3NsJ6yGc5TaQ1xVe")
}

/// A data directory with workers.
pub(crate) struct House(DataDirectory);

impl House {
    pub(crate) fn new() -> House {
        House(DataDirectory::new())
    }

    pub(crate) fn home(&self) -> &Home {
        &self.0.home
    }

    /// Starts a worker.
    pub(crate) fn life(&self, number: u8) -> Life {
        Life::begin(self.home().worker(WorkerId::from_random([number; 8])), BEGIN_US, size(80, 24))
    }
}

/// Seals a worker's recording.
pub(crate) fn seal(life: &Life, policy: MaskPolicy) {
    let masks = playback::Masks { policy, rules: rules(), are_complete: true };
    seal_recording(&life.dir.recording(), || Growth::Finished, &masks, Duration::ZERO).expect("sealed");
}

/// Prints numbered lines in several segments. Returns all output.
pub(crate) fn numbered(life: &mut Life, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut printed = Vec::new();
    for number in 0..random.between(20, 120) {
        let line = format!("line {number} {}\r\n", "x".repeat(random.below(200)));
        life.print(&line);
        printed.extend_from_slice(line.as_bytes());
        life.wait_ms(random.below(3) as u64 * 500);
        if random.percent(8) {
            life.segment();
            printed.extend_from_slice(BLANK);
        }
    }
    life.exit();
    printed
}

/// The built-in masking rules.
pub(crate) fn rules() -> Arc<Rules> {
    static RULES: LazyLock<Arc<Rules>> = LazyLock::new(|| Arc::new(Rules::builtin()));
    Arc::clone(&RULES)
}

pub(crate) fn size(cols: u16, rows: u16) -> TermSize {
    TermSize::clamped(cols, rows)
}

pub(crate) fn timestamp(time_us: u64) -> Timestamp {
    Timestamp::from_microsecond(time_us as i64).expect("a time")
}

/// The time so many milliseconds after the start.
pub(crate) fn after_ms(ms: u64) -> Timestamp {
    timestamp(BEGIN_US + ms * 1_000)
}
