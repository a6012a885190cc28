//! Texts and paths from outside, before they are kept.

use std::env;
use std::io::ErrorKind;
use std::path::{Component, PathBuf};

use api::{ErrorCode, Problem};

/// Titles and names are lines in a list.
const MOST_TITLE_CHARACTERS: usize = 500;

/// A description becomes a prompt, behind a title, and a prompt has an argument of a program for its bound.
const MOST_DESCRIPTION_BYTES: usize = 100 << 10;
const _: () = assert!(MOST_DESCRIPTION_BYTES + 4 * MOST_TITLE_CHARACTERS + 2 <= agents::MOST_PROMPT_BYTES);

/// A line that a person wrote: not empty, not endless, and nothing in it that misleads.
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
    // Cut by the same function in pieces, since it shortens what is long.
    let pieces: Vec<char> = same.chars().collect();
    let is_safe = pieces.chunks(100).all(|piece| {
        let piece: String = piece.iter().collect();
        model::display_safe(&piece) == piece
    });
    if is_safe { Ok(same) } else { wrong("has control characters, or others that mislead, in it") }
}

/// What a person wrote about a task; nothing if it is empty.
pub(crate) fn description(text: &str) -> Result<Option<String>, Problem> {
    paragraphs("description", text, MOST_DESCRIPTION_BYTES)
}

/// What an agent is told; nothing if it is empty.
pub(crate) fn prompt(text: &str) -> Result<Option<String>, Problem> {
    paragraphs("prompt", text, agents::MOST_PROMPT_BYTES)
}

fn paragraphs(what: &str, text: &str, most_bytes: usize) -> Result<Option<String>, Problem> {
    let wrong = |why: &str| Err(Problem::new(ErrorCode::BadText, format!("the {what} {why}")));
    if text.len() > most_bytes {
        return wrong(&format!("has more than {} KiB", most_bytes >> 10));
    }
    if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r')) {
        return wrong("has control characters in it");
    }
    Ok((!text.trim().is_empty()).then(|| text.to_owned()))
}

/// A directory that is there, by an absolute path without detours; `~` is the user's own.
pub(crate) fn directory(text: &str) -> Result<PathBuf, Problem> {
    let path = match (text.strip_prefix('~'), env::home_dir()) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => PathBuf::from(text),
    };
    let shown = model::display_safe(text);
    let wrong = |why: &str| Err(Problem::new(ErrorCode::BadPath, format!("`{shown}` {why}")));
    if !path.is_absolute() {
        return wrong("is not an absolute path");
    }
    if text.contains('\0') || path.components().any(|part| part == Component::ParentDir) {
        return wrong("is not a plain path");
    }
    match path.metadata() {
        Ok(found) if found.is_dir() => Ok(path),
        Ok(_) => wrong("is not a directory"),
        Err(error) => match error.kind() {
            ErrorKind::NotFound => wrong("does not exist: make it first, or choose another directory"),
            ErrorKind::PermissionDenied => wrong("may not be entered by you: choose another directory"),
            kind => wrong(&format!("cannot be used: {kind}")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n1_titles_are_lines() {
        assert_eq!(line("title", "  Größe 日本 👍 $(id) --x ").unwrap(), "Größe 日本 👍 $(id) --x");
        for text in ["", "  ", "a\nb", "a\u{1b}[31m", "\u{202e}evil", "nul\0", &"x".repeat(501)] {
            assert_eq!(line("title", text).unwrap_err().code(), ErrorCode::BadText, "{text:?}");
        }
        assert_eq!(line("title", &"x".repeat(500)).unwrap().len(), 500);
    }

    #[test]
    fn n1_descriptions_may_have_lines() {
        assert_eq!(description("a\n\tb").unwrap().as_deref(), Some("a\n\tb"));
        assert_eq!(description(" \n").unwrap(), None);
        assert!(description("a\0b").is_err());
    }

    #[test]
    fn n4_a_directory_must_be_there() {
        assert_eq!(directory("/").unwrap(), PathBuf::from("/"));
        assert_eq!(directory("~").ok(), env::home_dir());
        assert_eq!(directory("~/").ok(), env::home_dir());
        for text in
            ["", "relative", "/no/such/place", "/proc/version", "/tmp/../etc", "/a\0b", "~/../etc", "~you"]
        {
            assert_eq!(directory(text).unwrap_err().code(), ErrorCode::BadPath, "{text:?}");
        }
        let said = format!("{:?}", directory("/no/such/place").unwrap_err());
        assert!(said.contains("does not exist") && !said.contains("os error"), "{said}");
    }
}
