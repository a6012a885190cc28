//! Secrets in plain text, which has lines and no screen.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::Rules;
use super::search::{Hit, Source};
use crate::open::Open;
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
        let (mut search, mut at) = (Search::default(), 0);
        for line in text.split_inclusive('\n') {
            search.line(self, line);
            findings.extend(search.findings(self, at));
            at += line.len();
        }
        findings
    }

    /// What finds the first secret of a plain text.
    pub(crate) fn first_source(&self, text: &str) -> Option<Source> {
        let mut search = Search::default();
        text.lines().find_map(|line| {
            search.line(self, line);
            search.hits.first().map(|hit| hit.source)
        })
    }

    /// Masks the secrets of a plain text. Every line keeps its columns.
    pub fn mask_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut masked = String::new();
        let mut done = 0;
        let (mut search, mut at) = (Search::default(), 0);
        for line in text.split_inclusive('\n') {
            search.line(self, line);
            search.mask(text, at, &mut done, &mut masked);
            at += line.len();
        }
        rest_of(text, done, masked)
    }
}

/// Masks a plain text that comes line by line. What one line says about the next, as that a private key goes
/// on, is kept.
#[derive(Debug)]
pub struct TextMasker {
    rules: Arc<Rules>,
    search: Search,
}

/// A line of a plain text, as it may be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskedLine<'a> {
    /// The line with its secrets masked; it keeps its columns.
    pub text: Cow<'a, str>,
    /// The secrets, in order and without overlap. Their ranges are those in the line as it was.
    pub findings: Vec<Finding>,
}

impl TextMasker {
    /// A masker for a text that begins.
    pub fn new(rules: Arc<Rules>) -> TextMasker {
        TextMasker { rules, search: Search::default() }
    }

    /// Masks the next line, which may have its line end or not.
    pub fn line<'a>(&mut self, line: &'a str) -> MaskedLine<'a> {
        self.search.line(&self.rules, line);
        let (mut masked, mut done) = (String::new(), 0);
        self.search.mask(line, 0, &mut done, &mut masked);
        let findings = self.search.findings(&self.rules, 0).collect();
        MaskedLine { text: rest_of(line, done, masked), findings }
    }
}

/// The search through one line after the other.
#[derive(Debug, Default)]
struct Search {
    columns: Vec<u8>,
    /// Where in the line each column's character starts, and where the last one ends.
    starts: Vec<usize>,
    hits: Vec<Hit>,
    /// What goes on after the line.
    open: Open,
}

impl Search {
    /// Finds the secrets of the next line.
    fn line(&mut self, rules: &Rules, line: &str) {
        let line = line.trim_end_matches(['\r', '\n']);
        self.columns.clear();
        self.starts.clear();
        for (index, c) in line.char_indices() {
            let cols = columns::push(&mut self.columns, c);
            self.starts.extend((0..cols).map(|_| index));
        }
        self.starts.push(line.len());
        self.open = rules.search(&self.columns, self.open, &mut self.hits).open;
    }

    /// The bytes of a hit. They end where the next character begins, so that marks on the last one go with it.
    fn range(&self, hit: &Hit) -> Range<usize> {
        self.starts[hit.columns.start]..self.starts[hit.columns.end]
    }

    /// The matches in the line, which starts at byte `at` of its text.
    fn findings<'a>(&'a self, rules: &'a Rules, at: usize) -> impl Iterator<Item = Finding> + 'a {
        self.hits.iter().map(move |hit| {
            let Range { start, end } = self.range(hit);
            Finding { rule: rules.name_of(hit.source).to_owned(), range: at + start..at + end }
        })
    }

    /// Writes the text from byte `done` up to the last secret of the line, which starts at byte `at` of the text.
    fn mask(&self, text: &str, at: usize, done: &mut usize, masked: &mut String) {
        for hit in &self.hits {
            let Range { start, end } = self.range(hit);
            masked.push_str(&text[*done..at + start]);
            let of = hit.columns.len();
            masked.extend((0..of).map(|index| char::from(mask::character(index, of))));
            *done = at + end;
        }
    }
}

/// A text that is masked up to byte `done`.
fn rest_of(text: &str, done: usize, mut masked: String) -> Cow<'_, str> {
    if done == 0 {
        return Cow::Borrowed(text);
    }
    masked.push_str(&text[done..]);
    Cow::Owned(masked)
}
