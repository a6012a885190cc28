//! Foreign text that may leave: to people, to programs, to the database and to logs.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize};

use crate::display_safe::{MOST_CHARACTERS, MOST_CHARACTERS_OF_LINES, display_safe, display_safe_lines};

/// Foreign text whose secrets are masked, without anything that misleads ([`display_safe`]). A field of this type holds
/// nothing else. The crate `reading` makes it: it knows what is secret.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ShownText(String);

impl ShownText {
    /// The text, first masked and then made safe. What is too long is cut at its end.
    pub fn masked(foreign: &str, mask: impl for<'a> FnOnce(&'a str) -> Cow<'a, str>) -> ShownText {
        ShownText(display_safe(&mask(foreign)))
    }

    /// The same for a text whose end says most, such as the last lines of an error: it is cut at its beginning. Line
    /// ends become semicolons.
    pub fn masked_end(foreign: &str, mask: impl for<'a> FnOnce(&'a str) -> Cow<'a, str>) -> ShownText {
        let masked = mask(foreign);
        let lines =
            masked.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
        match lines.char_indices().rev().nth(MOST_CHARACTERS - 1) {
            Some((at, _)) if at > 0 => ShownText(format!("…{}", display_safe(&lines[at..]))),
            _ => ShownText(display_safe(&lines)),
        }
    }

    /// The text as it may be shown.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for ShownText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ShownText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<ShownText> for String {
    fn from(shown: ShownText) -> String {
        shown.0
    }
}

/// What comes from another process is made safe again. Whether its secrets are masked, that process decided.
impl<'de> Deserialize<'de> for ShownText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ShownText, D::Error> {
        let text = <Cow<'de, str>>::deserialize(deserializer)?;
        Ok(ShownText(display_safe(&text)))
    }
}

/// Foreign text of many lines whose secrets are masked, without anything that misleads: what a person wrote to an agent,
/// what it answered, what a tool printed. Made as a [`ShownText`] is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct ShownLines(String);

impl ShownLines {
    /// The text, first masked and then made safe. Tabs become spaces. What no person would read is cut at its end.
    pub fn masked(foreign: &str, mask: impl for<'a> FnOnce(&'a str) -> Cow<'a, str>) -> ShownLines {
        ShownLines::safe(&mask(foreign))
    }

    fn safe(text: &str) -> ShownLines {
        ShownLines(display_safe_lines(&text.replace("\r\n", "\n").replace('\t', "    ")))
    }

    /// Whether it was too long and is cut.
    pub fn is_cut(&self) -> bool {
        self.0.chars().nth(MOST_CHARACTERS_OF_LINES).is_some()
    }

    /// The text as it may be shown.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for ShownLines {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// As for [`ShownText`].
impl<'de> Deserialize<'de> for ShownLines {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ShownLines, D::Error> {
        let text = <Cow<'de, str>>::deserialize(deserializer)?;
        Ok(ShownLines::safe(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(text: &str) -> Cow<'_, str> {
        text.replace("hunter2", "*******").into()
    }

    #[test]
    fn s24_s38_a_shown_text_is_masked_before_it_is_made_safe_and_cut() {
        assert_eq!(ShownText::masked("a\x1bhunter2\u{202e}", mask).as_str(), "a\u{fffd}*******\u{fffd}");
        let long = format!("{}hunter2", "x".repeat(MOST_CHARACTERS - 3));
        let shown = ShownText::masked(&long, mask);
        assert!(shown.ends_with("x***…"), "{shown}");
    }

    #[test]
    fn s24_s38_lines_stay_lines_and_are_masked_and_cut() {
        let lines = ShownLines::masked("a\r\n\thunter2\x1b[2J\n", mask);
        assert_eq!(lines.as_str(), "a\n    *******\u{fffd}[2J\n");
        let long = ShownLines::masked(&format!("{}hunter2", "x".repeat(MOST_CHARACTERS_OF_LINES - 3)), mask);
        assert!(long.ends_with("x***…") && long.is_cut() && !lines.is_cut());
        assert_eq!(ShownLines::safe(&long), long);
    }

    #[test]
    fn s38_the_end_of_a_long_text_is_kept_and_no_half_of_a_secret() {
        assert_eq!(ShownText::masked_end("one\n\n two \x07\n", mask).as_str(), "one; two \u{fffd}");
        let long = format!("begun hunter2{}", "x".repeat(MOST_CHARACTERS - 3));
        let shown = ShownText::masked_end(&long, mask);
        assert!(shown.starts_with("…***x") && shown.ends_with('x'), "{shown}");
        assert_eq!(shown.chars().count(), MOST_CHARACTERS + 1);
    }
}
