//! The choices of a dialog.

use super::hints;
use super::rows::Rows;
use crate::question::Form;

/// Rows between two choices, for what describes the first of them.
const MOST_BETWEEN: usize = 5;

/// A list of more choices is no dialog.
const MOST_CHOICES: usize = 20;

/// The choices, as they stand on the screen.
pub(super) struct Choices {
    /// The first and the last of their rows.
    pub(super) top: usize,
    pub(super) bottom: usize,
    pub(super) labels: Vec<String>,
    /// The one with the marker, if there is a marker.
    pub(super) selected: Option<usize>,
    pub(super) form: Form,
}

/// A row that begins with a number, as a choice does: marked or not, which number, and its words.
pub(super) fn numbered(bare: &str) -> Option<(bool, usize, &str)> {
    let (marked, rest) = unmarked(bare);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest.get(..digits).filter(|digits| (1..=2).contains(&digits.len()))?.parse().ok()?;
    let words = rest[digits..].strip_prefix(['.', ')', ':'])?;
    let label = words.trim();
    (words.starts_with(' ') && !label.is_empty()).then_some((marked, number, label))
}

/// A row without the marker of a selection, and whether it had one.
pub(super) fn unmarked(bare: &str) -> (bool, &str) {
    let markers = ['❯', '›', '»', '>', '●', '▶', '▸', '►', '→', '➜', '◉', '◆', '⏵', '⮞', '⯈', '➤', '▷', '*'];
    match bare.strip_prefix(markers).map(|rest| rest.trim_start_matches('\u{fe0e}')) {
        Some(rest) if rest.starts_with(' ') => (true, rest.trim_start()),
        _ => (false, bare),
    }
}

/// The lowest numbered choices from a row upwards: numbers that begin with 1 and leave none out.
pub(super) fn find_numbered(rows: &Rows<'_>, from: usize) -> Option<Choices> {
    let lowest = (rows.first()..=from).rev().take(MOST_CHOICES).find_map(|row| {
        let (marked, number, label) = numbered(rows.bare(row))?;
        (2..=MOST_CHOICES).contains(&number).then_some((row, marked, number, label))
    })?;
    let (bottom, marked, count, label) = lowest;
    let mut labels = vec![label.to_owned()];
    let mut selected = marked.then_some(count - 1);
    let mut top = bottom;
    for wanted in (1..count).rev() {
        let above = (rows.first()..top).rev().take(MOST_BETWEEN).find_map(|row| {
            let (marked, number, label) = numbered(rows.bare(row))?;
            (number == wanted).then_some((row, marked, label))
        });
        let (row, marked, label) = above?;
        top = row;
        labels.push(label.to_owned());
        if marked {
            selected = Some(wanted - 1);
        }
    }
    labels.reverse();
    Some(Choices { top, bottom, labels, selected, form: Form::Numbered })
}

/// A marked row with others around it that begin in the column of its words: choices without numbers. They count only
/// above a footer.
pub(super) fn find_plain(rows: &Rows<'_>, footer: usize) -> Option<Choices> {
    let first = rows.first().max(footer.saturating_sub(MOST_CHOICES));
    let marked = (first..footer).rev().find(|&row| unmarked(rows.bare(row)).0 && !rows.is_rule(row))?;
    let words = unmarked(rows.bare(marked)).1;
    let column = rows.indent(marked) + (rows.bare(marked).chars().count() - words.chars().count());
    let is_choice =
        |row: usize| rows.has_text(row) && rows.indent(row) == column && !hints::is_footer(rows.bare(row));
    let top = (first..marked).rev().take_while(|&row| is_choice(row)).last().unwrap_or(marked);
    let bottom = (marked + 1..footer).take_while(|&row| is_choice(row)).last().unwrap_or(marked);
    if top == bottom {
        return None;
    }
    let labels = (top..=bottom).map(|row| unmarked(rows.bare(row)).1.to_owned()).collect();
    Some(Choices { top, bottom, labels, selected: Some(marked - top), form: Form::Plain })
}

/// Buttons that stand side by side in the row of hints: `Allow once   Reject      ⇆ select  enter confirm`.
pub(super) fn find_buttons(rows: &Rows<'_>, footer: usize) -> Option<Choices> {
    let bare = rows.bare(footer);
    if !hints::selects(bare) {
        return None;
    }
    let row = if hints::start(bare)? > 0 { footer } else { footer.checked_sub(1)? };
    let text = if row == footer { &bare[..hints::start(bare)?] } else { rows.bare(row) };
    // Hints of other keys begin with the key's name.
    let is_key = |part: &str| part.starts_with("ctrl") || part.starts_with("alt") || part.contains('+');
    let labels: Vec<String> = text
        .split("  ")
        .map(|part| unmarked(part.trim()).1.trim_matches(['[', ']', '<', '>']).trim().to_owned())
        .filter(|part| !part.is_empty() && !is_key(part))
        .collect();
    let are_short = labels.iter().all(|label| label.chars().count() <= 40);
    ((2..=6).contains(&labels.len()) && are_short).then_some(Choices {
        top: row,
        bottom: row,
        labels,
        selected: None,
        form: Form::Buttons,
    })
}
