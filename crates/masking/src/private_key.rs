//! Private keys in PEM: many lines, from BEGIN to END.
//!
//! A key whose BEGIN is cut off is known by the first characters of its body, which are the same in all keys of a kind,
//! or by its END, from which the masker looks back. Certificates and public keys, which look the same but for their
//! labels and their first characters, stay.

use std::ops::Range;

use memchr::memmem;

use crate::columns::{BLANK, BORDER};

/// The name of the rule.
pub(crate) const NAME: &str = "private-key";
const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
/// What stands in the first line of a key's body and of nothing else, and how many characters stand before it.
const BODIES: &[(&[u8], usize)] = &[
    // RSA, alone, in PKCS #8, and encrypted in PKCS #8.
    (b"IBAAKC", 6),
    (b"IBADANBgkqhkiG9w0BAQ", 6),
    (b"BgkqhkiG9w0BBQ", 8),
    // Elliptic curves, alone and in PKCS #8.
    (b"MHcCAQEEI", 0),
    (b"MIGkAgEBBD", 0),
    (b"MIGHAgEAMBMGByqGSM49", 0),
    (b"MIG2AgEAMBAGByqGSM49", 0),
    (b"MC4CAQAwBQYDK2Vw", 0),
    // OpenSSH.
    (b"b3BlbnNzaC1rZXktdjE", 0),
];
/// What begins a body, where characters stand before the telling ones.
const BODY_START: &[u8] = b"MII";
const PRIVATE: &[u8] = b"PRIVATE KEY";
const DASHES: &[u8] = b"-----";

/// The longest label is that of OpenSSH's own format; this is more than twice as much.
const MAX_LABEL: usize = 64;
/// A word of so many base64 characters is taken for a part of the key, with any text beside it.
const LONG_WORD: usize = 16;
/// The least that is masked beside other words; line numbers and the marks of a diff are shorter.
const SHORT_WORD: usize = 8;

/// What a line leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    Nothing,
    /// A key goes on.
    Open,
    /// A key has ended whose beginning was not seen: the lines before may be its body.
    EndedUnknown,
}

/// What has to stand in a line in which a key begins or ends.
pub(crate) fn triggers() -> impl Iterator<Item = &'static [u8]> {
    [BEGIN, END].into_iter().chain(BODIES.iter().map(|(text, _)| *text))
}

/// Finds what a line has of private keys. `open`: one began in a line before.
pub(crate) fn search(line: &[u8], open: bool, mut found: impl FnMut(Range<usize>)) -> After {
    let mut at = 0;
    let mut after = After::Nothing;
    match memmem::find(line, END) {
        Some(end) if open => {
            body(line, 0..end, true, &mut found);
            at = end + END.len();
        }
        Some(end)
            if is_private(&line[end + END.len()..]) && begin(line, 0).is_none_or(|begin| begin > end) =>
        {
            // On one line, with written-out line ends.
            words(line, 0..end).filter(|word| is_long(&line[word.clone()])).for_each(&mut found);
            (at, after) = (end + END.len(), After::EndedUnknown);
        }
        None if open && goes_on(line) => {
            body(line, 0..line.len(), false, &mut found);
            return After::Open;
        }
        _ => {}
    }
    while let Some(begin) = begin(line, at) {
        let end = memmem::find(&line[begin..], END).map(|end| begin + end);
        body(line, begin..end.unwrap_or(line.len()), true, &mut found);
        let Some(end) = end else { return After::Open };
        at = end + END.len();
    }
    match body_begin(line, at) {
        Some(start) => {
            body(line, start..line.len(), false, &mut found);
            After::Open
        }
        None => after,
    }
}

/// The words that a line before the END of a key has of the key, if it can be one of its lines. `is_last`: it stands
/// just before the END, and may be short.
pub(crate) fn body_before_end(line: &[u8], is_last: bool) -> Option<Range<usize>> {
    let mut long = words(line, 0..line.len()).filter(|word| is_long(&line[word.clone()]));
    let only = match (long.next(), long.next()) {
        (Some(word), None) => word,
        (None, None) if is_last => words(line, 0..line.len()).last()?,
        _ => return None,
    };
    let fits = is_base64(&line[only.clone()]) && only.len() > 3;
    // Line numbers and marks may stand before it, nothing behind it.
    let mut others = words(line, 0..line.len()).filter(|word| *word != only);
    (fits && others.all(|word| word.len() < SHORT_WORD && word.end <= only.start)).then_some(only)
}

/// Whether a label, which begins a text, is that of a private key.
fn is_private(text: &[u8]) -> bool {
    let label = &text[..text.len().min(MAX_LABEL)];
    memmem::find(label, DASHES).is_some_and(|end| memmem::find(&label[..end], PRIVATE).is_some())
}

/// Where the first body that is known by its beginning stands, from `at` on.
fn body_begin(line: &[u8], at: usize) -> Option<usize> {
    let begins = |&(text, before): &(&[u8], usize)| {
        let start = (at + memmem::find(&line[at..], text)?).checked_sub(before)?;
        let alone = start == 0 || !is_base64(&line[start - 1..start]) || b"\"'".contains(&line[start - 1]);
        (alone && (before == 0 || line[start..].starts_with(BODY_START))).then_some(start)
    };
    BODIES.iter().filter_map(begins).min()
}

/// Where the first BEGIN of a private key, from `at` on, ends.
fn begin(line: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let label = at + memmem::find(&line[at..], BEGIN)? + BEGIN.len();
        if is_private(&line[label..]) {
            let dashes = memmem::find(&line[label..], DASHES)?;
            return Some(label + dashes + DASHES.len());
        }
        at = label;
    }
}

/// Whether a line between BEGIN and END can belong to the key: one that cannot means that the END was missed.
fn goes_on(line: &[u8]) -> bool {
    let mut words = words(line, 0..line.len());
    let Some(first) = words.next() else { return true };
    let header = line[first.clone()].ends_with(b":");
    let alone = words.next().is_none() && is_base64(&line[first]);
    header || alone || self::words(line, 0..line.len()).any(|word| is_long(&line[word]))
}

/// Masks the words of the key in a part of a line. Beside BEGIN or END, all of them.
fn body(line: &[u8], part: Range<usize>, all: bool, found: &mut impl FnMut(Range<usize>)) {
    let alone = words(line, part.clone()).nth(1).is_none();
    for word in words(line, part) {
        if all && word.len() > 2 || alone || word.len() >= SHORT_WORD && is_base64(&line[word.clone()]) {
            found(word);
        }
    }
}

fn words(line: &[u8], part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let ends = |byte: &u8| *byte == BLANK || *byte == BORDER || *byte == b'|';
    let mut at = part.start;
    std::iter::from_fn(move || {
        let start = at + line[at..part.end].iter().position(|byte| !ends(byte))?;
        let len = line[start..part.end].iter().position(ends).unwrap_or(part.end - start);
        at = start + len;
        Some(start..at)
    })
}

fn is_long(word: &[u8]) -> bool {
    word.len() >= LONG_WORD && is_base64(word)
}

/// Whether a word is base64, perhaps in quotes or with a written-out line end, as in source code. Or what a mask left
/// of such a word: a key of which the first lines are masked goes on all the same.
fn is_base64(word: &[u8]) -> bool {
    word.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=\\\"',+-*".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(lines: &[&str]) -> Vec<String> {
        let mut open = false;
        let mask = |line: &&str| {
            let mut masked = line.as_bytes().to_vec();
            open = search(line.as_bytes(), open, |word| masked[word].fill(b'*')) == After::Open;
            String::from_utf8_lossy(&masked).into_owned()
        };
        lines.iter().map(mask).collect()
    }

    #[test]
    fn the_lines_between_begin_and_end_are_masked() {
        let body = "abcdEFGH0123".repeat(4);
        let stars = "*".repeat(48);
        let key = ["x -----BEGIN RSA PRIVATE KEY-----", &body, "", "  3 qqqqqqqqqqqqqqqqqqqq", "ab=="];
        assert_eq!(masked(&key)[1..], [&stars, "", "  3 ********************", "****"]);
        let ended = [key[0], &body, "-----END RSA PRIVATE KEY-----", &body];
        assert_eq!(masked(&ended)[1..], [&stars, ended[2], &body]);
    }

    #[test]
    fn a_key_on_one_line_is_masked() {
        let line = "\"-----BEGIN PRIVATE KEY-----\\nabcd/+12\\n-----END PRIVATE KEY-----\\n\",";
        let expected = "\"-----BEGIN PRIVATE KEY-----************-----END PRIVATE KEY-----\\n\",";
        assert_eq!(masked(&[line]), [expected]);
    }

    #[test]
    fn an_ordinary_line_ends_a_key_whose_end_was_missed() {
        let body = "abcdEFGH0123".repeat(4);
        let lines = ["-----BEGIN PRIVATE KEY-----", &body, "$ ls -l", &body];
        assert_eq!(masked(&lines)[2..], lines[2..]);
    }

    #[test]
    fn a_key_goes_on_behind_lines_that_are_masked() {
        let body = "abcdEFGH0123".repeat(4);
        let redacted = format!("***REDACTED***{}", "*".repeat(34));
        for masked_line in [redacted.as_str(), "****", &format!("**********{}", &body[10..])] {
            let lines = ["-----BEGIN PRIVATE KEY-----", masked_line, &body];
            assert_eq!(masked(&lines)[2], "*".repeat(48), "{masked_line}");
        }
    }

    #[test]
    fn certificates_and_public_keys_stay() {
        let body = "abcdEFGH0123".repeat(4);
        for label in ["CERTIFICATE", "PUBLIC KEY", "RSA PUBLIC KEY"] {
            let begin = format!("-----BEGIN {label}-----");
            assert_eq!(masked(&[&begin, &body]), [begin.as_str(), &body]);
        }
    }
}
