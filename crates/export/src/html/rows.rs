//! The text of rows.

use terminal::StyledRow;

/// Whether there is nothing to read in a row.
pub(super) fn is_blank(row: &StyledRow) -> bool {
    row.spans.iter().all(|span| span.text.trim_end().is_empty())
}

/// How many rows there are up to the last that is not blank.
pub(super) fn used(rows: &[StyledRow]) -> usize {
    rows.iter().rposition(|row| !is_blank(row)).map_or(0, |last| last + 1)
}

/// The texts of the rows that have one.
pub(super) fn texts(rows: &[StyledRow]) -> impl Iterator<Item = String> {
    rows.iter().map(|row| row.text().trim_end().to_owned()).filter(|text| !text.is_empty())
}
