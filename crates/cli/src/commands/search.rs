//! `abide search`: searches all recorded output.

mod show;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::thread;

use anyhow::Context;
use clap::Args;
use home::{Worker, WorkerDir};
use model::WorkerId;
use playback::{Case, MaskedRecording, Query, Source};
use reading::{Asked, Bounds, Stop, Unread};

use crate::failure::{Failure, NO};
use crate::moment::Moment;
use crate::{output, rules, workers};

/// The default number of hits: more than a person reads.
const MOST_HITS: NonZeroUsize = NonZeroUsize::new(1_000).expect("it is not zero");

/// Search the output of all workers
///
/// Searches the recordings of all workers, or of the named ones, newest first. It searches the text that stood on the
/// screen: each line once, without colours, with secrets masked. A pattern without capitals also matches capitals.
#[derive(Args)]
pub(super) struct Search {
    /// A regular expression
    #[arg(value_name = "PATTERN")]
    pattern: String,
    /// The workers' names, or the beginnings of their ids; by default all workers
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Search for the pattern as plain text, not as a regular expression
    #[arg(long, short = 'F')]
    fixed: bool,
    /// Ignore the difference between capitals and small letters
    #[arg(long, short)]
    ignore_case: bool,
    /// Respect the difference between capitals and small letters
    #[arg(long, short = 's', conflicts_with = "ignore_case")]
    case_sensitive: bool,
    /// Print this many lines before and after each hit
    #[arg(long, short = 'C', value_name = "LINES", default_value_t = 1)]
    context: usize,
    /// Begin at this moment: 10m (ago), 03:00, 2026-01-31 03:00, or +90s (into each recording)
    #[arg(long, value_name = "MOMENT")]
    since: Option<Moment>,
    /// Stop at this moment
    #[arg(long, value_name = "MOMENT")]
    until: Option<Moment>,
    /// Print at most this many hits, the newest ones
    #[arg(long, short = 'm', value_name = "HITS", default_value_t = MOST_HITS)]
    max: NonZeroUsize,
    /// Print JSON, one hit in each line
    #[arg(long)]
    json: bool,
}

impl Search {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let case = match (self.ignore_case, self.case_sensitive) {
            (true, _) => Case::Insensitive,
            (_, true) => Case::Sensitive,
            _ => Case::Smart,
        };
        let query = Query::new(&self.pattern, self.fixed, case).map_err(|error| {
            Failure::usage(error)
                .hint("search for a text as it is with `--fixed`, or put \\ before ( [ { * + ? .")
        })?;
        let home = workers::home()?;
        let searched = if self.names.is_empty() {
            home.workers().context("cannot list the workers")?
        } else {
            self.names.iter().map(|name| workers::called(&home, name)).collect::<Result<_, _>>()?
        };
        let masks = rules::masks(&home)?;
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let asked =
            Asked { query: &query, context: self.context, most: self.max.get(), threads, holds_back: false };
        let bounds = |_, recording: &MaskedRecording| {
            let begins_us = recording.segments().first().map_or(0, |first| first.head.time_us);
            Some(Bounds {
                since_us: self.since.map_or(0, |since| since.time_us(begins_us)),
                until_us: self.until.map_or(u64::MAX, |until| until.time_us(begins_us)),
                seen: 0,
            })
        };
        let dirs: Vec<WorkerDir> = searched.iter().map(|worker| worker.dir.clone()).collect();
        let found = reading::search(&dirs, &masks, &asked, bounds, &Stop::default());
        let searched: BTreeMap<WorkerId, Worker> =
            searched.into_iter().map(|worker| (worker.dir.id(), worker)).collect();
        for (worker, unread) in
            found.unread.iter().filter_map(|(id, unread)| Some((searched.get(id)?, unread)))
        {
            eprintln!("warning: {}", sentence(worker, unread));
        }
        let text = if self.json {
            show::json(&found, &searched, self.context)?
        } else {
            show::words(&found, &searched, self.context)
        };
        output::write(text)?;
        if found.has_more {
            eprintln!("(only the newest {} hits; use `--max` for more, `--until` for older ones)", self.max);
        }
        match (found.passages.is_empty(), found.unread.is_empty()) {
            (false, _) => Ok(0),
            (true, true) => Ok(NO),
            (true, false) => {
                Err(Failure::ours("no matches; some recordings could not be read, see the warnings")
                    .hint("`abide doctor` checks the data directory"))
            }
        }
    }
}

/// What of a worker's recording could not be searched.
fn sentence(worker: &Worker, unread: &Unread) -> String {
    let name = &worker.meta.name;
    match unread {
        Unread::Closed(error) => format!("cannot search worker `{name}`: {error}"),
        Unread::Segment(error) => format!("cannot search all of worker `{name}`: {error}"),
        Unread::Damaged => format!("a part of the recording of worker `{name}` is damaged"),
        Unread::Panicked => format!("the search of worker `{name}` failed"),
    }
}
