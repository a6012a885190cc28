//! One rule, compiled.

use std::ops::Range;
use std::sync::Arc;

use regex::bytes::Regex;

use super::Rules;
use super::error::RulesError;
use crate::block::Block;
use crate::columns::{BLANK, BORDER};
use crate::value;

/// A pattern, and where to try it.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) name: String,
    /// Line of its file.
    pub(super) line: usize,
    pub(super) regex: Regex,
    /// Groups of the pattern that hold the secret. If none of them takes part in a match, all of it is secret.
    pub(super) secrets: Vec<usize>,
    /// The group of the pattern that is a name's telling word, where the match does not begin with it.
    pub(super) name_group: Option<usize>,
    /// Column bytes of the literals, one of which must be there.
    pub(super) triggers: Vec<Vec<u8>>,
    /// Whether the pattern is tried where a trigger stands, rather than on the whole line.
    pub(super) starts_at_trigger: bool,
    /// Whether a trigger counts inside a longer word.
    pub(super) inside: bool,
    /// Columns before a trigger at which a match may begin.
    pub(super) back: usize,
    /// Columns from a trigger on that the pattern gets to see.
    pub(super) longest: usize,
    pub(super) check: Check,
    pub(super) examples: Vec<String>,
}

/// What is asked of a match besides its pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    None,
    /// Something is assigned to a name; it must not plainly be no secret.
    Assigned,
    /// The same, where the pattern holds name and value in groups.
    Named,
    /// Letters and digits.
    Mixed,
    /// Small and capital letters and digits, none of them too often.
    Random,
}

impl Rule {
    /// The secret that stands at the trigger at `at`, if there is one.
    pub(super) fn secret_at(&self, line: &[u8], at: usize) -> Option<Secret> {
        let begins = if self.inside { !is_public(line, at) } else { begins_word(line, at) };
        if !begins {
            return None;
        }
        let from = at.saturating_sub(self.back);
        let to = line.len().min(at + self.longest);
        let text = &line[from..to];
        let whole = self.regex.find(text)?.range();
        let here = from + whole.start <= at && at < from + whole.end;
        // What is asked of a secret holds for all that is around it, which is known sooner. It goes on only at the end.
        let hopeless =
            whole.end < text.len() && self.asks_for_both() && !value::is_mixed(&text[whole.clone()]);
        if !here || hopeless {
            return None;
        }
        let secret = self.secret_in(text, whole)?;
        let secret = from + secret.start..from + secret.end;
        let secret = if secret.end == to { secret.start..word_end(line, secret.end) } else { secret };
        let value = secret.end;
        let below = || match self.check {
            Check::Assigned => value::assigned_below(line, at, value).map(Secret::Below),
            Check::None | Check::Named | Check::Mixed | Check::Random => None,
        };
        self.checked(line, at, secret).map(Secret::Columns).or_else(below)
    }

    /// The secret in the first match of a text, which is at `whole`.
    fn secret_in(&self, text: &[u8], whole: Range<usize>) -> Option<Range<usize>> {
        if self.secrets.is_empty() {
            return Some(whole);
        }
        let captures = self.regex.captures(text)?;
        let secret = self.secrets.iter().find_map(|&group| captures.get(group));
        Some(secret.map_or(whole, |group| group.range()))
    }

    /// Whether a secret has both letters and digits.
    fn asks_for_both(&self) -> bool {
        matches!(self.check, Check::Mixed | Check::Random)
    }

    /// The secrets of a whole line.
    pub(super) fn secrets_in(&self, line: &[u8], mut found: impl FnMut(Range<usize>)) {
        for captures in self.regex.captures_iter(line) {
            let Some(whole) = captures.get(0) else { continue };
            let name = self.name_group.and_then(|group| captures.get(group)).unwrap_or(whole);
            let group = self.secrets.iter().find_map(|&group| captures.get(group)).unwrap_or(whole);
            if let Some(secret) = self.checked(line, name.start(), group.range()) {
                found(secret);
            }
        }
    }

    /// The secret, if the match is one. In an assignment, it comes after the match.
    fn checked(&self, line: &[u8], name_at: usize, found: Range<usize>) -> Option<Range<usize>> {
        let text = &line[found.clone()];
        let holds = match self.check {
            Check::None => !text.is_empty(),
            Check::Mixed => value::is_mixed(text),
            Check::Random => value::is_random(text),
            Check::Assigned => return value::assigned(line, name_at, found.end),
            Check::Named => value::is_named(line, name_at, &found),
        };
        holds.then_some(found)
    }

    /// Whether the rule finds what its author says it finds.
    pub(super) fn check_examples(&self) -> Result<(), RulesError> {
        let alone = Rules::compiled(vec![Arc::new(self.clone())], Vec::new());
        match self.examples.iter().find(|example| alone.find(example).is_empty()) {
            None => Ok(()),
            Some(example) => Err(RulesError::Rule {
                line: self.line,
                rule: self.name.clone(),
                problem: format!("it does not find a secret in its example `{example}`; change one of them"),
            }),
        }
    }
}

/// Where a rule found a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Secret {
    Columns(Range<usize>),
    /// In the lines below.
    Below(Block),
}

/// Whether a word begins at a column: what stands before is no part of one. A dash is, if a word stands before it.
fn begins_word(line: &[u8], at: usize) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    match &line[..at] {
        [.., before, b'-'] => !is_word(before) && *before != b'-',
        [.., before] => !is_word(before),
        [] => true,
    }
}

/// Whether a name says by what stands before a trigger that it is about no secret.
fn is_public(line: &[u8], at: usize) -> bool {
    let before = &line[..at];
    before.len() >= 6 && before[before.len() - 6..].eq_ignore_ascii_case(b"public")
}

fn word_end(line: &[u8], from: usize) -> usize {
    let ends = |byte: &u8| *byte == BLANK || *byte == BORDER;
    line[from..].iter().position(ends).map_or(line.len(), |len| from + len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_judged_by_all_of_it_even_where_it_goes_on_after_what_the_pattern_sees() {
        let rules = Rules::builtin();
        let letters: String = ('a'..='z').chain('A'..='Z').collect();
        for (repeats, digits, found) in [(1, "", 0), (1, "123", 1), (20, "", 0), (20, "123", 1)] {
            let line = format!("STRIPE_KEY={}{digits}", letters.repeat(repeats));
            let findings = rules.find(&line);
            assert_eq!(findings.len(), found, "{line}");
            assert!(findings.iter().all(|finding| finding.range == (11..line.len())), "{line}");
        }
    }
}
