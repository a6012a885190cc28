//! What is searched for.

use std::ops::Range;

use recording::Text;
use regex::{Regex, RegexBuilder};
use thiserror::Error;

use super::needles::Needles;

/// A pattern may be so large when compiled: far more than anybody writes, and nothing to fear.
const MOST_BYTES: usize = 8 << 20;

/// Whether capitals and small letters are different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// They are, if the pattern has a capital.
    Smart,
    /// They are.
    Sensitive,
    /// They are not.
    Insensitive,
}

/// A pattern to search lines for.
#[derive(Clone, Debug)]
pub struct Query {
    regex: Regex,
    /// Bytes that a line must have to match.
    needles: Needles,
}

/// Why a pattern cannot be searched for.
#[derive(Debug, Error)]
#[error("the pattern makes no sense: {0}")]
pub struct QueryError(String);

impl Query {
    /// A query for a regular expression, or for a text as it is.
    ///
    /// # Errors
    ///
    /// When it is no regular expression, or an enormous one.
    pub fn new(pattern: &str, is_text: bool, case: Case) -> Result<Query, QueryError> {
        let pattern = if is_text { regex::escape(pattern) } else { pattern.to_owned() };
        let insensitive = match case {
            Case::Sensitive => false,
            Case::Insensitive => true,
            Case::Smart => !pattern.chars().any(char::is_uppercase),
        };
        let regex = RegexBuilder::new(&pattern)
            .case_insensitive(insensitive)
            .multi_line(true)
            .size_limit(MOST_BYTES)
            .build();
        let regex = regex.map_err(|error| QueryError(one_line(&error.to_string())))?;
        Ok(Query { regex, needles: Needles::of(&pattern) })
    }

    /// Whether a stretch of text may have a line that matches. False is certain.
    pub(super) fn may_match(&self, text: &Text) -> bool {
        self.needles.may_be_in(&|needle| text.may_contain(needle))
    }

    /// Where in a line the matches are, the empty ones left out.
    pub fn matches(&self, line: &str) -> Vec<Range<usize>> {
        let all = self.regex.find_iter(line).map(|found| found.range());
        all.filter(|range| !range.is_empty()).collect()
    }

    /// The numbers of the lines with matches.
    pub(super) fn lines_with_matches(&self, text: &str) -> Vec<usize> {
        let mut lines = Vec::new();
        let (mut number, mut counted) = (0, 0);
        let mut from = 0;
        while let Some(found) = self.regex.find_at(text, from) {
            let start = found.start();
            number += memchr::memchr_iter(b'\n', &text.as_bytes()[counted..start]).count();
            let begins = memchr::memrchr(b'\n', &text.as_bytes()[..start]).map_or(0, |at| at + 1);
            let ends = memchr::memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |at| start + at);
            // A pattern that reaches over the end of a line is looked for in the line alone.
            if !self.matches(&text[begins..ends]).is_empty() {
                lines.push(number);
            }
            if ends + 1 > text.len() {
                break;
            }
            (from, counted) = (ends + 1, start);
        }
        lines
    }
}

/// Errors of the pattern come with a drawing of several lines; the last says what is wrong.
fn one_line(error: &str) -> String {
    let last = error.lines().last().unwrap_or(error);
    last.trim().trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(pattern: &str) -> Query {
        Query::new(pattern, false, Case::Smart).unwrap()
    }

    #[test]
    fn every_line_that_matches_is_found_once() {
        let text = "one error\ntwo\nerror error\n\nlast Error";
        assert_eq!(query("error").lines_with_matches(text), [0, 2, 4]);
        assert_eq!(query("Error").lines_with_matches(text), [4]);
        assert_eq!(query("^two$").lines_with_matches(text), [1]);
        assert_eq!(query("error$").lines_with_matches(text), [0, 2, 4]);
        assert_eq!(query("^last").lines_with_matches(text), [4]);
    }

    #[test]
    fn no_match_reaches_over_the_end_of_a_line() {
        assert_eq!(query(r"one\s+two").lines_with_matches("one\ntwo\none two\n"), [2]);
        assert_eq!(query("(?s)one.*").lines_with_matches("one\ntwo\none two\n"), [0, 2]);
    }

    #[test]
    fn a_line_that_only_matches_nothing_is_no_hit() {
        assert_eq!(query("x*").lines_with_matches("aaa\nbxb\n\n"), [1]);
    }

    #[test]
    fn a_text_is_taken_as_it_is() {
        let query = Query::new("a.b(", true, Case::Smart).unwrap();
        assert_eq!(query.lines_with_matches("axb(\na.b(\n"), [1]);
    }

    #[test]
    fn a_pattern_that_makes_no_sense_says_why() {
        let error = Query::new("a(b", false, Case::Smart).unwrap_err().to_string();
        assert!(error.contains("unclosed group") && !error.contains('\n'), "{error}");
        assert!(Query::new("((a{1000}){1000}){1000}", false, Case::Smart).is_err());
    }
}
