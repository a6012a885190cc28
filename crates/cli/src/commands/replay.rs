//! `abide replay`: a worker's recording, played in the terminal we were started in.
//!
//! What is shown is painted from a terminal model, as `attach` paints windows onto screens of another size: no recorded
//! byte reaches the outer terminal, so no question is asked of it and nothing is put into its clipboard.

mod help;
mod keys;
mod reel;
mod replaying;
mod scout;
mod search;
mod show;
mod signs;
mod status;

use std::io;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use home::Worker;
use masking::Rules;
use playback::{MaskedRecording, Player, Source};
use rustix::stdio::{stdin, stdout};
use rustix::termios::isatty;
use terminal::HistoryLimit;

use crate::failure::Failure;
use crate::moment::Moment;
use crate::open_outer::open_outer;
use crate::{rules, workers};
use outer::Signals;
use outer::Takeover;
use reel::Reel;
use replaying::{Replaying, Span};
use scout::Scout;
use show::{Ending, Show};
use viewer::reach::{self, Condition};

/// As much as a host keeps: a larger screen brings lines back.
const HISTORY: HistoryLimit = HistoryLimit { lines: 20_000, bytes: 256 << 10 };

/// Play a worker's recording in this terminal
///
/// Space pauses, the arrow keys jump back and forth, `[` and `]` jump from mark to mark, / searches, ? lists all keys,
/// q quits. Secrets are masked. For a live worker, abide plays the recording so far; `abide attach` shows the worker
/// live.
#[derive(Args)]
pub(super) struct Replay {
    /// The worker's name, or the beginning of its id
    #[arg(value_name = "NAME")]
    name: String,
    /// Begin at this moment: 10m (ago), 03:00, 2026-01-31 03:00, or +90s (into the recording)
    #[arg(long, value_name = "MOMENT")]
    from: Option<Moment>,
    /// The playing speed, from 0.1 to 1000
    #[arg(long, value_name = "TIMES", default_value = "1", value_parser = speed)]
    speed: f64,
}

impl Replay {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let home = workers::home()?;
        let worker = workers::called(&home, &self.name)?;
        let name = &worker.meta.name;
        let instead =
            format!("`abide logs {name}` prints its output, `abide export {name}` makes a file of it");
        if !isatty(stdin()) || !isatty(stdout()) {
            let refused = "cannot play the recording: standard input and output are not a terminal";
            return Err(Failure::usage(refused).hint(instead));
        }
        let rules = rules::rules_for(&home, &worker.dir)?;
        let player = Player::new(recording(&worker, Arc::clone(&rules))?, HISTORY);
        let (start_us, end_us) = (player.start().time_us, player.end().time_us);
        let span = Span { start_us, end_us: end_us.max(start_us) };
        let from_us = self.from.map(|from| from.time_us(start_us));

        let ending = match reach::condition(&worker.dir) {
            Condition::Live(_) | Condition::NotAnswering { .. } => Ending::Live { name: name.to_string() },
            Condition::Exited(note) => Ending::Exited(note.status),
            Condition::Lost => Ending::Lost,
        };
        let outer = open_outer(&instead)?;
        let signals = Signals::listen().context("cannot listen for signals")?;
        let scout = Scout::new(worker.dir.recording(), Arc::clone(&rules)).context("cannot look ahead")?;
        let size = outer.size()?;
        let takeover = Takeover::begin(outer)?;
        let shown = Show::new(
            &takeover,
            signals,
            scout,
            Reel::new(player),
            Replaying::new(span, self.speed),
            ending,
            size,
        )
        .and_then(|show| show.run(from_us));
        takeover.end();
        shown?;
        Ok(0)
    }
}

/// A worker's recording, masked, with something in it.
fn recording(worker: &Worker, rules: Arc<Rules>) -> Result<MaskedRecording, Failure> {
    let name = &worker.meta.name;
    let nothing = || {
        Failure::no(format!("worker `{name}` has no recording"))
            .hint(format!("its host's log may say why: {}", worker.dir.log().display()))
    };
    match MaskedRecording::open(&worker.dir.recording(), rules) {
        Ok(recording) if recording.segments().is_empty() => Err(nothing()),
        Ok(recording) => Ok(recording),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(nothing()),
        Err(error) => {
            let error =
                anyhow::Error::from(error).context(format!("cannot read the recording of worker `{name}`"));
            Err(Failure::from(error).hint("`abide doctor` checks the data directory"))
        }
    }
}

fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse::<f64>().ok().filter(|speed| (0.1..=1000.0).contains(speed));
    speed.ok_or_else(|| "give a number from 0.1 to 1000".to_owned())
}
