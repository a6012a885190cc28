//! `abide wait`: until something is so.

mod text;

use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{ArgGroup, Args};
use home::Worker;
use model::ExitStatus;
use regex_lite::Regex;

use crate::commands::screen;
use crate::failure::Failure;
use crate::process_end::ends_before;
use crate::watch::{End, Seen, Watch};
use crate::workers;
use reach::{Life, Unreached};
use text::Text;

/// Lines before the screen in which a text is looked for that is already there.
const HISTORY_LINES: u32 = 1000;

/// Wait until a worker ends, shows a text or is quiet
///
/// Without an option, until it ends. Then the exit code is the child's: 128 and the signal's number if one killed it, 125
/// if nobody knows. Otherwise 0 says that it is so, and 1 that the time is over or that the worker ended first.
#[derive(Args)]
#[command(group = ArgGroup::new("until"))]
pub(super) struct Wait {
    /// The worker's name, or the beginning of its id
    #[arg(value_name = "NAME")]
    name: String,
    /// Until it ends
    #[arg(long, group = "until")]
    exit: bool,
    /// Until a line on its screen, or of its recent history, matches this regular expression
    #[arg(long, group = "until", value_name = "REGEX", value_parser = regex)]
    text: Option<Regex>,
    /// Until it has printed nothing for so many milliseconds
    #[arg(long, group = "until", value_name = "MS")]
    quiet: Option<u64>,
    /// No longer than so many seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,
}

impl Wait {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let worker = workers::called(&workers::home()?, &self.name)?;
        // A time beyond all clocks is for ever.
        let deadline = self.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let waiting = Waiting { worker: &worker, deadline, timeout: self.timeout };
        match (self.text, self.quiet) {
            (Some(regex), _) => waiting.for_text(&regex),
            (None, Some(quiet_ms)) => waiting.for_quiet(Duration::from_millis(quiet_ms)),
            (None, None) => waiting.for_exit(),
        }
    }
}

fn regex(text: &str) -> Result<Regex, String> {
    Regex::new(text)
        .map_err(|error| format!("{error}; put a backslash before a character that is meant as itself"))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok();
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "give a number of seconds, as in 30 or 0.5".to_owned())
}

struct Waiting<'a> {
    worker: &'a Worker,
    deadline: Option<Instant>,
    timeout: Option<Duration>,
}

impl Waiting<'_> {
    /// Waits for the host's process, which leaves once its child has ended and everything is on disk; a worker that is
    /// adopted has another then.
    fn for_exit(&self) -> Result<u8, Failure> {
        let dir = &self.worker.dir;
        loop {
            if let Some(host) = dir.identity().and_then(|identity| identity.open()) {
                if !ends_before(&host, self.deadline).context("cannot wait for the host")? {
                    return Err(self.time_is_over("still runs"));
                }
                continue;
            }
            match reach::life(dir) {
                Life::Exited(note) if note.status == ExitStatus::Unknown => return Err(self.nobody_knows()),
                Life::Exited(note) => return Ok(note.status.code()),
                Life::Lost => return Err(self.lost()),
                Life::Live(_) | Life::NotAnswering { .. } => {}
            }
        }
    }

    fn for_text(&self, regex: &Regex) -> Result<u8, Failure> {
        let wanted = format!("never showed `{}`", model::display_safe(regex.as_str()));
        let mut watch = match Watch::start(self.worker, workers::quietly("wait", true, HISTORY_LINES)) {
            Ok(watch) => watch,
            Err(Unreached::Exited(_) | Unreached::Lost) => {
                let terminal = screen::terminal(self.worker, HISTORY_LINES)?;
                return if text::is_shown(&terminal, regex) { Ok(0) } else { Err(self.ended_first(&wanted)) };
            }
            Err(error) => return Err(workers::unreached(self.worker, error)),
        };
        let mut shown = Text::new(regex);
        loop {
            let found = match watch.next(self.deadline)? {
                Seen::Screen(screen) => shown.redraw(&screen),
                Seen::Output { bytes, .. } => shown.feed(&bytes),
                Seen::Ended(_) => return Err(self.ended_first(&wanted)),
                Seen::Late => return Err(self.time_is_over(&wanted)),
            };
            if found {
                return Ok(0);
            }
        }
    }

    fn for_quiet(&self, quiet: Duration) -> Result<u8, Failure> {
        let wanted = format!("was never quiet for {} ms", quiet.as_millis());
        let start = Watch::start(self.worker, workers::quietly("wait", true, 0));
        let mut watch = match start {
            Ok(watch) => watch,
            Err(Unreached::Exited(_) | Unreached::Lost) => {
                return Err(self.ended_first("prints nothing any more"));
            }
            Err(error) => return Err(workers::unreached(self.worker, error)),
        };
        let mut printed = Instant::now();
        loop {
            let quiet_at = printed + quiet;
            let deadline = self.deadline.map_or(quiet_at, |deadline| deadline.min(quiet_at));
            match watch.next(Some(deadline))? {
                Seen::Output { .. } => printed = Instant::now(),
                // After a resize it is the same screen in another size.
                Seen::Screen(_) => {}
                Seen::Ended(End::Exited(_) | End::Lost) => return Err(self.ended_first(&wanted)),
                Seen::Late if Instant::now() >= quiet_at => return Ok(0),
                Seen::Late => return Err(self.time_is_over(&wanted)),
            }
        }
    }

    fn time_is_over(&self, what: &str) -> Failure {
        let name = &self.worker.meta.name;
        let seconds = self.timeout.unwrap_or_default().as_secs_f64();
        Failure::no(format!("after {seconds} s, worker `{name}` {what}"))
            .hint(format!("look at it with `abide screen {name}`, or wait longer"))
    }

    fn nobody_knows(&self) -> Failure {
        let name = &self.worker.meta.name;
        Failure::ours(format!(
            "worker `{name}` has ended, and nobody knows how: its host was killed before it"
        ))
        .hint(format!("`abide logs {name}` has its output"))
    }

    fn lost(&self) -> Failure {
        let name = &self.worker.meta.name;
        Failure::ours(format!("worker `{name}` is lost: its host was killed, and its child with it"))
            .hint(format!("`abide logs {name}` has what it printed"))
    }

    fn ended_first(&self, what: &str) -> Failure {
        let name = &self.worker.meta.name;
        let how = self.worker.dir.exit_note().map_or_else(
            || "is lost".to_owned(),
            |note| format!("has ended ({})", workers::ended(note.status)),
        );
        Failure::no(format!("worker `{name}` {how} and {what}"))
            .hint(format!("`abide logs {name}` has all its output"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_seconds() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for text in ["", "-1", "soon", "NaN", "inf", "1e300"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
