//! Searching one line of column bytes.

use std::ops::Range;

use super::rule::Secret;
use super::{NEEDLE_START, Rules, Target};
use crate::block::InBlock;
use crate::dump::{self, Cut, Dump};
use crate::folded::{self, Folded, Piece};
use crate::open::Open;
use crate::private_key::{self, After};

/// A secret in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) columns: Range<usize>,
    pub(crate) source: Source,
}

/// What found a secret; of two that found the same one, the smaller is named. Values and rules go by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    Key,
    Block,
    Value(u16),
    Rule(u16),
}

impl Source {
    // Neither are there more than a few thousand of.
    fn value(number: usize) -> Source {
        Source::Value(number as u16)
    }

    fn rule(number: usize) -> Source {
        Source::Rule(number as u16)
    }
}

/// What a line has in it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    /// A trigger, so that more may become a secret when the line changes.
    pub(crate) stirred: bool,
    /// What goes on after it.
    pub(crate) open: Open,
    /// The end of a private key that began in no line that is known.
    pub(crate) ends_key: bool,
}

/// What is said to have found the lines of a YAML block.
const BLOCK: &str = "assigned-block";

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

    /// Finds the secrets of a line, in order and without overlap. `before`: what goes on in it.
    pub(crate) fn search(&self, line: &[u8], before: Open, hits: &mut Vec<Hit>) -> Found {
        hits.clear();
        let mut found = Found { stirred: !self.everywhere.is_empty(), ..Found::default() };
        let mut on_line: Vec<usize> = self.everywhere.clone();
        let mut near_key = false;
        for trigger in self.triggers.all(line) {
            found.stirred = true;
            let at = trigger.start;
            match self.targets[trigger.literal].1 {
                Target::Key => near_key = true,
                Target::Line(rule) if !on_line.contains(&rule) => on_line.push(rule),
                Target::Line(_) => {}
                Target::Value(value) => {
                    if let Some(columns) = self.values[value].found_at(line, at) {
                        hits.push(Hit { columns, source: Source::value(value) });
                    } else {
                        self.add_piece(value, self.values[value].piece(0, line, at), &mut found, hits);
                    }
                }
                Target::InValue(value) => {
                    self.add_piece(value, self.values[value].piece(NEEDLE_START, line, at), &mut found, hits);
                }
                Target::Here(rule) => {
                    let source = Source::rule(rule);
                    let known = |hit: &&Hit| hit.source == source && hit.columns.contains(&at);
                    if hits.iter().rev().take(RECENT).any(|hit| known(&hit)) {
                        continue;
                    }
                    match self.rules[rule].secret_at(line, at) {
                        Some(Secret::Columns(columns)) => hits.push(Hit { columns, source }),
                        Some(Secret::Below(block)) => found.open = Open::Block(block),
                        None => {}
                    }
                }
            }
        }
        for rule in on_line {
            let source = Source::rule(rule);
            self.rules[rule].secrets_in(line, |columns| hits.push(Hit { columns, source }));
        }
        if before != Open::Nothing {
            self.go_on(line, before, &mut found, hits);
        }
        if self.may_be_dump(line) {
            self.search_dump(line, before, &mut found, hits);
        }
        if near_key || before == Open::Key {
            let key = private_key::search(line, before == Open::Key, |columns| {
                hits.push(Hit { columns, source: Source::Key });
            });
            match key {
                After::Nothing => {}
                After::Open => found.open = Open::Key,
                After::EndedUnknown => found.ends_key = true,
            }
        }
        merge(hits);
        found
    }

    /// Whether a line may be one of a dump in which known values are looked for.
    #[inline]
    pub(crate) fn may_be_dump(&self, line: &[u8]) -> bool {
        self.knows_bytes && dump::may_be(line)
    }

    /// Finds how a block or a folded value goes on in a line.
    fn go_on(&self, line: &[u8], before: Open, found: &mut Found, hits: &mut Vec<Hit>) {
        match before {
            Open::Block(block) => match block.line(line) {
                InBlock::Text(columns) => {
                    hits.push(Hit { columns, source: Source::Block });
                    found.open = before;
                }
                InBlock::Nothing => found.open = before,
                InBlock::Ended => {}
            },
            Open::Folded(Folded { value, at }) => {
                let value = usize::from(value);
                let piece = folded::rest(&self.values[value].columns, usize::from(at), line);
                self.add_piece(value, piece, found, hits);
            }
            Open::Nothing | Open::Key | Open::Dump(_) => {}
        }
    }

    fn add_piece(&self, value: usize, piece: Option<Piece>, found: &mut Found, hits: &mut Vec<Hit>) {
        let Some(piece) = piece else { return };
        if let (Some(at), Ok(value)) = (piece.goes_on_at, u16::try_from(value))
            && found.open == Open::Nothing
        {
            // Values have at most a few thousand columns.
            found.open = Open::Folded(Folded { value, at: at as u16 });
        }
        if piece.is_sure {
            hits.push(Hit { columns: piece.columns, source: Source::value(value) });
        }
    }

    /// Finds known values in a line of a dump.
    fn search_dump(&self, line: &[u8], before: Open, found: &mut Found, hits: &mut Vec<Hit>) {
        let Some(dump) = Dump::read(line) else { return };
        found.stirred = true;
        let mut longest = 0;
        for (index, value) in self.values.iter().enumerate().filter(|(_, value)| !value.bytes.is_empty()) {
            let at = match before {
                Open::Dump(cut) if usize::from(cut.value) == index => Some(usize::from(cut.at)),
                _ => None,
            };
            let source = Source::value(index);
            let open = dump.find(&value.bytes, at, |columns| hits.push(Hit { columns, source }));
            if let (Some(at), Ok(value)) = (open, u16::try_from(index))
                && at > longest
                && !matches!(found.open, Open::Block(_))
            {
                longest = at;
                found.open = Open::Dump(Cut { value, at: at as u16 });
            }
        }
    }

    pub(crate) fn name_of(&self, source: Source) -> &str {
        match source {
            Source::Key => private_key::NAME,
            Source::Block => BLOCK,
            Source::Value(value) => &self.values[usize::from(value)].name,
            Source::Rule(rule) => &self.rules[usize::from(rule)].name,
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
