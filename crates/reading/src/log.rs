//! Everything kept of a worker's output, and what it prints from now on.

mod settled;
mod show;

use std::io;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use home::WorkerDir;
use jiff::Timestamp;
use masking::Rules;
use model::{Epoch, Offset};
use playback::MaskedRecording;
use protocol::Attach;
use thiserror::Error;
use viewer::reach::{self, Condition, Unreached};

use crate::pieces::{Missing, Piece, Printed, pieces};
use crate::{HeldBack, Seen, Watch, WatchError};
use show::Show;

/// How far a recording may be behind its host before output counts as missing.
const RECORDED_WITHIN: Duration = Duration::from_secs(2);

/// A program that prints on does so sooner than this. Later, the rest of a word will not come, and the part that came is
/// shown.
const IDLE_AFTER: Duration = Duration::from_millis(200);

/// The same where something tells of a secret: a program may stop in the midst of one. Longer than programs think between
/// two prints, and short enough for a reader who waits for a question that has the word `password` in it.
const SECRET_AFTER: Duration = Duration::from_secs(3);

/// A recording does not announce that it grows, so we look again after this long.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// The form of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogForm {
    /// Bytes as they were printed.
    Raw,
    /// Lines of text, as the terminal showed them.
    Text,
}

/// What is wanted of a worker's output.
#[derive(Clone, Debug)]
pub struct Log {
    /// In which form.
    pub form: LogForm,
    /// From when until when, in microseconds since the Unix epoch.
    pub wanted_us: RangeInclusive<u64>,
    /// How to attach to the worker, to go on until it ends.
    pub follow: Option<Attach>,
}

/// Where a log goes.
pub trait Sink {
    /// Takes output, with secrets masked.
    ///
    /// # Errors
    ///
    /// When no more of it can be taken. Nothing more comes then.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Takes the news that output is missing here.
    ///
    /// # Errors
    ///
    /// As for output.
    fn missing(&mut self, missing: Missing) -> io::Result<()>;
}

/// Why a log ends early.
#[derive(Debug, Error)]
pub enum LogError {
    /// The recording cannot be read.
    #[error("cannot read the recording")]
    Unreadable(#[source] io::Error),
    /// The worker cannot be watched.
    #[error(transparent)]
    Watch(#[from] WatchError),
    /// The sink takes no more.
    #[error("cannot write the log")]
    Sink(#[source] io::Error),
}

impl Log {
    /// Writes the log of a worker. Returns how many bytes of its recording are damaged and could not be read.
    ///
    /// # Errors
    ///
    /// When the recording cannot be read, the worker cannot be watched, or the sink takes no more.
    pub fn write(self, dir: &WorkerDir, rules: &Arc<Rules>, sink: &mut dyn Sink) -> Result<u64, LogError> {
        if self.form == LogForm::Text && self.follow.is_none() {
            return self.write_settled(dir, rules, sink);
        }
        let mut output = Output {
            dir,
            rules: Arc::clone(rules),
            show: Show::new(Arc::clone(rules), self.form, self.follow.is_some(), sink),
            at: Offset(0),
            epoch: Epoch(0),
            damaged_bytes: 0,
            wanted_us: self.wanted_us,
        };
        output.show_recorded()?;
        if let Some(attach) = self.follow {
            output.follow(attach)?;
        }
        output.show.finish()?;
        Ok(output.damaged_bytes)
    }

    /// Writes every line that settled, and those that stand on the screen now.
    fn write_settled(
        &self,
        dir: &WorkerDir,
        rules: &Arc<Rules>,
        sink: &mut dyn Sink,
    ) -> Result<u64, LogError> {
        let recording = match MaskedRecording::open(&dir.recording(), Arc::clone(rules)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            opened => opened.map_err(LogError::Unreadable)?,
        };
        settled::show(&recording, |time_us| self.wanted_us.contains(&time_us), sink)?;
        Ok(recording.damaged_bytes())
    }
}

/// A worker's output, shown up to an offset.
struct Output<'a> {
    dir: &'a WorkerDir,
    rules: Arc<Rules>,
    show: Show<'a>,
    at: Offset,
    /// The epoch of that offset.
    epoch: Epoch,
    /// How many bytes of the recording could not be read.
    damaged_bytes: u64,
    wanted_us: RangeInclusive<u64>,
}

impl Output<'_> {
    /// Shows the part of the recording that was not shown yet.
    fn show_recorded(&mut self) -> Result<(), LogError> {
        let found = pieces(self.dir, &self.rules, self.at, self.epoch, self.show.size());
        let mut pieces = found.map_err(LogError::Unreadable)?;
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
                Piece::Missing(missing) if is_wanted => self.show.missing(missing)?,
                Piece::Missing(_) => {}
            }
        }
        (self.at, self.epoch) = (pieces.at(), pieces.epoch());
        self.damaged_bytes = self.damaged_bytes.max(pieces.damaged_bytes());
        Ok(())
    }

    /// Shows what is printed from now on, until the worker ends.
    fn follow(&mut self, attach: Attach) -> Result<(), LogError> {
        match reach::condition(self.dir) {
            Condition::Live(report) => {
                // Even before the first screen is recorded, the width of lines must be known.
                if self.show.size().is_none() {
                    self.show.resize(report.size)?;
                }
                self.epoch = self.epoch.max(report.epoch);
            }
            Condition::NotAnswering { pid } => {
                return Err(WatchError::Unreached(Unreached::NotAnswering { pid }).into());
            }
            Condition::Exited(_) | Condition::Lost => return self.show_recorded(),
        }
        let attach = Attach { since: Some(self.at), epoch: Some(self.epoch), ..attach };
        let mut watch = match Watch::start(self.dir, attach) {
            Ok(watch) => watch,
            Err(Unreached::Exited(_) | Unreached::Lost) => return self.show_recorded(),
            Err(error) => return Err(WatchError::Unreached(error).into()),
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
                    let now_us = u64::try_from(Timestamp::now().as_microsecond()).unwrap_or(0);
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
    fn notice_epoch(&mut self, at: Offset) -> Result<(), LogError> {
        let Condition::Live(report) = reach::condition(self.dir) else { return Ok(()) };
        let deadline = Instant::now() + RECORDED_WITHIN;
        while self.epoch < report.epoch {
            self.show_recorded()?;
            if self.epoch >= report.epoch {
                break;
            }
            if Instant::now() > deadline {
                (self.at, self.epoch) = (self.at.min(at), report.epoch);
                return self.show.missing(Missing { from: self.at, to: None });
            }
            thread::sleep(LOOK_AGAIN);
        }
        Ok(())
    }

    /// Shows what the host no longer had in memory, from the recording. Says whether that has it.
    fn catch_up(&mut self, to: Offset) -> Result<bool, LogError> {
        let deadline = Instant::now() + RECORDED_WITHIN;
        while self.at < to {
            self.show_recorded()?;
            if self.at >= to {
                break;
            }
            if Instant::now() > deadline {
                self.show.missing(Missing { from: self.at, to: Some(to) })?;
                self.at = to;
                return Ok(false);
            }
            thread::sleep(LOOK_AGAIN);
        }
        Ok(true)
    }

    fn is_wanted_at(&self, time_us: u64) -> bool {
        self.wanted_us.contains(&time_us)
    }
}
