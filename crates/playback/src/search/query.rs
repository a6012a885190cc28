//! A query: the pattern of a search.

use std::ops::Range;

use recording::Text;
use regex::{Regex, RegexBuilder};
use thiserror::Error;

use super::needles::Needles;
use super::pattern;

/// The largest size of a compiled pattern: far more than a person writes, and little memory.
const MOST_BYTES: usize = 8 << 20;

/// A pattern that was read is written out again with more groups than the person wrote, who may nest 250 of them.
const MOST_NESTED: u32 = 2_000;

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
    /// Matches within lines only, whether it is asked about one line or about many.
    regex: Regex,
    /// Bytes that a line must have to match.
    needles: Needles,
}

/// Why a pattern cannot be searched for.
#[derive(Debug, Error)]
#[error("the pattern is not valid: {0}")]
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
            Case::Smart => !pattern::has_capital(&pattern),
        };
        let pattern = pattern::parse(&pattern, insensitive).map_err(|error| refused(&error))?;
        let regex = RegexBuilder::new(&pattern.to_string())
            .size_limit(MOST_BYTES)
            .nest_limit(MOST_NESTED)
            .build()
            .map_err(|error| refused(&error))?;
        Ok(Query { regex, needles: Needles::of(&pattern) })
    }

    /// Whether a stretch of text may have a line that matches. False is certain.
    pub(super) fn may_match(&self, text: &Text) -> bool {
        self.needles.may_be_in(&|needle| text.may_contain(needle))
    }

    /// The same of a stretch of text that will be masked before it is searched.
    pub(super) fn may_match_masked(&self, text: &Text) -> bool {
        self.needles.may_be_in(&|needle| may_be_mask(needle) || text.may_contain(needle))
    }

    /// Where in a line the matches are, the empty ones left out.
    pub fn matches(&self, line: &str) -> Vec<Range<usize>> {
        let all = self.regex.find_iter(line).map(|found| found.range());
        all.filter(|range| !range.is_empty()).collect()
    }

    /// Whether a line has a match that is not empty.
    pub(super) fn is_in(&self, line: &str) -> bool {
        self.regex.find_iter(line).any(|found| !found.is_empty())
    }

    /// The numbers of the lines with matches.
    pub(super) fn lines_with_matches(&self, text: &str) -> Vec<usize> {
        let bytes = text.as_bytes();
        let mut lines = Vec::new();
        let (mut number, mut counted) = (0, 0);
        let mut from = 0;
        while let Some(found) = self.regex.find_at(text, from) {
            let start = found.start();
            number += memchr::memchr_iter(b'\n', &bytes[counted..start]).count();
            counted = start;
            let begins = memchr::memrchr(b'\n', &bytes[..start]).map_or(0, |at| at + 1);
            let ends = memchr::memchr(b'\n', &bytes[start..]).map_or(text.len(), |at| start + at);
            // An empty match may have one behind it in the same line that is not.
            if !found.is_empty() || self.is_in(&text[begins..ends]) {
                lines.push(number);
            }
            from = ends + 1;
            if from > text.len() {
                break;
            }
        }
        lines
    }
}

/// Whether bytes may be found in a mask, which is stars and, if it is long, a word among them.
fn may_be_mask(needle: &[u8]) -> bool {
    let word = b"redacted";
    needle.contains(&b'*') || word.windows(needle.len()).any(|part| part.eq_ignore_ascii_case(needle))
}

/// Errors of the pattern come with a drawing of several lines; the last says what is wrong.
fn refused(error: &impl ToString) -> QueryError {
    let error = error.to_string();
    let last = error.lines().last().unwrap_or(&error);
    QueryError(last.trim().trim_start_matches("error: ").to_owned())
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
        assert_eq!(query(r"one\ntwo").lines_with_matches("one\ntwo\none two\n"), [0; 0]);
        assert_eq!(query(r#"one[^"]*two"#).lines_with_matches("one\ntwo\none two\n"), [2]);
    }

    #[test]
    fn the_ends_of_a_text_are_those_of_its_lines() {
        let text = "one\ntwo one\none\n";
        for pattern in [r"\Aone", "(?-m)^one", r"\Aone\z", "(?-m)^one$", "(?R)^one$"] {
            assert_eq!(query(pattern).lines_with_matches(text), [0, 2], "{pattern}");
        }
        assert_eq!(query(r"two one\z").lines_with_matches(text), [1]);
    }

    #[test]
    fn many_lines_at_once_have_the_same_matches_as_each_alone() {
        let patterns = [
            "a",
            "x*",
            r"\s",
            r"a\s*b",
            "[^a]",
            "(?s)a.b",
            "(?s).*",
            r"\bab\b",
            r"\B",
            r"\Ba",
            r"\Aa",
            r"b\z",
            "$",
            "^",
            "(?-m)a$",
            "a|\n",
            r"b\n?a",
            "(?i)AB",
            r"\W",
            r"(a|\s)+b",
            "a{2}",
            "(?-u:\\s)a",
            "",
        ];
        let mut random = testkit::Random::new(12);
        for round in 0..300 {
            let letters = ['a', 'b', ' ', '\n', '\n', 'ä', 'A', '"'];
            let text: String =
                (0..random.below(30)).map(|_| letters[random.below(letters.len())]).collect::<String>()
                    + "\n";
            for pattern in patterns {
                let query = query(pattern);
                let lines = text.lines().enumerate();
                let each: Vec<usize> =
                    lines.filter(|(_, line)| query.is_in(line)).map(|(number, _)| number).collect();
                assert_eq!(query.lines_with_matches(&text), each, "round {round}, {pattern:?} in {text:?}");
                let plain =
                    RegexBuilder::new(pattern).multi_line(true).case_insensitive(true).build().unwrap();
                for line in text.lines() {
                    let plain = plain.find_iter(line).map(|found| found.range());
                    let plain: Vec<Range<usize>> = plain.filter(|range| !range.is_empty()).collect();
                    assert_eq!(query.matches(line), plain, "{pattern:?} in {line:?}");
                }
            }
        }
    }

    #[test]
    fn an_empty_match_is_no_hit() {
        assert_eq!(query("x*").lines_with_matches("aaa\nbxb\n\n"), [1]);
    }

    #[test]
    fn capitals_in_escapes_do_not_make_a_search_case_sensitive() {
        assert_eq!(query(r"timeout2\S*").lines_with_matches("Timeout23\ntimeout2\n"), [0, 1]);
        assert_eq!(query(r"Timeout2\S*").lines_with_matches("Timeout23\ntimeout2\n"), [0]);
    }

    #[test]
    fn a_text_is_taken_as_it_is() {
        let query = Query::new("a.b(", true, Case::Smart).unwrap();
        assert_eq!(query.lines_with_matches("axb(\na.b(\n"), [1]);
    }

    #[test]
    fn a_bad_pattern_is_refused_with_a_reason() {
        let error = Query::new("a(b", false, Case::Smart).unwrap_err().to_string();
        assert!(error.contains("unclosed group") && !error.contains('\n'), "{error}");
        assert!(Query::new("((a{1000}){1000}){1000}", false, Case::Smart).is_err());
    }

    #[test]
    fn sixty_nested_groups_are_read_and_a_thousand_are_refused() {
        let nested = |depth: usize| "(?:a|b".repeat(depth) + &")*c".repeat(depth);
        assert!(query(&nested(60)).is_in("ccc"));
        assert!(Query::new(&nested(1_000), false, Case::Smart).is_err());
    }
}
