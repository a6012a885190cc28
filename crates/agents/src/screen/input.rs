//! The place where the person types.

use super::choices::{numbered, unmarked};
use super::rows::Rows;

/// Rows that what is typed may take.
const MOST_TYPED: usize = 10;
/// Rows with text below it: hints, a status line.
const MOST_BELOW: usize = 10;

/// The place where the person types.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    /// The first row of its box, or its own.
    pub(super) top: usize,
    /// The row with the prompt or the cursor.
    pub(super) row: usize,
    /// The last row of its box, or its own.
    pub(super) bottom: usize,
    /// Whether it stands in a box, or between two lines.
    pub(super) is_framed: bool,
}

/// Finds it near the bottom of the screen.
pub(super) fn find(rows: &Rows<'_>) -> Option<Input> {
    let last = rows.last()?;
    let end = last.max(rows.cursor_row());
    let mut below = 0;
    for row in (rows.first()..=end).rev() {
        if is_prompt(rows, row) || row == rows.cursor_row() && !is_choice(rows, row) {
            if let Some(input) = framed(rows, row) {
                return Some(input);
            }
            if is_bare_prompt(rows, row) {
                return Some(Input { top: row, row, bottom: row, is_framed: false });
            }
        }
        below += usize::from(rows.has_text(row));
        if below > MOST_BELOW {
            return None;
        }
    }
    None
}

/// Whether a row begins with what stands before typed text.
fn is_prompt(rows: &Rows<'_>, row: usize) -> bool {
    let bare = rows.bare(row);
    let begins = bare.starts_with(['❯', '›', '>', '»', '⏵', '∙', '!', '/']) && !bare.starts_with("/ ");
    begins && !is_choice(rows, row)
}

fn is_choice(rows: &Rows<'_>, row: usize) -> bool {
    let bare = rows.bare(row);
    let is_numbered = numbered(bare).is_some();
    // A list of choices without numbers: the next row begins where the words of this one do.
    let words = unmarked(bare);
    let column = rows.indent(row) + bare.chars().count() - words.1.chars().count();
    let is_beside = |row: usize| rows.has_text(row) && rows.indent(row) == column && column > 0;
    is_numbered || words.0 && (is_beside(row + 1) || row > 0 && is_beside(row - 1))
}

/// The box or the two lines around a row, with nothing but typed text between them.
fn framed(rows: &Rows<'_>, row: usize) -> Option<Input> {
    if let Some(input) = barred(rows, row) {
        return Some(input);
    }
    let above = (rows.first()..row).rev().take(MOST_TYPED).find(|&row| rows.is_rule(row))?;
    let last = rows.last()?.max(row);
    let below = (row + 1..=last).take(MOST_TYPED).find(|&row| rows.is_rule(row))?;
    // Between the lines of a dialog are choices.
    let has_choices =
        (above + 1..below).any(|row| is_choice(rows, row) || super::hints::is_footer(rows.bare(row)));
    // A box within a box belongs to what a dialog shows.
    let is_inner = rows.raw(row).trim_start().starts_with("│ │");
    let is_empty_above = row - above <= 1 || !is_prompt(rows, row) || !rows.has_text(row - 1);
    (!has_choices && !is_inner && is_empty_above).then_some(Input {
        top: above,
        row,
        bottom: below,
        is_framed: true,
    })
}

/// A box that has a bar on its left, and a line below it.
fn barred(rows: &Rows<'_>, row: usize) -> Option<Input> {
    let has_bar = |row: usize| rows.raw(row).trim_start().starts_with(['┃', '▌', '█', '▐']);
    let bar = |row: &usize| has_bar(*row);
    if row != rows.cursor_row() || !has_bar(row) {
        return None;
    }
    let top = (rows.first()..row).rev().take(MOST_TYPED).take_while(bar).last().unwrap_or(row);
    let bottom = (row + 1..).take(MOST_TYPED).take_while(bar).last().unwrap_or(row);
    let has_hints = (top..=bottom).any(|row| super::hints::is_footer(rows.bare(row)));
    (rows.is_rule(bottom + 1) && !has_hints).then_some(Input {
        top,
        row,
        bottom: bottom + 1,
        is_framed: true,
    })
}

/// A prompt that has no box: the cursor stands in its row, and above it is nothing.
fn is_bare_prompt(rows: &Rows<'_>, row: usize) -> bool {
    let has_cursor = (row..row + MOST_TYPED).contains(&rows.cursor_row())
        && (row..rows.cursor_row()).all(|row| rows.has_text(row));
    let bare = rows.bare(row);
    let is_sign = bare.starts_with(['❯', '›', '»']) || bare == ">" || bare.starts_with("> ");
    is_sign && has_cursor && !is_choice(rows, row) && (row == 0 || rows.is_blank(row - 1))
}
