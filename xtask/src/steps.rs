//! Prints what a long build does: each line with the time since the start.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Tells of steps on standard error. Steps may overlap, and threads may share it.
#[derive(Clone, Copy)]
pub(crate) struct Steps {
    begun: Instant,
}

impl Steps {
    /// Starts the clock.
    pub(crate) fn begin() -> Steps {
        Steps { begun: Instant::now() }
    }

    /// Says what begins or is worth knowing.
    pub(crate) fn say(self, what: impl Display) {
        // cargo draws its progress on the line that the cursor is in.
        let clear = if io::stderr().is_terminal() { "\r\x1b[K" } else { "" };
        // If standard error is closed, only this line is lost.
        let _ = writeln!(io::stderr(), "{clear}[{}] {what}", clock(self.begun.elapsed()));
    }

    /// Does a step, and says when it begins and how long it took.
    pub(crate) fn step<T, E>(self, what: impl Display, step: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        self.say(format_args!("{what} …"));
        let begun = Instant::now();
        let done = step();
        let took = begun.elapsed().as_secs_f64();
        let word = if done.is_ok() { "done" } else { "FAILED" };
        self.say(format_args!("{what}: {word} after {took:.1} s"));
        done
    }
}

/// Minutes and seconds.
fn clock(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_returns_its_result() {
        assert_eq!(Steps::begin().step("a number", || Ok::<_, ()>(7)), Ok(7));
        assert_eq!(Steps::begin().step("nothing", || Err::<(), _>("why")), Err("why"));
    }

    #[test]
    fn the_clock_shows_minutes_and_seconds() {
        assert_eq!(clock(Duration::from_millis(7_900)), "0:07");
        assert_eq!(clock(Duration::from_secs(601)), "10:01");
    }
}
