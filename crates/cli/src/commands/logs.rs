//! `abide logs`: everything kept of a worker's output.

mod settled;
mod show;

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use home::Worker;
use masking::Rules;
use model::{Epoch, Offset};
use playback::MaskedRecording;
use protocol::Attach;

use crate::failure::Failure;
use crate::live_mask::HeldBack;
use crate::moment::Moment;
use crate::recorded::{self, Missing, Piece, Printed};
use crate::watch::{Seen, Watch};
use crate::{rules, workers};
use reach::{Life, Unreached};
use show::Show;

/// How far a recording may be behind its host before output counts as missing.
const RECORDED_WITHIN: Duration = Duration::from_secs(2);

/// A program that prints on does so sooner than this. Later, the rest of a word will not come, and what there is of it is
/// shown to whoever waits for it.
const IDLE_AFTER: Duration = Duration::from_millis(200);

/// The same where something tells of a secret: a program may stop in the midst of one. Longer than programs think between
/// two prints, and short enough for whoever waits for a question that has the word `password` in it.
const SECRET_AFTER: Duration = Duration::from_secs(3);

/// Nobody tells when a recording grows, so we look again after this long.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// Print everything kept of a worker's output
///
/// As text, lines as the terminal showed them, with secrets masked. Where output is missing, that is said on standard
/// error.
#[derive(Args)]
pub(super) struct Logs {
    /// The worker's name, or the beginning of its id
    #[arg(value_name = "NAME")]
    name: String,
    /// The bytes as they were printed, with secrets masked
    #[arg(long)]
    raw: bool,
    /// Nothing from before: 10m ago, 03:00, 2026-01-31 03:00, or +90s into the recording
    #[arg(long, value_name = "MOMENT")]
    since: Option<Moment>,
    /// Nothing from after
    #[arg(long, value_name = "MOMENT", conflicts_with = "follow")]
    until: Option<Moment>,
    /// Go on until the worker ends
    #[arg(long, short)]
    follow: bool,
}

impl Logs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let home = workers::home()?;
        let worker = workers::called(&home, &self.name)?;
        let rules = rules::rules_for(&home, &worker.dir)?;
        let begins_us = recorded::begins_us(&worker.dir);
        let mut logs = Output {
            worker: &worker,
            show: Show::new(Arc::clone(&rules), self.raw, self.follow),
            rules,
            at: Offset(0),
            epoch: Epoch(0),
            damaged_bytes: 0,
            since_us: self.since.map_or(0, |since| since.time_us(begins_us)),
            until_us: self.until.map_or(u64::MAX, |until| until.time_us(begins_us)),
        };
        if !self.raw && !self.follow {
            return logs.show_settled();
        }
        logs.show_recorded()?;
        if self.follow {
            logs.follow()?;
        }
        logs.show.finish()?;
        tell_damage(logs.damaged_bytes);
        Ok(0)
    }
}

/// Says how much of a recording could not be read.
fn tell_damage(bytes: u64) {
    if bytes > 0 {
        eprintln!("({bytes} bytes of the recording are damaged and could not be read)");
    }
}

/// A worker's output, shown up to an offset.
struct Output<'a> {
    worker: &'a Worker,
    rules: Arc<Rules>,
    show: Show,
    at: Offset,
    /// The epoch of that offset.
    epoch: Epoch,
    /// How many bytes of the recording could not be read.
    damaged_bytes: u64,
    since_us: u64,
    until_us: u64,
}

impl Output<'_> {
    /// Shows every line that settled, and those that stand on the screen now.
    fn show_settled(&self) -> Result<u8, Failure> {
        let opened = MaskedRecording::open(&self.worker.dir.recording(), Arc::clone(&self.rules));
        let recording = match opened {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            opened => opened.map_err(|error| self.unreadable(error))?,
        };
        settled::show(&recording, |time_us| self.is_wanted_at(time_us))?;
        tell_damage(recording.damaged_bytes());
        Ok(0)
    }

    fn unreadable(&self, error: io::Error) -> Failure {
        let name = &self.worker.meta.name;
        let error =
            anyhow::Error::from(error).context(format!("cannot read the recording of worker `{name}`"));
        Failure::from(error).hint("`abide doctor` looks at the data directory")
    }

    /// Shows what the recording has beyond what was shown.
    fn show_recorded(&mut self) -> Result<(), Failure> {
        let pieces = recorded::pieces(&self.worker.dir, &self.rules, self.at, self.epoch, self.show.size());
        let mut pieces = pieces.map_err(|error| self.unreadable(error))?;
        while let Some((time_us, piece)) = pieces.next() {
            (self.at, self.epoch) = (pieces.at(), pieces.epoch());
            // What stood on the screen before is not from within the time asked for.
            let is_wanted = self.is_wanted_at(time_us);
            self.show.want(is_wanted)?;
            match piece {
                Piece::Output(Printed { masked, plain }) => {
                    self.show.output(plain.as_ref().unwrap_or(&masked), &masked)?;
                }
                Piece::Resized(size) => self.show.resize(size)?,
                Piece::Screen(screen) => self.show.screen(&screen)?,
                Piece::Missing(missing) if is_wanted => self.tell(missing)?,
                Piece::Missing(_) => {}
            }
        }
        (self.at, self.epoch) = (pieces.at(), pieces.epoch());
        self.damaged_bytes = self.damaged_bytes.max(pieces.damaged_bytes());
        Ok(())
    }

    /// Shows what is printed from now on, until the worker ends.
    fn follow(&mut self) -> Result<(), Failure> {
        match reach::life(&self.worker.dir) {
            Life::Live(report) => {
                // Whoever is faster than the first screen in the recording still needs to know how wide lines are.
                if self.show.size().is_none() {
                    self.show.resize(report.size)?;
                }
                self.epoch = self.epoch.max(report.epoch);
            }
            Life::NotAnswering { pid } => return Err(workers::not_answering(self.worker, pid)),
            Life::Exited(_) | Life::Lost => return self.show_recorded(),
        }
        let attach =
            Attach { since: Some(self.at), epoch: Some(self.epoch), ..workers::quietly("logs", true, 0) };
        let mut watch = match Watch::start(self.worker, attach) {
            Ok(watch) => watch,
            Err(Unreached::Exited(_) | Unreached::Lost) => return self.show_recorded(),
            Err(error) => return Err(workers::unreached(self.worker, error)),
        };
        loop {
            let patience = self.show.held_back().map(|held| match held {
                HeldBack::Word => IDLE_AFTER,
                HeldBack::Secret => SECRET_AFTER,
            });
            let deadline = patience.map(|patience| Instant::now() + patience);
            match watch.next(deadline)? {
                Seen::Output { at, bytes } => {
                    self.catch_up(at)?;
                    let new = &bytes[(self.at - at).min(bytes.len())..];
                    let now_us = Moment::Ago(0).time_us(0);
                    self.show.want(self.is_wanted_at(now_us))?;
                    self.show.output(new, new)?;
                    self.at += new.len();
                }
                Seen::Screen(screen) => {
                    self.notice_epoch(screen.at)?;
                    if self.catch_up(screen.at)? {
                        self.show.resize(screen.size)?;
                    } else {
                        self.show.screen(&screen)?;
                    }
                }
                // A host that was killed may have recorded more than it sent.
                Seen::Ended(_) => return self.show_recorded(),
                Seen::Late => self.show.give_held()?,
            }
        }
    }

    /// Goes over to the epoch of a screen: a host that was killed may have sent what it had not recorded, and the one
    /// that took its place counts from the end of the recording. What that printed is recorded too, so it is shown from
    /// there.
    fn notice_epoch(&mut self, at: Offset) -> Result<(), Failure> {
        let Life::Live(report) = reach::life(&self.worker.dir) else { return Ok(()) };
        let deadline = Instant::now() + RECORDED_WITHIN;
        while self.epoch < report.epoch {
            self.show_recorded()?;
            if self.epoch >= report.epoch {
                break;
            }
            if Instant::now() > deadline {
                (self.at, self.epoch) = (self.at.min(at), report.epoch);
                return self.tell(Missing { from: self.at, to: None });
            }
            thread::sleep(LOOK_AGAIN);
        }
        Ok(())
    }

    /// Shows what the host no longer had in memory, from the recording. Says whether that has it.
    fn catch_up(&mut self, to: Offset) -> Result<bool, Failure> {
        let deadline = Instant::now() + RECORDED_WITHIN;
        while self.at < to {
            self.show_recorded()?;
            if self.at >= to {
                break;
            }
            if Instant::now() > deadline {
                self.tell(Missing { from: self.at, to: Some(to) })?;
                self.at = to;
                return Ok(false);
            }
            thread::sleep(LOOK_AGAIN);
        }
        Ok(true)
    }

    fn is_wanted_at(&self, time_us: u64) -> bool {
        (self.since_us..=self.until_us).contains(&time_us)
    }

    /// Says what is missing, behind everything that comes before it.
    fn tell(&mut self, missing: Missing) -> Result<(), Failure> {
        self.show.give_held()?;
        eprintln!("{}", show::words(missing));
        Ok(())
    }
}
