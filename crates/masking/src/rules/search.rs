//! Searching one line of column bytes.

use std::ops::Range;

use super::{NEEDLE_START, Rules, Target};
use crate::private_key;

/// A secret in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) columns: Range<usize>,
    pub(crate) source: Source,
}

/// What found a secret; of two that found the same one, the smaller is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    Key,
    Value(usize),
    Rule(usize),
}

/// What a line has in it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    /// A trigger, so that more may become a secret when the line changes.
    pub(crate) stirred: bool,
    /// A private key that does not end in it.
    pub(crate) key_open: bool,
}

/// Of the newest findings so many are asked whether they hold a trigger already.
const RECENT: usize = 8;

impl Rules {
    /// The most columns that a trigger has.
    pub(crate) fn longest_trigger(&self) -> usize {
        self.triggers.longest()
    }

    /// Whether there is anything in a text that a secret may be near to.
    #[inline]
    pub(crate) fn stirs(&self, columns: &[u8]) -> bool {
        !self.everywhere.is_empty() || self.triggers.any(columns)
    }

    /// Finds the secrets of a line, in order and without overlap. `key_open`: a private key began before it.
    pub(crate) fn search(&self, line: &[u8], key_open: bool, hits: &mut Vec<Hit>) -> Found {
        hits.clear();
        let mut found = Found { stirred: !self.everywhere.is_empty(), key_open };
        let mut on_line: Vec<usize> = self.everywhere.clone();
        let mut key_begins = false;
        for trigger in self.triggers.all(line) {
            found.stirred = true;
            let at = trigger.start;
            match self.targets[trigger.literal].1 {
                Target::Key => key_begins = true,
                Target::Line(rule) if !on_line.contains(&rule) => on_line.push(rule),
                Target::Line(_) => {}
                Target::Value(value) => {
                    if let Some(columns) = self.values[value].found_at(line, at) {
                        hits.push(Hit { columns, source: Source::Value(value) });
                    }
                }
                Target::Here(rule) => {
                    let source = Source::Rule(rule);
                    let known = |hit: &&Hit| hit.source == source && hit.columns.contains(&at);
                    if hits.iter().rev().take(RECENT).any(|hit| known(&hit)) {
                        continue;
                    }
                    if let Some(columns) = self.rules[rule].secret_at(line, at) {
                        hits.push(Hit { columns, source });
                    }
                }
            }
        }
        for rule in on_line {
            let source = Source::Rule(rule);
            self.rules[rule].secrets_in(line, |columns| hits.push(Hit { columns, source }));
        }
        if key_begins || key_open {
            found.key_open = private_key::search(line, key_open, |columns| {
                hits.push(Hit { columns, source: Source::Key });
            });
        }
        merge(hits);
        found
    }

    pub(crate) fn name_of(&self, source: Source) -> &str {
        match source {
            Source::Key => private_key::NAME,
            Source::Value(value) => &self.values[value].name,
            Source::Rule(rule) => &self.rules[rule].name,
        }
    }
}

const _: () = assert!(NEEDLE_START >= 8, "shorter starts would stand in ordinary words");

/// Sorts findings and makes one of those that overlap.
fn merge(hits: &mut Vec<Hit>) {
    if hits.len() < 2 {
        return;
    }
    hits.sort_by_key(|hit| (hit.columns.start, hit.source));
    hits.dedup_by(|next, hit| {
        let overlap = next.columns.start < hit.columns.end;
        if overlap {
            hit.columns.end = hit.columns.end.max(next.columns.end);
            hit.source = hit.source.min(next.source);
        }
        overlap
    });
}
