//! The keys that detach.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// What terminals send for Ctrl and each of these is also Tab, Enter or the beginning of a special key.
const TAKEN: &str = "ijm[";

/// The keys that detach: one with Ctrl, then a letter or digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DetachKey {
    prefix: char,
    letter: char,
}

impl DetachKey {
    /// The key that is pressed with Ctrl first: a lower-case letter or one of `@ \ ] ^ _`.
    pub(crate) fn prefix(self) -> char {
        self.prefix
    }

    /// The letter or digit that follows, an ASCII character.
    pub(crate) fn letter(self) -> char {
        self.letter
    }
}

impl Default for DetachKey {
    fn default() -> DetachKey {
        DetachKey { prefix: '\\', letter: 'd' }
    }
}

/// Why a text names no keys that could detach.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum ParseDetachKeyError {
    /// It is not of that shape.
    #[error("`{0}` is not a key with Ctrl, a space and a letter")]
    Shape(String),
    /// Ctrl with this key cannot be told from another key.
    #[error("Ctrl-{0} is the same as Tab, Enter or Escape")]
    Taken(char),
}

impl FromStr for DetachKey {
    type Err = ParseDetachKeyError;

    fn from_str(text: &str) -> Result<DetachKey, ParseDetachKeyError> {
        let shape = || ParseDetachKeyError::Shape(model::display_safe(text));
        let (first, letter) = text.split_once(' ').ok_or_else(shape)?;
        let prefix = first.to_ascii_lowercase();
        let prefix = prefix.strip_prefix("ctrl-").and_then(only_char).ok_or_else(shape)?;
        let letter = only_char(letter).filter(char::is_ascii_alphanumeric).ok_or_else(shape)?;
        if TAKEN.contains(prefix) {
            return Err(ParseDetachKeyError::Taken(prefix));
        }
        if !prefix.is_ascii_lowercase() && !r"@\]^_".contains(prefix) {
            return Err(shape());
        }
        Ok(DetachKey { prefix, letter })
    }
}

fn only_char(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

impl fmt::Display for DetachKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ctrl-{} {}", self.prefix, self.letter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_comes_back_from_its_text() {
        for text in [r"ctrl-\ d", "ctrl-a d", "ctrl-] x", "ctrl-@ 1"] {
            assert_eq!(text.parse::<DetachKey>().unwrap().to_string(), text);
        }
        assert_eq!(r"ctrl-\ d".parse(), Ok(DetachKey::default()));
        assert_eq!("Ctrl-A d".parse::<DetachKey>().unwrap().to_string(), "ctrl-a d");
    }

    #[test]
    fn keys_that_terminals_send_for_other_keys_are_refused() {
        for text in ["ctrl-[ d", "ctrl-m d", "ctrl-i d", "ctrl-j d"] {
            assert!(matches!(text.parse::<DetachKey>(), Err(ParseDetachKeyError::Taken(_))), "{text}");
        }
        for text in ["", "ctrl-a", "a d", "ctrl-a dd", "ctrl-aa d", "ctrl-ä d", "ctrl-a  d", "ctrl-1 d"] {
            assert!(matches!(text.parse::<DetachKey>(), Err(ParseDetachKeyError::Shape(_))), "{text}");
        }
    }
}
