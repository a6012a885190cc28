//! `abide search`: everything ever printed, by what it says.

mod at_once;
mod find;
mod show;

use std::num::NonZeroUsize;

use anyhow::Context;
use clap::Args;
use playback::{Case, Query};

use crate::failure::{Failure, NO};
use crate::moment::Moment;
use crate::{output, workers};
use find::Asked;

/// So many hits are more than anybody reads.
const MOST_HITS: NonZeroUsize = NonZeroUsize::new(1_000).expect("it is not zero");

/// Find lines in everything that was ever printed
///
/// In the recordings of all workers, or of those named, newest first. What is searched is text as it stood on the
/// screen: each line once, without colours, with secrets masked. A pattern without capitals matches them too.
#[derive(Args)]
pub(super) struct Search {
    /// A regular expression
    #[arg(value_name = "PATTERN")]
    pattern: String,
    /// The workers' names, or the beginnings of their ids; without any, all workers
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// The pattern is a text, not a regular expression
    #[arg(long, short = 'F')]
    fixed: bool,
    /// Capitals and small letters are the same
    #[arg(long, short)]
    ignore_case: bool,
    /// Capitals and small letters are different
    #[arg(long, short = 's', conflicts_with = "ignore_case")]
    case_sensitive: bool,
    /// So many lines before and after each hit
    #[arg(long, short = 'C', value_name = "LINES", default_value_t = 1)]
    context: usize,
    /// Nothing from before: 10m ago, 03:00, 2026-01-31 03:00, or +90s into each recording
    #[arg(long, value_name = "MOMENT")]
    since: Option<Moment>,
    /// Nothing from after
    #[arg(long, value_name = "MOMENT")]
    until: Option<Moment>,
    /// At most so many hits, the newest
    #[arg(long, short = 'm', value_name = "HITS", default_value_t = MOST_HITS)]
    max: NonZeroUsize,
    /// As JSON, one hit in each line
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
        let asked = Asked {
            query,
            context: self.context,
            since: self.since,
            until: self.until,
            most: self.max.get(),
        };
        let found = find::find(&home, &searched, &asked)?;
        for failure in &found.failures {
            eprintln!("warning: {}", failure.sentence());
        }
        let text = if self.json {
            show::json(&found, &searched, self.context)?
        } else {
            show::words(&found, &searched, self.context)
        };
        output::write(text)?;
        if found.is_cut {
            eprintln!("(only the newest {} hits; `--max` gives more, `--until` older ones)", self.max);
        }
        match (found.passages.is_empty(), found.failures.is_empty()) {
            (false, _) => Ok(0),
            (true, true) => Ok(NO),
            (true, false) => {
                Err(Failure::ours("nothing was found in what could be searched, which is not everything")
                    .hint("`abide doctor` looks at the data directory"))
            }
        }
    }
}
