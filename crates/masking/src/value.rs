//! Whether what was assigned to a secret-looking name is a secret.
//!
//! Source code, prose, settings and counters are full of such names. What is plainly none of a secret's stays:
//! placeholders, references, calls, types, counts and sentences.

use std::ops::Range;

use crate::columns::{BLANK, BORDER};

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

/// Ends of names that say something about a secret and are none: how many, where, of which kind.
#[rustfmt::skip]
const ABOUT: &[&str] = &[
    "age", "algorithm", "audience", "budget", "callback", "class", "color", "colour", "cost", "count",
    "counts", "description", "dir", "enabled", "endpoint", "env", "error", "example", "expiration", "expires",
    "expiry", "field", "file", "format", "handler", "hash_algorithm", "header", "help", "hint", "id", "ids",
    "index", "input", "issuer", "kind", "label", "left", "len", "length", "limit", "limits", "manager", "max",
    "message", "method", "min", "name", "names", "output", "param", "path", "pattern", "placeholder",
    "policy", "price", "prompt", "provider", "rate", "ref", "regex", "remaining", "required", "reset", "s",
    "scope", "scopes", "size", "source", "state", "status", "storage", "store", "strength", "text", "title",
    "total", "ttl", "type", "types", "uri", "url", "usage", "used", "var", "version",
];

/// Words that stand for a value, or report on one.
#[rustfmt::skip]
const ORDINARY: &[&str] = &[
    "accepted", "any", "argument", "async", "authentication", "await", "bool", "boolean", "byte", "bytes",
    "cannot", "change", "changed", "changeme", "char", "const", "created", "credentials", "default",
    "deleted", "denied", "disabled", "empty", "enabled", "enter", "env", "example", "expired", "failed",
    "false", "field", "file", "flag", "forgot", "form", "found", "from", "function", "generated", "here",
    "hidden", "ignored", "include", "incorrect", "inherit", "input", "instead", "int", "integer", "invalid",
    "key", "link", "masked", "missing", "must", "nil", "no", "nobody", "none", "not", "nothing", "null",
    "number", "object", "ok", "option", "optional", "output", "passwd", "password", "passwords", "permission",
    "placeholder", "please", "prompt", "prompted", "protected", "redacted", "rejected", "required", "reset",
    "return", "revoked", "rotated", "secret", "secrets", "self", "should", "stdin", "str", "string", "text",
    "the", "this", "todo", "token", "tokens", "true", "undefined", "unknown", "unset", "updated", "user",
    "username", "valid", "value", "values", "void", "when", "which", "with", "wrong", "yes", "your",
];

/// Words that sentences have and passphrases seldom.
#[rustfmt::skip]
const PROSE: &[&str] = &[
    "a", "an", "and", "are", "at", "be", "enter", "for", "has", "in", "is", "must", "no", "not", "of", "or",
    "please", "that", "the", "this", "to", "was", "with", "your",
];

/// Columns of a value in quotes; where they are never closed, the rest of the line is no value.
const MAX_QUOTED: usize = 512;

/// The secret that is assigned, from `at` on, to a name that begins at `name_at`.
pub(crate) fn assigned(line: &[u8], name_at: usize, at: usize) -> Option<Range<usize>> {
    let name = line.get(name_at..at)?;
    if is_about(name) {
        return None;
    }
    let (value, quoted) = read(line, at)?;
    let text = &line[value.clone()];
    if text.len() < SHORTEST || is_placeholder(text) || is_in(ORDINARY, text) {
        return None;
    }
    let by_password =
        name[0].eq_ignore_ascii_case(&b'p') && !starts_with(name, b"private") || name[0] == b'_';
    let digits = text.iter().all(|byte| byte.is_ascii_digit() || b".,_k%:/-+".contains(byte));
    if digits && !by_password {
        return None;
    }
    let none = if quoted {
        is_prose(text) || !by_password && is_word(text) && text.len() < 12
    } else {
        is_code(text) || is_followed(line, &value, name) || !by_password && is_word(text) && text.len() < 20
    };
    (!none).then_some(value)
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
        Some(byte) if prefix == 0 && !is_outside(*byte) && !b"=>~:".contains(byte) => {
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
    let name = text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte)).count();
    name > 0 && matches!(text.get(name), Some(b'=' | b':'))
}

fn starts_with(text: &[u8], word: &[u8]) -> bool {
    text.len() >= word.len() && text[..word.len()].eq_ignore_ascii_case(word)
}

/// Whether a name goes on after the secret-looking word with what makes it one about secrets.
fn is_about(name: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let name = &name[..name.iter().position(|byte| !is_name(byte)).unwrap_or(name.len())];
    // The last part begins after an underscore, or with a capital.
    let capital = |at: &usize| name[*at].is_ascii_uppercase() && name[at - 1].is_ascii_lowercase();
    let last = (1..name.len()).rev().find(|at| matches!(name[at - 1], b'_' | b'-') || capital(at));
    let plural = starts_with(name, b"tokens") && (name.len() == 6 || !name[6].is_ascii_alphanumeric());
    last.is_some_and(|at| is_in(ABOUT, &name[at..]))
        || plural
        || starts_with(name, b"tokeniz")
        || starts_with(name, b"secretar")
}

/// References and stand-ins: `$VAR`, `<token>`, `***`, `xxxx`, `{{ … }}`, `%(name)s`.
fn is_placeholder(text: &[u8]) -> bool {
    let same = text.iter().all(|byte| byte == &text[0]);
    let foreign = text.iter().all(|byte| *byte >= 0x80);
    let stars = text.iter().filter(|byte| b"*xX.".contains(byte)).count();
    let masked = text[0] == b'*' && text[text.len().min(3) - 1] == b'*';
    let color = text[0] == b'#' && text.len() <= 9 && text[1..].iter().all(u8::is_ascii_hexdigit);
    let path =
        text[0] == b'/' || text.starts_with(b"~/") || text.starts_with(b"./") || text.starts_with(b"../");
    same || foreign
        || masked
        || color
        || path
        || stars == text.len()
        || matches!(text[0], b'$' | b'<' | b'{' | b'%' | b'[' | b'(' | b'&')
}

/// Whether a word is in a sorted list, whatever its case.
fn is_in(list: &[&str], word: &[u8]) -> bool {
    let mut small = [0; 16];
    let Some(small) = small.get_mut(..word.len()) else { return false };
    small.copy_from_slice(word);
    small.make_ascii_lowercase();
    list.binary_search_by(|known| known.as_bytes().cmp(small)).is_ok()
}

/// Letters alone, with marks inside words.
fn is_word(text: &[u8]) -> bool {
    text.iter().all(|byte| byte.is_ascii_alphabetic() || b"-_' /".contains(byte))
}

/// A sentence: several words, one of which only sentences have.
fn is_prose(text: &[u8]) -> bool {
    let mut words = text.split(|&byte| byte == b' ').filter(|word| !word.is_empty());
    text.contains(&b' ') && words.any(|word| is_in(PROSE, word))
}

/// What joins names in source code.
const JOINTS: [&[u8]; 4] = [b".", b"::", b"?.", b"->"];

/// A call, an index, a path of names, a generic type, a name of a type.
fn is_code(text: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$".contains(byte);
    let (mut at, mut names, mut letters) = (0, 0, true);
    loop {
        let len = text[at..].iter().take_while(|byte| is_name(byte)).count();
        letters &= text[at..at + len].iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        at += len;
        names += usize::from(len > 0);
        let rest = &text[at..];
        let joint = JOINTS.iter().find(|joint| len > 0 && rest.starts_with(joint));
        match joint {
            Some(joint) if rest.len() > joint.len() => at += joint.len(),
            _ => break,
        }
    }
    let called = names > 0 && matches!(text.get(at), Some(b'(' | b'[' | b'<' | b'!' | b'{'));
    let named = at == text.len() && letters && (names > 1 || text.contains(&b'_') || is_camel(text));
    let reached =
        [&b"process.env"[..], b"os.environ", b"env.", b"self.", b"this.", b"import.meta", b"config."];
    called || named || reached.iter().any(|start| text.starts_with(start))
}

/// The name of a type: a capital first, and small letters after it.
fn is_camel(text: &[u8]) -> bool {
    text[0].is_ascii_uppercase() && text.iter().any(u8::is_ascii_lowercase)
}

/// Whether plain words go on after a value that is one, as in a sentence after a colon.
fn is_followed(line: &[u8], value: &Range<usize>, name: &[u8]) -> bool {
    let by_colon = name.iter().rev().find(|byte| **byte != b' ') == Some(&b':');
    let after = &line[value.end..];
    let next = after.iter().position(|byte| *byte != b' ');
    by_colon
        && is_word(&line[value.clone()])
        && next.is_some_and(|at| at > 0 && after[at].is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_as_searching_them_needs() {
        for list in [ABOUT, ORDINARY, PROSE] {
            assert!(list.is_sorted());
            assert!(list.iter().all(|word| word.len() <= 16 && *word == word.to_ascii_lowercase()));
        }
    }
}
