//! The words of a command line, as shells cut them.

use std::ffi::{OsStr, OsString};

/// The words up to the one that is completed, which is the last.
///
/// An option and its value are two words, also where bash makes three of `--out=x`. A shell may leave out the last word
/// if that is empty; here it is there.
pub(super) fn up_to(index: usize, words: Vec<OsString>) -> Vec<OsString> {
    let is_short = words.len() <= index;
    let mut kept: Vec<OsString> = words.into_iter().take(index.saturating_add(1)).collect();
    if is_short || kept.last().is_some_and(|last| last == "=") {
        kept.push(OsString::new());
    }
    let is_sign = |at: usize| at > 0 && kept[at] == "=" && is_option(&kept[at - 1]);
    let signs: Vec<bool> = (0..kept.len()).map(is_sign).collect();
    kept.into_iter().zip(signs).filter_map(|(word, is_sign)| (!is_sign).then_some(word)).collect()
}

fn is_option(word: &OsStr) -> bool {
    word.as_encoded_bytes().starts_with(b"--")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(index: usize, words: &[&str]) -> Vec<OsString> {
        up_to(index, words.iter().map(OsString::from).collect())
    }

    #[test]
    fn the_word_under_the_cursor_is_the_last() {
        assert_eq!(kept(1, &["abide", "ex", "later"]), ["abide", "ex"]);
        assert_eq!(kept(1, &["abide"]), ["abide", ""]);
        assert_eq!(kept(1, &["abide", ""]), ["abide", ""]);
        assert_eq!(kept(7, &[]), [""]);
    }

    #[test]
    fn an_option_and_its_value_are_two_words() {
        assert_eq!(kept(4, &["abide", "export", "--out", "=", "x"]), ["abide", "export", "--out", "x"]);
        assert_eq!(kept(3, &["abide", "export", "--out", "="]), ["abide", "export", "--out", ""]);
        assert_eq!(kept(3, &["abide", "send", "a", "=", "b"]), ["abide", "send", "a", "=", ""]);
    }
}
