//! Questions on the last line, behind which the cursor waits: `Overwrite? (y/n)`.

use std::sync::LazyLock;

use regex_lite::Regex;

use super::rows::Rows;
use crate::asking::AskedFor;
use crate::question::{Form, Question};

static YES_OR_NO: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)([\[(]\s*\(?y(es)?\)?(es)?\s*[/|,]\s*(\(?n\)?o?|no)\b[^\])]*[\])]|\(y\)es\s*/\s*\(n\)o.*)\s*(\[[^\]]*\])?\s*[:?>]*$",
    )
    .expect("a constant that tests use")
});
static SECRET: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(please )?(enter|paste|provide|type)\b.{0,40}\b(api[ -]?key|token)\b.{0,20}[:>]$|(?i)\b(password|passphrase)\b[^.!?]{0,60}:$")
        .expect("a constant that tests use")
});

/// The question of the last row, if the cursor waits behind it.
pub(super) fn find(rows: &Rows<'_>) -> Option<Question> {
    let last = rows.last()?;
    let text = rows.bare(last);
    if !rows.cursor_is_at_end_of(last) {
        return None;
    }
    (YES_OR_NO.is_match(text) || SECRET.is_match(text)).then(|| question(rows, last, None))
}

/// What a row asks.
pub(super) fn question(rows: &Rows<'_>, row: usize, kind: Option<AskedFor>) -> Question {
    let text = rows.bare(row);
    let is_yes_or_no = YES_OR_NO.is_match(text);
    let kind = kind.unwrap_or_else(|| match () {
        () if SECRET.is_match(text) && text.to_lowercase().contains("key") => AskedFor::ApiKey,
        () if SECRET.is_match(text) => AskedFor::Auth,
        () => Question::kind_of(text, true),
    });
    let choices: &[String] = &if is_yes_or_no { vec!["Yes".to_owned(), "No".to_owned()] } else { Vec::new() };
    Question::new(kind, Some(text), &[], choices, None, Some(Form::Line))
}
