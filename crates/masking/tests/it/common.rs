//! What the tests share.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use masking::{Mask, Masker, Rules, apply};
use model::TermSize;

/// The rules that come with abide; compiling them takes longer than most tests.
pub(crate) fn rules() -> Arc<Rules> {
    static RULES: LazyLock<Arc<Rules>> = LazyLock::new(|| Arc::new(Rules::builtin()));
    RULES.clone()
}

pub(crate) fn size(cols: u16, rows: u16) -> TermSize {
    TermSize::clamped(cols, rows)
}

/// The masks of a stream that comes in parts.
pub(crate) fn masks<'p>(
    rules: &Arc<Rules>,
    size: TermSize,
    parts: impl IntoIterator<Item = &'p [u8]>,
) -> Vec<Mask> {
    let mut masker = Masker::new(rules.clone(), size);
    parts.into_iter().for_each(|part| masker.feed(part));
    masker.look();
    masker.take_masks()
}

/// A stream with its secrets masked.
pub(crate) fn masked_with(rules: &Arc<Rules>, size: TermSize, bytes: &[u8]) -> Vec<u8> {
    let mut masked = bytes.to_vec();
    apply(&masks(rules, size, [bytes]), 0, &mut masked);
    masked
}

/// The same by the rules that come with abide.
pub(crate) fn masked(size: TermSize, bytes: impl AsRef<[u8]>) -> String {
    let bytes = masked_with(&rules(), size, bytes.as_ref());
    String::from_utf8(bytes).expect("masks are characters")
}

/// A stream of which it is known which bytes are secret.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stream {
    pub(crate) bytes: Vec<u8>,
    pub(crate) secret: Vec<bool>,
}

impl Stream {
    pub(crate) fn new() -> Stream {
        Stream::default()
    }

    /// Adds what is not secret.
    pub(crate) fn plain(&mut self, bytes: impl AsRef<[u8]>) -> &mut Stream {
        self.bytes.extend_from_slice(bytes.as_ref());
        self.secret.resize(self.bytes.len(), false);
        self
    }

    /// Adds a part of an example.
    pub(crate) fn part(&mut self, example: &Example, range: Range<usize>) -> &mut Stream {
        self.bytes.extend_from_slice(&example.text.as_bytes()[range.clone()]);
        self.secret.extend_from_slice(&example.secret[range]);
        self
    }

    /// Adds a whole example.
    pub(crate) fn example(&mut self, example: &Example) -> &mut Stream {
        self.part(example, 0..example.text.len())
    }

    /// Which bytes the masker masks.
    pub(crate) fn covered(&self, size: TermSize) -> Vec<bool> {
        let mut covered = vec![false; self.bytes.len()];
        for mask in masks(&rules(), size, [&self.bytes[..]]) {
            covered[mask.at as usize..][..usize::from(mask.len)].fill(true);
        }
        covered
    }

    /// Fails unless exactly what is secret is masked.
    pub(crate) fn check(&self, size: TermSize, what: &str) {
        let covered = self.covered(size);
        assert!(covered == self.secret, "{what}\n{}", self.shown(&covered));
    }

    /// Fails unless all that is secret is masked.
    pub(crate) fn check_hidden(&self, size: TermSize, what: &str) {
        let covered = self.covered(size);
        let left = self.secret.iter().zip(&covered).any(|(secret, covered)| *secret && !covered);
        assert!(!left, "{what}\n{}", self.shown(&covered));
    }

    /// The stream, and below it which bytes are secret, masked (`#`) or left (`!`).
    fn shown(&self, covered: &[bool]) -> String {
        let text: String = self
            .bytes
            .iter()
            .map(|&byte| if (0x20..0x7f).contains(&byte) { byte as char } else { '.' })
            .collect();
        let marks: String = self
            .secret
            .iter()
            .zip(covered)
            .map(|marks| match marks {
                (true, true) => '#',
                (true, false) => '!',
                (false, true) => '?',
                (false, false) => ' ',
            })
            .collect();
        format!("{text}\n{marks}")
    }
}

/// An example of a rule, and which of its bytes are secret.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    pub(crate) rule: String,
    pub(crate) text: String,
    pub(crate) secret: Vec<bool>,
}

/// A character of an example: its bytes, and the columns that it stands in.
#[derive(Clone, Debug)]
pub(crate) struct Character {
    pub(crate) bytes: Range<usize>,
    pub(crate) columns: Range<usize>,
}

impl Example {
    /// Its characters, each with the marks on it.
    pub(crate) fn characters(&self) -> Vec<Character> {
        let mut characters: Vec<Character> = Vec::new();
        for (at, c) in self.text.char_indices() {
            let (end, cols) = (at + c.len_utf8(), usize::from(terminal::width(c)));
            let start = characters.last().map_or(0, |last| last.columns.end);
            match characters.last_mut().filter(|_| cols == 0) {
                Some(last) => last.bytes.end = end,
                None => characters.push(Character { bytes: at..end, columns: start..start + cols }),
            }
        }
        characters
    }

    pub(crate) fn of(rule: &str, text: &str) -> Example {
        let findings = rules().find(text);
        assert!(!findings.is_empty(), "{rule}: nothing is found in {text}");
        let mut secret = vec![false; text.len()];
        findings.iter().for_each(|finding| secret[finding.range.clone()].fill(true));
        Example { rule: rule.to_owned(), text: text.to_owned(), secret }
    }
}

/// All examples of `rules.toml`, spelled out.
pub(crate) fn examples() -> Vec<Example> {
    rules().examples().map(|(rule, text)| Example::of(rule, text)).collect()
}
