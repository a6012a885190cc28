//! Whether the value assigned to a secret-looking name is a secret.
//!
//! Source code, prose, settings and counters are full of such names. What is plainly none of a secret's stays:
//! placeholders, references, calls, types, counts and sentences.

mod code;
mod name;
mod stand_in;
mod words;

use std::ops::Range;

use crate::block::Block;
use crate::columns::{BLANK, BORDER};
use code::is_code;
use name::{Name, Way};
use stand_in::is_stand_in;
use words::{ORDINARY, is_in, is_prose, is_word};

/// Letters and digits.
pub(crate) fn is_mixed(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_alphabetic) && text.iter().any(u8::is_ascii_digit)
}

/// Small and capital letters and digits, and no character in more than a quarter of the places.
pub(crate) fn is_random(text: &[u8]) -> bool {
    let mut counts = [0usize; 256];
    text.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
    let most = counts.iter().copied().max().unwrap_or(0);
    is_mixed(text)
        && text.iter().any(u8::is_ascii_lowercase)
        && text.iter().any(u8::is_ascii_uppercase)
        && most * 4 <= text.len().max(8)
}

/// A shorter value is a word, an index or a flag.
const SHORTEST: usize = 4;
/// Shorter numbers are counts, but for a password.
const LONG_NUMBER: usize = 8;

/// Columns of a value in quotes; where they are never closed, the rest of the line is no value.
const MAX_QUOTED: usize = 512;

/// The secret that is assigned, from `at` on, to a name with a secret-looking word at `word_at`.
pub(crate) fn assigned(line: &[u8], word_at: usize, at: usize) -> Option<Range<usize>> {
    let name = Name::read(line, word_at, at)?;
    let (value, quoted) = if name.way == Way::Element { element(line, at)? } else { read(line, at)? };
    let text = &line[value.clone()];
    if text.len() < SHORTEST || is_in(ORDINARY, text) || is_stand_in(line, &value, quoted, &name) {
        return None;
    }
    let by_password = name.is_password();
    if text.iter().all(|byte| byte.is_ascii_digit() || b".,_k%:/-+".contains(byte)) {
        let long = text.len() >= LONG_NUMBER && text.iter().all(u8::is_ascii_digit);
        let secret = by_password && !name.is_pass() || long && name.way == Way::Equals;
        return secret.then_some(value);
    }
    // A word may be a password, and anything may be the value of a variable.
    let may_be_word =
        if quoted { by_password } else { by_password || name.way == Way::Equals } || name.is_upper;
    if name.way == Way::Column && !is_in_column(line, &value, &name) {
        return None;
    }
    let is_word = is_word(text) && text.len() < if quoted { 12 } else { 20 };
    let none = if quoted {
        is_prose(text)
    } else {
        is_code(line, &value, &name)
            || is_followed(line, &value, &name)
            || name.is_pass() && name.way != Way::Equals && is_word
    };
    (!none && (may_be_word || !is_word)).then_some(value)
}

/// Whether the quoted value of a name with a secret-looking word at `word_at` is a secret.
pub(crate) fn is_named(line: &[u8], word_at: usize, value: &Range<usize>) -> bool {
    let text = &line[value.clone()];
    let Some(name) = Name::alone(line, word_at) else { return false };
    let is_label = text.contains(&BLANK) && is_word(text);
    let is_number = text.iter().all(u8::is_ascii_digit) && text.len() < LONG_NUMBER && !name.is_password();
    text.len() >= SHORTEST
        && !is_in(ORDINARY, text)
        && !is_stand_in(line, value, true, &name)
        && !is_label
        && !is_number
        && !is_prose(text)
        && (name.is_password() || !(is_word(text) && text.len() < 12))
}

/// The block of lines below that is assigned, as in YAML, to a name with a secret-looking word at `word_at`.
pub(crate) fn assigned_below(line: &[u8], word_at: usize, at: usize) -> Option<Block> {
    if !matches!(line.get(at), Some(b'|' | b'>')) {
        return None;
    }
    let name = Name::read(line, word_at, at)?;
    Block::begins(line, name.start, at)
}

/// Whether a line of text is a sentence or a reference.
pub(crate) fn is_plainly_none(text: &[u8]) -> bool {
    let refers = [&b"$"[..], b"{{", b"<", b"ENC["].iter().any(|start| text.starts_with(start));
    refers || is_prose(text)
}

/// The text of an element that begins at a column, if it ends in this line.
fn element(line: &[u8], at: usize) -> Option<(Range<usize>, bool)> {
    let rest = &line[at..line.len().min(at + MAX_QUOTED)];
    let len = rest.iter().position(|byte| *byte == b'<')?;
    rest[len..].starts_with(b"</").then_some((at..at + len, true))
}

/// The value that begins at a column, and whether it stands in quotes.
fn read(line: &[u8], at: usize) -> Option<(Range<usize>, bool)> {
    let rest = line.get(at..)?;
    // Quotes may be escaped, as in JSON inside of JSON, and have a letter before them, as in some languages.
    let escaped = rest.starts_with(b"\\");
    let prefix = usize::from(escaped || matches!(rest, [b'b' | b'f' | b'r' | b'u', b'"' | b'\'', ..]));
    match rest.get(prefix) {
        Some(&quote @ (b'"' | b'\'' | b'`')) => {
            let start = at + prefix + 1;
            Some((start..quoted_end(line, start, quote, escaped), true))
        }
        // Signs that compare, match or join names.
        Some(b'=' | b'>' | b':') => None,
        Some(b'~') if !rest.get(1).is_some_and(u8::is_ascii_alphanumeric) => None,
        Some(byte) if prefix == 0 && !is_outside(*byte) => {
            let len = rest.iter().position(|byte| is_outside(*byte)).unwrap_or(rest.len());
            Some((bare(line, at..at + len), false))
        }
        _ => None,
    }
}

/// Whether a byte cannot be in a value without quotes.
fn is_outside(byte: u8) -> bool {
    matches!(byte, BLANK | BORDER | b'"' | b'\'' | b'`')
}

fn quoted_end(line: &[u8], start: usize, quote: u8, escaped: bool) -> usize {
    let most = line.len().min(start + MAX_QUOTED);
    let mut at = start;
    while at < most && line[at] != quote {
        match line[at] {
            b'\\' if escaped => break,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at.min(most)
}

/// A value without quotes ends before what separates it from the next assignment.
fn bare(line: &[u8], value: Range<usize>) -> Range<usize> {
    let text = &line[value.clone()];
    let next = (1..text.len()).find(|&at| b";,&".contains(&text[at]) && names_another(&text[at + 1..]));
    let text = &text[..next.unwrap_or(text.len())];
    let kept = text.iter().rposition(|byte| !b",;)}]>.:".contains(byte)).map_or(0, |last| last + 1);
    value.start..value.start + kept
}

/// Whether a text begins with a name and a sign that assigns.
fn names_another(text: &[u8]) -> bool {
    let name = text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte)).count();
    name > 0 && matches!(text.get(name), Some(b'=' | b':'))
}

/// Whether a value in a column of its own is a secret: one word, which is no version, and no ordinary one unless the name
/// is a variable's.
fn is_in_column(line: &[u8], value: &Range<usize>, name: &Name<'_>) -> bool {
    let text = &line[value.clone()];
    let after = line[value.end..].trim_ascii_start();
    let gap = line.len() - value.end - after.len();
    let ends = after.is_empty() || gap > 1 || matches!(after[0], b'|' | BORDER | b'`');
    let version = text.iter().all(|byte| byte.is_ascii_digit() || b".+-vrcab".contains(byte));
    let stands_alone = |byte: &u8| matches!(*byte, BLANK | BORDER | b'|' | b'`' | b'+' | b'-');
    let begins = line[..name.start].iter().all(stands_alone);
    let ordinary = || !is_mixed(text) || text.iter().any(|byte| b"/.:".contains(byte)) && !is_random(text);
    let is_key = || begins && text.len() >= LONG_NUMBER && !ordinary();
    ends && !version && (name.is_upper || is_key())
}

/// Whether plain words go on after a value that is one, as in a sentence after a colon.
fn is_followed(line: &[u8], value: &Range<usize>, name: &Name<'_>) -> bool {
    let after = &line[value.end..];
    let next = after.iter().position(|byte| *byte != BLANK);
    name.is_by_colon()
        && is_word(&line[value.clone()])
        && next.is_some_and(|at| at > 0 && after[at].is_ascii_alphanumeric())
}
