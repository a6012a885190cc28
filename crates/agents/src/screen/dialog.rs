//! Dialogs: choices, or a footer that says how to choose, at the bottom of the screen.

use std::sync::LazyLock;

use regex_lite::Regex;

use super::choices::{self, Choices};
use super::rows::Rows;
use super::{hints, input};
use crate::asking::AskedFor;
use crate::question::{Form, Question};

/// Rows below a footer: status rows of programs that keep them there.
const MOST_BELOW_FOOTER: usize = 6;
/// Rows below choices that have no footer: the end of their box, a status row.
const MOST_BELOW_CHOICES: usize = 5;
/// Rows above the choices that belong to the dialog.
const MOST_ABOVE: usize = 24;

/// A dialog, by its rows.
pub(super) struct Dialog {
    top: usize,
    bottom: usize,
    choices: Option<Choices>,
    footer: Option<usize>,
}

/// Words of those dialogs that a program needs an answer to. Menus that a person opens have others.
static NEEDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\?\s|\?$|\b(allow|approv\w*|permission|permit|confirm\w*|trust\w*|proceed|authenticat\w*|log ?in|sign ?in|api[ -]?key|limit|quota|overwrite|accept|reject|deny|action required|required)\b",
    )
    .expect("a constant that tests use")
});

/// The lowest dialog, if there is no place to type below it.
pub(super) fn find(rows: &Rows<'_>) -> Option<Dialog> {
    let last = rows.last()?;
    let below = (rows.first()..=last).rev().filter(|&row| rows.has_text(row));
    let footer = below.take(MOST_BELOW_FOOTER + 1).find(|&row| hints::is_footer(rows.bare(row)));
    let dialog = match footer {
        Some(footer) => above_footer(rows, footer)?,
        None => without_footer(rows, last)?,
    };
    if rows.is_typed_below(dialog.bottom) {
        return None;
    }
    if let Some(input) = input::find(rows) {
        // What is above the place to type is the conversation. What is typed into a dialog stands in the dialog.
        let is_within = input.row <= dialog.bottom && !input.is_framed && dialog.footer.is_some();
        if input.row >= dialog.top && !is_within {
            return None;
        }
    }
    Some(dialog)
}

fn above_footer(rows: &Rows<'_>, footer: usize) -> Option<Dialog> {
    let from = footer.checked_sub(1)?;
    let near = |choices: &Choices| {
        let between = (choices.bottom + 1..footer).filter(|&row| rows.has_text(row));
        between.count() <= 4
    };
    let choices = choices::find_numbered(rows, from)
        .filter(near)
        .or_else(|| choices::find_plain(rows, footer).filter(near))
        .or_else(|| choices::find_buttons(rows, footer));
    // Without choices there must be something that this footer belongs to: rows directly above it.
    let from = choices.as_ref().map_or(footer, |choices| choices.top);
    let top = top_of(rows, from);
    Some(Dialog { top, bottom: footer, choices, footer: Some(footer) })
}

fn without_footer(rows: &Rows<'_>, last: usize) -> Option<Dialog> {
    let choices = choices::find_numbered(rows, last)?;
    choices.selected?;
    let below = (choices.bottom + 1..=last).filter(|&row| rows.has_text(row)).count();
    if below > MOST_BELOW_CHOICES {
        return None;
    }
    let top = top_of(rows, choices.top);
    Some(Dialog { top, bottom: choices.bottom, choices: Some(choices), footer: None })
}

/// Where a dialog begins: below the line that is over it, or at the first of the rows that stand together.
fn top_of(rows: &Rows<'_>, from: usize) -> usize {
    let first = rows.first().max(from.saturating_sub(MOST_ABOVE));
    let frame = (first..from).rev().find(|&row| is_top(rows, row));
    let top = frame.map_or(first, |row| row + 1);
    (top..from).find(|&row| rows.has_text(row)).unwrap_or(from)
}

/// The upper line of a dialog. Lines of dots, and boxes within the dialog's own box, are inside it.
fn is_top(rows: &Rows<'_>, row: usize) -> bool {
    let raw = rows.raw(row);
    let is_inside = raw.trim_start().starts_with(['│', '┃', '║']) || raw.contains(['╌', '╍', '┄', '┅', '┈']);
    rows.is_rule(row) && !is_inside && !raw.trim_start().starts_with(['╰', '└', '╚', '┗'])
}

impl Dialog {
    /// All of its rows that have text.
    pub(super) fn text(&self, rows: &Rows<'_>) -> String {
        let bottom = self.bottom.max(self.footer.unwrap_or(0));
        let texts: Vec<&str> =
            (self.top..=bottom).map(|row| rows.bare(row)).filter(|text| !text.is_empty()).collect();
        texts.join("\n")
    }

    /// Whether the program needs an answer: not so in a menu that the person has opened.
    pub(super) fn is_question(&self, rows: &Rows<'_>) -> bool {
        let is_command = |label: &String| label.starts_with('/');
        if self.choices.as_ref().is_some_and(|choices| choices.labels.iter().any(is_command)) {
            return false;
        }
        let from = self.choices.as_ref().map_or(self.bottom, |choices| choices.top);
        let above = (self.top..from).rev().filter(|&row| rows.has_text(row)).take(8);
        let asks = above.map(|row| rows.bare(row)).any(|text| NEEDS.is_match(text));
        let offers = self.choices.as_ref().is_some_and(|choices| {
            let is_answer = |label: &String| {
                let first = label.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
                ["yes", "no", "allow", "approve", "reject", "deny", "accept", "trust"]
                    .contains(&first.to_lowercase().as_str())
            };
            choices.labels.iter().any(is_answer)
        });
        match (&self.choices, self.footer) {
            (Some(_), _) => asks || offers,
            (None, Some(_)) => asks,
            (None, None) => false,
        }
    }

    /// What it asks.
    pub(super) fn question(&self, rows: &Rows<'_>, kind: Option<AskedFor>) -> Question {
        let from = self.choices.as_ref().map_or(self.bottom, |choices| choices.top);
        let above: Vec<&str> =
            (self.top..from).filter(|&row| rows.has_text(row)).map(|row| rows.bare(row)).collect();
        let asks = above
            .iter()
            .rposition(|text| text.trim_end().ends_with(['?', ':']))
            .or(above.len().checked_sub(1));
        let text = asks.map(|index| above[index].to_owned());
        let detail: Vec<&str> = above.iter().take(asks.unwrap_or(0)).copied().collect();
        let all = self.text(rows);
        let (labels, selected, form) = match &self.choices {
            Some(choices) => (choices.labels.clone(), choices.selected, Some(choices.form)),
            None => (Vec::new(), None, None),
        };
        let kind = kind.unwrap_or_else(|| Question::kind_of(&all, form != Some(Form::Buttons)));
        Question::new(kind, text.as_deref(), &detail, &labels, selected, form)
    }
}
