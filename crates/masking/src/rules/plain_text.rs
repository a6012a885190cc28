//! Secrets in plain text, which has lines and no screen.

use std::borrow::Cow;
use std::ops::Range;

use super::Rules;
use super::search::Hit;
use crate::{columns, mask};

/// A secret in a plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The name of the rule that found it.
    pub rule: String,
    /// Its bytes in the text.
    pub range: Range<usize>,
}

impl Rules {
    /// Finds the secrets of a plain text, in order and without overlap.
    pub fn find(&self, text: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        self.each(text, |hit, range, _| {
            findings.push(Finding { rule: self.name_of(hit.source).to_owned(), range });
        });
        findings
    }

    /// Masks the secrets of a plain text. Every line keeps its columns.
    pub fn mask_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut masked = String::new();
        let mut done = 0;
        self.each(text, |hit, range, _| {
            masked.push_str(&text[done..range.start]);
            let of = hit.columns.len();
            masked.extend((0..of).map(|index| char::from(mask::character(index, of))));
            done = range.end;
        });
        if done == 0 {
            return Cow::Borrowed(text);
        }
        masked.push_str(&text[done..]);
        Cow::Owned(masked)
    }

    fn each(&self, text: &str, mut found: impl FnMut(&Hit, Range<usize>, &str)) {
        let (mut line_columns, mut starts, mut hits) = (Vec::new(), Vec::new(), Vec::new());
        let (mut at, mut key_open) = (0, false);
        for line in text.split_inclusive('\n') {
            line_columns.clear();
            starts.clear();
            for (index, c) in line.trim_end_matches(['\r', '\n']).char_indices() {
                let cols = columns::push(&mut line_columns, c);
                starts.extend((0..cols).map(|_| index));
            }
            let end = line.trim_end_matches(['\r', '\n']).len();
            starts.push(end);
            key_open = self.search(&line_columns, key_open, &mut hits).key_open;
            for hit in &hits {
                // The end is where the next character begins, so that marks on the last one go with it.
                found(hit, at + starts[hit.columns.start]..at + starts[hit.columns.end], line);
            }
            at += line.len();
        }
    }
}
