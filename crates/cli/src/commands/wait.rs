//! `abide wait`: waits until a worker ends, shows a text, is quiet, asks something or ends a turn.

mod agent;
mod text;

use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{ArgGroup, Args};
use home::Worker;
use model::ExitStatus;
use regex_lite::Regex;

use crate::commands::screen;
use crate::failure::Failure;
use crate::{output, the_server, workers};
use agent::{Until, Waited};
use reading::{End, Seen, Watch};
use text::Text;
use viewer::reach::{self, Condition, Unreached};

/// Lines before the screen in which a text is looked for that is already there.
const HISTORY_LINES: u32 = 1000;

/// Wait until a worker ends, shows a text, is quiet, asks something or ends a turn
///
/// Without an option, waits until the worker ends, and exits with the child's exit code: 128 plus the signal's number
/// if a signal killed it, 125 if the exit code is unknown. With another option, exits with 0 when that is true, and with 1
/// when the time is up or the worker ended first. `--asking` and `--turn` need the server: start it with `abide serve`.
#[derive(Args)]
#[command(group = ArgGroup::new("until"))]
pub(super) struct Wait {
    /// The worker's name, or the beginning of its id
    #[arg(value_name = "NAME")]
    name: String,
    /// Wait until the worker ends
    #[arg(long, group = "until")]
    exit: bool,
    /// Wait until a line on the screen or in the recent history matches this regular expression
    #[arg(long, group = "until", value_name = "REGEX", value_parser = regex)]
    text: Option<Regex>,
    /// Wait until the worker has printed nothing for this many milliseconds
    #[arg(long, group = "until", value_name = "MS")]
    quiet: Option<u64>,
    /// Wait until its agent asks something, and print the question
    #[arg(long, group = "until")]
    asking: bool,
    /// Wait until its agent ends the turn that it is in, or the next one if it is idle, and print its last words
    #[arg(long, group = "until")]
    turn: bool,
    /// Wait at most this many seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,
}

impl Wait {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let worker = workers::called(&workers::home()?, &self.name)?;
        // A time beyond all clocks is for ever.
        let deadline = self.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let waiting = Waiting { worker: &worker, deadline, timeout: self.timeout };
        if self.asking || self.turn {
            return waiting.for_agent(if self.asking { Until::Asking } else { Until::Turn });
        }
        match (self.text, self.quiet) {
            (Some(regex), _) => waiting.for_text(&regex),
            (None, Some(quiet_ms)) => waiting.for_quiet(Duration::from_millis(quiet_ms)),
            (None, None) => waiting.for_exit(),
        }
    }
}

fn regex(text: &str) -> Result<Regex, String> {
    Regex::new(text)
        .map_err(|error| format!("{error}; put a backslash before a special character to match it as it is"))
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
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
                if !host.ends_before(self.deadline).context("cannot wait for the host")? {
                    return Err(self.time_is_over("still runs"));
                }
                continue;
            }
            match reach::condition(dir) {
                Condition::Exited(note) if note.status == ExitStatus::Unknown => {
                    return Err(self.unknown_exit());
                }
                Condition::Exited(note) => return Ok(note.status.code()),
                Condition::Lost => return Err(self.lost()),
                Condition::Live(_) | Condition::NotAnswering { .. } => {}
            }
        }
    }

    fn for_text(&self, regex: &Regex) -> Result<u8, Failure> {
        let wanted = format!("never showed `{}`", model::display_safe(regex.as_str()));
        let mut watch = match Watch::start(&self.worker.dir, workers::quietly("wait", true, HISTORY_LINES)) {
            Ok(watch) => watch,
            Err(Unreached::Exited(_) | Unreached::Lost) => {
                let terminal = screen::terminal(self.worker, HISTORY_LINES)?;
                return if text::is_shown(&terminal, regex) { Ok(0) } else { Err(self.ended_first(&wanted)) };
            }
            Err(error) => return Err(workers::unreached(self.worker, error)),
        };
        let mut shown = Text::new(regex);
        loop {
            let found =
                match watch.next(self.deadline).map_err(|error| workers::unwatched(self.worker, error))? {
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
        let start = Watch::start(&self.worker.dir, workers::quietly("wait", true, 0));
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
            match watch.next(Some(deadline)).map_err(|error| workers::unwatched(self.worker, error))? {
                Seen::Output { .. } => printed = Instant::now(),
                // After a resize it is the same screen in another size.
                Seen::Screen(_) => {}
                Seen::Ended(End::Exited(_) | End::Lost) => return Err(self.ended_first(&wanted)),
                Seen::Late if Instant::now() >= quiet_at => return Ok(0),
                Seen::Late => return Err(self.time_is_over(&wanted)),
            }
        }
    }

    fn for_agent(&self, until: Until) -> Result<u8, Failure> {
        let server = the_server::find()?;
        let wanted = match until {
            Until::Asking => "asked nothing",
            Until::Turn => "ended no turn",
        };
        match agent::wait(&server, self.worker.meta.worker, until, self.deadline)? {
            Waited::Is(worker) => {
                let words = match until {
                    Until::Asking => worker.question.and_then(|question| question.text),
                    Until::Turn => worker.turn.and_then(|turn| turn.message),
                };
                if let Some(words) = words {
                    output::write(format!("{words}\n"))?;
                }
                Ok(0)
            }
            Waited::Ended => Err(self.ended_first(wanted)),
            Waited::Late => Err(self.time_is_over(wanted)),
        }
    }

    fn time_is_over(&self, what: &str) -> Failure {
        let name = &self.worker.meta.name;
        let seconds = self.timeout.unwrap_or_default().as_secs_f64();
        Failure::no(format!("after {seconds} s, worker `{name}` {what}"))
            .hint(format!("look at it with `abide screen {name}`, or wait longer"))
    }

    fn unknown_exit(&self) -> Failure {
        let name = &self.worker.meta.name;
        Failure::ours(format!(
            "worker `{name}` has ended with an unknown exit code: its host was killed before it"
        ))
        .hint(format!("`abide logs {name}` prints its output"))
    }

    fn lost(&self) -> Failure {
        let name = &self.worker.meta.name;
        Failure::ours(format!("worker `{name}` is lost: its host was killed, and its program with it"))
            .hint(format!("`abide logs {name}` prints its output"))
    }

    fn ended_first(&self, what: &str) -> Failure {
        let name = &self.worker.meta.name;
        let how = self.worker.dir.exit_note().map_or_else(
            || "is lost".to_owned(),
            |note| format!("has ended ({})", workers::ended(note.status)),
        );
        Failure::no(format!("worker `{name}` {how} and {what}"))
            .hint(format!("`abide logs {name}` prints all its output"))
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
