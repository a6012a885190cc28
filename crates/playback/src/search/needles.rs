//! What a text must contain for a pattern to match anything in it.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Fewer bytes than this tell a filter nothing.
const LEAST_BYTES: usize = 3;

/// Bytes that must be there, in capitals or small letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Needles {
    /// Nothing is known.
    Any,
    /// These bytes.
    One(Vec<u8>),
    /// All of these.
    All(Vec<Needles>),
    /// One of these.
    OneOf(Vec<Needles>),
}

impl Needles {
    /// What a pattern needs.
    pub(super) fn of(pattern: &Hir) -> Needles {
        needles(pattern)
    }

    /// Whether they may be in a text of which `may_contain` tells what it cannot contain.
    pub(super) fn may_be_in(&self, may_contain: &impl Fn(&[u8]) -> bool) -> bool {
        match self {
            Needles::Any => true,
            Needles::One(bytes) => may_contain(bytes),
            Needles::All(all) => all.iter().all(|needles| needles.may_be_in(may_contain)),
            Needles::OneOf(some) => some.iter().any(|needles| needles.may_be_in(may_contain)),
        }
    }
}

fn needles(hir: &Hir) -> Needles {
    match hir.kind() {
        HirKind::Literal(literal) => one(literal.0.to_vec()),
        HirKind::Capture(capture) => needles(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => needles(&repetition.sub),
        HirKind::Concat(parts) => concat(parts),
        HirKind::Alternation(parts) => {
            let some: Vec<Needles> = parts.iter().map(needles).collect();
            if some.contains(&Needles::Any) { Needles::Any } else { Needles::OneOf(some) }
        }
        HirKind::Empty | HirKind::Class(_) | HirKind::Look(_) | HirKind::Repetition(_) => Needles::Any,
    }
}

/// Parts that follow each other: what stands side by side is one needle.
fn concat(parts: &[Hir]) -> Needles {
    let mut all = Vec::new();
    let mut run = Vec::new();
    for part in parts {
        match part.kind() {
            HirKind::Literal(literal) => run.extend_from_slice(&literal.0),
            HirKind::Look(_) => {}
            HirKind::Class(class) if letter(class).is_some() => run.extend(letter(class)),
            _ => {
                all.push(one(std::mem::take(&mut run)));
                all.push(needles(part));
            }
        }
    }
    all.push(one(run));
    all.retain(|needles| *needles != Needles::Any);
    if all.is_empty() { Needles::Any } else { Needles::All(all) }
}

/// The letter that a class stands for, if it is one letter in both cases. The filter knows the long s as an s and the
/// Kelvin sign as a k.
fn letter(class: &Class) -> Option<u8> {
    let class = match class {
        Class::Unicode(class) => class.clone(),
        Class::Bytes(class) => class.to_unicode_class()?,
    };
    let mut letters = class.iter().flat_map(|range| range.start()..=range.end()).map(|c| match c {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    });
    let first = letters.next().filter(char::is_ascii)?;
    letters.all(|c| c == first).then_some(first as u8)
}

/// Letters beyond ASCII have capitals that the filter does not know, so only what is ASCII counts. Line feeds are in no
/// line.
fn one(bytes: Vec<u8>) -> Needles {
    let longest = bytes.split(|byte| !byte.is_ascii() || *byte == b'\n').max_by_key(|run| run.len());
    match longest {
        Some(run) if run.len() >= LEAST_BYTES => Needles::One(run.to_vec()),
        _ => Needles::Any,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pattern: &str) -> Needles {
        Needles::of(&regex_syntax::parse(pattern).unwrap())
    }

    fn one(text: &str) -> Needles {
        Needles::One(text.as_bytes().to_vec())
    }

    #[test]
    fn texts_that_every_match_contains_are_needles() {
        assert_eq!(of("error"), one("error"));
        assert_eq!(of("^error: .*failed$"), Needles::All(vec![one("error: "), one("failed")]));
        assert_eq!(of("(timeout|refused)"), Needles::OneOf(vec![one("timeout"), one("refused")]));
        assert_eq!(of("(abc)+x"), Needles::All(vec![one("abc")]));
        assert_eq!(of("(?i)Task \\d"), Needles::All(vec![one("task ")]));
        assert_eq!(of("(?i-u)Task"), Needles::All(vec![one("task")]));
    }

    #[test]
    fn optional_texts_are_no_needles() {
        for pattern in ["x", "[a-z]+", "(abc)?", "(abc)*", "abc|x", "", "é", "\\d{4}", "[ab][cd][ef]"] {
            assert_eq!(of(pattern), Needles::Any, "{pattern}");
        }
    }

    #[test]
    fn needles_are_combined_as_in_the_pattern() {
        let needles = of("one.*(two|three)");
        let may = |words: &[&str]| {
            needles.may_be_in(&|needle: &[u8]| words.iter().any(|word| word.as_bytes() == needle))
        };
        assert!(may(&["one", "two"]) && may(&["one", "three"]));
        assert!(!may(&["one"]) && !may(&["two", "three"]));
    }
}
