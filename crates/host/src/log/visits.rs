//! Lines about viewers that come and go. There are only so many of them, or a viewer that comes and goes all the time
//! would fill the log and push the other lines out.

use std::time::{Duration, Instant};

use super::line;

/// So many lines may be written at once after a quiet time.
const AT_ONCE: u32 = 128;

/// After that, one line in this time: the log is full only after days.
const EVERY: Duration = Duration::from_secs(20);

/// Lines about viewers that come and go.
#[derive(Debug, Default)]
pub(crate) struct Visits {
    /// How many lines may be written now, and since when that is so.
    room: Option<(u32, Instant)>,
    /// How many were not written since the last one that was.
    left_out: u64,
}

impl Visits {
    /// Writes a line, if there is room for it.
    pub(crate) fn line(&mut self, text: &str) {
        if let Some(text) = self.written(text, Instant::now()) {
            line(&text);
        }
    }

    fn written(&mut self, text: &str, now: Instant) -> Option<String> {
        let (room, since) = self.room.unwrap_or((AT_ONCE, now));
        let passed = now.saturating_duration_since(since);
        let more = u32::try_from(passed.as_nanos() / EVERY.as_nanos()).unwrap_or(u32::MAX);
        let (room, since) = match room.saturating_add(more) {
            room if room >= AT_ONCE => (AT_ONCE, now),
            room => (room, since + EVERY * more),
        };
        let Some(left) = room.checked_sub(1) else {
            self.room = Some((0, since));
            self.left_out += 1;
            return None;
        };
        self.room = Some((left, since));
        Some(match std::mem::take(&mut self.left_out) {
            0 => text.to_owned(),
            left_out => format!("{text} ({left_out} lines about other viewers before this were left out)"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s19_viewers_that_come_and_go_do_not_fill_the_log() {
        let (mut visits, now) = (Visits::default(), Instant::now());
        let written = (0..10_000).filter(|_| visits.written("x", now).is_some()).count();
        assert_eq!(written, AT_ONCE as usize);
        let later = now + EVERY * 2;
        let words = visits.written("y", later);
        assert_eq!(words.as_deref(), Some("y (9872 lines about other viewers before this were left out)"));
        assert_eq!(visits.written("z", later).as_deref(), Some("z"));
        assert_eq!(visits.written("z", later), None);
        let much_later = later + EVERY * 1000;
        let written = (0..1000).filter(|_| visits.written("x", much_later).is_some()).count();
        assert_eq!(written, AT_ONCE as usize, "a quiet time makes no more room than this");
    }
}
