//! Foreign text, made safe to show.

/// Longer texts are cut, with an ellipsis.
pub(crate) const MOST_CHARACTERS: usize = 400;

/// A text that is still to be masked is cut here: so late that half a secret at its end is not among the characters that
/// are shown in the end.
const MOST_CHARACTERS_UNMASKED: usize = 10 * MOST_CHARACTERS;

/// A message of several lines is cut at this length.
pub(crate) const MOST_CHARACTERS_OF_LINES: usize = 16_000;

/// Foreign text without anything that a terminal, a page or a reader could be misled by: no controls, no escapes,
/// no marks that change the direction of writing, and no more of it than fits a few lines.
pub fn display_safe(text: &str) -> String {
    let mut safe: String =
        text.chars().take(MOST_CHARACTERS).map(|c| if is_safe(c) { c } else { '\u{fffd}' }).collect();
    if text.chars().nth(MOST_CHARACTERS).is_some() {
        safe.push('…');
    }
    safe
}

/// The same for a text that is masked afterwards, and cut to its final length only then: a secret that is cut in half is
/// not recognised.
pub fn display_safe_unmasked(text: &str) -> String {
    text.chars().take(MOST_CHARACTERS_UNMASKED).map(|c| if is_safe(c) { c } else { '\u{fffd}' }).collect()
}

/// The same for a message of several lines, such as an error with its reason: lines stay lines, and only what no person
/// would read is cut.
pub fn display_safe_lines(text: &str) -> String {
    let safe = |c| if c == '\n' || is_safe(c) { c } else { '\u{fffd}' };
    let mut lines: String = text.chars().take(MOST_CHARACTERS_OF_LINES).map(safe).collect();
    if text.chars().nth(MOST_CHARACTERS_OF_LINES).is_some() {
        lines.push('…');
    }
    lines
}

fn is_safe(c: char) -> bool {
    let steers = matches!(c,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{61c}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
    !c.is_control() && !steers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s24_misleading_characters_are_replaced() {
        assert_eq!(display_safe("a\u{1b}[31mb\u{7}\n\u{202e}c\u{9b}2Jd"), "a�[31mb���c�2Jd");
        assert_eq!(display_safe_lines("a\u{1b}[31m\nb\u{202e}"), "a�[31m\nb�");
        assert_eq!(display_safe_lines(&"x".repeat(20_000)).chars().count(), MOST_CHARACTERS_OF_LINES + 1);
        assert_eq!(display_safe("größe 日本 👍"), "größe 日本 👍");
        assert_eq!(display_safe(&"x".repeat(1000)).chars().count(), MOST_CHARACTERS + 1);
        assert_eq!(display_safe_unmasked("a\u{1b}b"), "a\u{fffd}b");
        assert_eq!(display_safe_unmasked(&"x".repeat(9000)).chars().count(), MOST_CHARACTERS_UNMASKED);
    }
}
