//! Checks texts from outside, before they are kept.

use api::{ErrorCode, Problem};

/// The longest title or name: it must fit into a list.
const MOST_TITLE_CHARACTERS: usize = 500;

/// Title and description together become a prompt, and a prompt must fit into one argument of a program.
const MOST_DESCRIPTION_BYTES: usize = 100 << 10;
const _: () = assert!(MOST_DESCRIPTION_BYTES + 4 * MOST_TITLE_CHARACTERS + 2 <= agents::MOST_PROMPT_BYTES);

/// Checks a line that a user wrote: it is not empty, not too long, and has no misleading characters.
pub(crate) fn line(what: &str, text: &str) -> Result<String, Problem> {
    let text = text.trim();
    let wrong = |why: &str| Err(Problem::new(ErrorCode::BadText, format!("the {what} {why}")));
    if text.is_empty() {
        return wrong("is empty");
    }
    if text.chars().count() > MOST_TITLE_CHARACTERS {
        return wrong(&format!("has more than {MOST_TITLE_CHARACTERS} characters"));
    }
    let same: String = text.chars().take(MOST_TITLE_CHARACTERS).collect();
    // Checked in pieces, because `display_safe` shortens long text.
    let pieces: Vec<char> = same.chars().collect();
    let is_safe = pieces.chunks(100).all(|piece| {
        let piece: String = piece.iter().collect();
        model::display_safe(&piece) == piece
    });
    if is_safe { Ok(same) } else { wrong("contains control characters or other misleading characters") }
}

/// Checks the description of a task; `None` if it is empty.
pub(crate) fn description(text: &str) -> Result<Option<String>, Problem> {
    paragraphs("description", text, MOST_DESCRIPTION_BYTES)
}

/// Checks a prompt; `None` if it is empty.
pub(crate) fn prompt(text: &str) -> Result<Option<String>, Problem> {
    paragraphs("prompt", text, agents::MOST_PROMPT_BYTES)
}

fn paragraphs(what: &str, text: &str, most_bytes: usize) -> Result<Option<String>, Problem> {
    let wrong = |why: &str| Err(Problem::new(ErrorCode::BadText, format!("the {what} {why}")));
    if text.len() > most_bytes {
        return wrong(&format!("has more than {} KiB", most_bytes >> 10));
    }
    if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r')) {
        return wrong("contains control characters");
    }
    Ok((!text.trim().is_empty()).then(|| text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n1_a_title_is_one_line_without_control_characters() {
        assert_eq!(line("title", "  Größe 日本 👍 $(id) --x ").unwrap(), "Größe 日本 👍 $(id) --x");
        for text in ["", "  ", "a\nb", "a\u{1b}[31m", "\u{202e}evil", "nul\0", &"x".repeat(501)] {
            assert_eq!(line("title", text).unwrap_err().code(), ErrorCode::BadText, "{text:?}");
        }
        assert_eq!(line("title", &"x".repeat(500)).unwrap().len(), 500);
    }

    #[test]
    fn n1_a_description_may_have_several_lines() {
        assert_eq!(description("a\n\tb").unwrap().as_deref(), Some("a\n\tb"));
        assert_eq!(description(" \n").unwrap(), None);
        assert!(description("a\0b").is_err());
    }
}
