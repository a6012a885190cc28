//! `abide logs`: everything kept of a worker's output.

use std::io::{self, Write};

use clap::Args;
use home::Worker;
use reading::{Log, LogError, LogForm, Missing, Sink};

use crate::failure::Failure;
use crate::moment::Moment;
use crate::{output, rules, workers};

/// Print the recorded output of a worker
///
/// Prints text, line by line as the terminal showed it, with secrets masked. If output is missing, abide says so on
/// standard error.
#[derive(Args)]
pub(super) struct Logs {
    /// The worker's name, or the beginning of its id
    #[arg(value_name = "NAME")]
    name: String,
    /// Print the bytes as the program printed them, with secrets masked
    #[arg(long)]
    raw: bool,
    /// Begin at this moment: 10m (ago), 03:00, 2026-01-31 03:00, or +90s (into the recording)
    #[arg(long, value_name = "MOMENT")]
    since: Option<Moment>,
    /// Stop at this moment
    #[arg(long, value_name = "MOMENT", conflicts_with = "follow")]
    until: Option<Moment>,
    /// Keep printing until the worker ends
    #[arg(long, short)]
    follow: bool,
}

impl Logs {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let home = workers::home()?;
        let worker = workers::called(&home, &self.name)?;
        let rules = rules::rules_for(&home, &worker.dir)?;
        let begins_us = reading::begins_us(&worker.dir);
        let since_us = self.since.map_or(0, |since| since.time_us(begins_us));
        let until_us = self.until.map_or(u64::MAX, |until| until.time_us(begins_us));
        let log = Log {
            form: if self.raw { LogForm::Raw } else { LogForm::Text },
            wanted_us: since_us..=until_us,
            follow: self.follow.then(|| workers::quietly("logs", true, 0)),
        };
        let written = log.write(&worker.dir, &rules, &mut StandardOutput);
        let damaged_bytes = written.map_err(|error| failure(&worker, error))?;
        if damaged_bytes > 0 {
            eprintln!("({damaged_bytes} bytes of the recording are damaged and could not be read)");
        }
        Ok(0)
    }
}

fn failure(worker: &Worker, error: LogError) -> Failure {
    match error {
        LogError::Unreadable(error) => {
            let context = format!("cannot read the recording of worker `{}`", worker.meta.name);
            Failure::from(anyhow::Error::from(error).context(context))
                .hint("`abide doctor` checks the data directory")
        }
        LogError::Watch(error) => workers::unwatched(worker, error),
        LogError::Sink(error) => output::unwritten(error),
    }
}

/// Writes a log on standard output, and on standard error what is missing in it.
struct StandardOutput;

impl Sink for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        output::write_all(bytes)
    }

    fn missing(&mut self, missing: Missing) -> io::Result<()> {
        // A standard error that takes nothing ends no log.
        let _ = writeln!(io::stderr(), "{}", words(missing));
        Ok(())
    }
}

/// What is missing, in words.
fn words(missing: Missing) -> String {
    match missing {
        Missing { from, to: Some(to) } if from.0 == 0 => format!("(the first {to} bytes are no longer kept)"),
        Missing { from, to: Some(to) } => format!("({} bytes missing from byte {from} on)", to - from),
        Missing { from, to: None } => {
            format!("(an unknown number of bytes missing from byte {from} on: the host was killed)")
        }
    }
}
