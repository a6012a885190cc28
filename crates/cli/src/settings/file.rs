//! The settings file, as keys, values and lines.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use crate::failure::Failure;

/// One line of the file that sets something.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: String,
    /// The value as text, of any kind.
    pub(super) value: String,
    pub(super) line: usize,
}

/// What a file sets, in its order.
///
/// # Errors
///
/// When it is no TOML, with the line.
pub(super) fn entries(text: &str, path: &Path) -> Result<Vec<Entry>, Failure> {
    let table = DeTable::parse(text).map_err(|error| {
        let line = line_of(text, error.span().map_or(0, |span| span.start));
        Failure::ours(format!("{}:{line}: {}", path.display(), error.message()))
            .hint("the file is TOML: lines of `key = value`, with text in quotes")
    })?;
    let mut entries: Vec<Entry> = table
        .get_ref()
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            value: as_text(value.get_ref()),
            line: line_of(text, key.span().start),
        })
        .collect();
    entries.sort_by_key(|entry| entry.line);
    Ok(entries)
}

/// A value as a person would write it in a variable; what no setting takes is named.
fn as_text(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Boolean(truth) => truth.to_string(),
        other => format!("({})", other.type_str()),
    }
}

fn line_of(text: &str, byte: usize) -> usize {
    let before = text.as_bytes().get(..byte).unwrap_or(text.as_bytes());
    1 + before.iter().filter(|&&byte| byte == b'\n').count()
}
