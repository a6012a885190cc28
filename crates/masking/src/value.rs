//! Whether what was assigned to a secret-looking name is a secret.
//!
//! Source code, prose, settings and counters are full of such names. What is plainly none of a secret's stays:
//! placeholders, references, calls, types, counts and sentences.

use std::ops::Range;

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
const ABOUT: [&str; 58] = [
    "count",
    "counts",
    "limit",
    "limits",
    "usage",
    "used",
    "type",
    "types",
    "budget",
    "url",
    "uri",
    "endpoint",
    "file",
    "path",
    "dir",
    "name",
    "names",
    "expiry",
    "expires",
    "expiration",
    "ttl",
    "length",
    "len",
    "size",
    "min",
    "max",
    "policy",
    "field",
    "param",
    "header",
    "env",
    "var",
    "label",
    "hint",
    "placeholder",
    "prompt",
    "error",
    "id",
    "ids",
    "version",
    "status",
    "state",
    "age",
    "cost",
    "price",
    "rate",
    "total",
    "left",
    "remaining",
    "strength",
    "manager",
    "reset",
    "required",
    "enabled",
    "provider",
    "index",
    "s",
    "algorithm",
];

/// Words that stand for a value, or report on one.
const ORDINARY: [&str; 78] = [
    "null",
    "none",
    "nil",
    "true",
    "false",
    "undefined",
    "unknown",
    "empty",
    "string",
    "str",
    "text",
    "number",
    "integer",
    "boolean",
    "bool",
    "int",
    "any",
    "object",
    "char",
    "bytes",
    "byte",
    "self",
    "this",
    "void",
    "required",
    "optional",
    "invalid",
    "incorrect",
    "missing",
    "expired",
    "valid",
    "wrong",
    "hidden",
    "masked",
    "redacted",
    "unset",
    "enabled",
    "disabled",
    "default",
    "changed",
    "updated",
    "created",
    "deleted",
    "failed",
    "found",
    "ok",
    "yes",
    "no",
    "value",
    "values",
    "secret",
    "secrets",
    "password",
    "passwords",
    "passwd",
    "token",
    "tokens",
    "key",
    "credentials",
    "username",
    "user",
    "example",
    "placeholder",
    "changeme",
    "prompt",
    "stdin",
    "env",
    "todo",
    "here",
    "must",
    "should",
    "cannot",
    "please",
    "enter",
    "your",
    "the",
    "authentication",
    "permission",
];

/// Words that sentences have and passphrases seldom.
const PROSE: [&str; 24] = [
    "the", "your", "must", "is", "for", "to", "a", "an", "enter", "at", "of", "not", "with", "and", "or",
    "in", "be", "are", "was", "this", "that", "has", "no", "please",
];

/// The secret in what was assigned to a name that begins at `name_at`; without what follows it on the line.
pub(crate) fn assigned(line: &[u8], name_at: usize, value: Range<usize>) -> Option<Range<usize>> {
    let quote = line[..value.start].last().copied().filter(|byte| b"\"'`".contains(byte));
    let value = if quote.is_some() { value } else { bare(line, value) };
    let text = &line[value.clone()];
    let name = &line[name_at..value.start];
    if text.len() < SHORTEST || is_about(name) || is_placeholder(text) || is_ordinary(text) {
        return None;
    }
    let by_password =
        name.first().is_some_and(|byte| byte.eq_ignore_ascii_case(&b'p')) && !starts_with(name, b"private");
    let digits = text.iter().all(|byte| byte.is_ascii_digit() || b".,_k%:/-+".contains(byte));
    if digits && !by_password {
        return None;
    }
    let none = match quote {
        Some(_) => is_prose(text) || !by_password && is_word(text) && text.len() < 12,
        None => {
            is_code(text)
                || is_followed(line, &value, name)
                || !by_password && is_word(text) && text.len() < 20
        }
    };
    (!none).then_some(value)
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
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let end = name.iter().position(|byte| !is_name(byte)).unwrap_or(name.len());
    let name = &name[..end];
    let ends_with = |word: &&str| {
        let Some(before) = name.len().checked_sub(word.len()) else { return false };
        let (head, tail) = name.split_at(before);
        // The word begins at an underscore or with a capital, or the plural of the last one is it.
        let begins = matches!(head.last(), Some(b'_' | b'-' | b'.'))
            || tail.first().is_some_and(u8::is_ascii_uppercase);
        let plural = *word == "s" && starts_with(name, b"token");
        tail.eq_ignore_ascii_case(word.as_bytes()) && (begins || plural)
    };
    ABOUT.iter().any(ends_with) || starts_with(name, b"tokeniz") || starts_with(name, b"secretar")
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

fn is_ordinary(text: &[u8]) -> bool {
    ORDINARY.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes()))
}

/// Letters alone, with marks inside words.
fn is_word(text: &[u8]) -> bool {
    text.iter().all(|byte| byte.is_ascii_alphabetic() || b"-_' /".contains(byte))
}

/// A sentence: several words, one of which only sentences have.
fn is_prose(text: &[u8]) -> bool {
    let mut words = text.split(|&byte| byte == b' ').filter(|word| !word.is_empty());
    text.contains(&b' ')
        && words.any(|word| PROSE.iter().any(|prose| word.eq_ignore_ascii_case(prose.as_bytes())))
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
