//! What a screen shows: a dialog, work, or a place to type.
//!
//! Only structure counts, and only near the bottom: a selection with a marker, its footer, the box that the person
//! types into, a spinner's row directly above it. A text further up that speaks of such things is the agent's answer,
//! or a file.

mod choices;
mod dialog;
mod hints;
mod input;
mod one_line;
mod rows;
mod work;

pub use rows::ScreenRows;

use crate::agent::Agent;
use crate::question::Question;
use crate::rule::{Meaning, Place, Signs};
use crate::version::Version;
use rows::Rows;

/// What a screen shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// The program asks. `known` says that a rule of the agent's definition knows this dialog.
    Asking { question: Question, known: bool },
    /// The program works, and says so.
    Working,
    /// There is a place to type, and no sign of work. `body` stands for what is above that place.
    Ready { body: u64 },
    /// Nothing that is understood.
    Nothing,
}

impl Sight {
    /// Whether the other is of the same kind.
    pub(crate) fn is_like(&self, other: &Sight) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// Looks at a screen.
pub(crate) fn look(screen: &ScreenRows, signs: &Signs, version: Option<&Version>) -> Sight {
    let rows = Rows::new(screen);
    let Some(last) = rows.last() else { return Sight::Nothing };
    let meaning_of = |place: Place, text: &str| meaning(signs, version, place, text);
    if let Some(dialog) = dialog::find(&rows) {
        let text = dialog.text(&rows);
        return match meaning_of(Place::Dialog, &text) {
            Some(Meaning::Asking(kind)) => {
                Sight::Asking { question: dialog.question(&rows, kind), known: true }
            }
            Some(_) => Sight::Nothing,
            None if dialog.is_question(&rows) => {
                Sight::Asking { question: dialog.question(&rows, None), known: false }
            }
            None => Sight::Nothing,
        };
    }
    let input = input::find(&rows);
    let typed = rows.cursor_is_at_end_of(last) || input.is_none();
    if typed {
        match meaning_of(Place::LastRow, rows.bare(last)) {
            Some(Meaning::Asking(kind)) => {
                return Sight::Asking { question: one_line::question(&rows, last, kind), known: true };
            }
            Some(Meaning::Active) => return Sight::Working,
            _ => {}
        }
        if let Some(question) = one_line::find(&rows) {
            return Sight::Asking { question, known: false };
        }
    }
    let (status, footer) = work::rows_of(&rows, input);
    let shows = |place: Place, near: &[usize]| {
        near.iter().any(|&row| matches!(meaning_of(place, rows.bare(row)), Some(Meaning::Active)))
    };
    if shows(Place::Status, &status)
        || shows(Place::Footer, &footer)
        || work::is_shown(&rows, &status, &footer)
    {
        return Sight::Working;
    }
    match input {
        Some(input) => Sight::Ready { body: rows.hash_above(input.top) },
        None => Sight::Nothing,
    }
}

/// The question that a screen shows for an agent, of this version if it is known.
pub fn question_on(screen: &ScreenRows, agent: &Agent, version: Option<&Version>) -> Option<Question> {
    match look(screen, &agent.signs, version) {
        Sight::Asking { question, .. } => Some(question),
        Sight::Working | Sight::Ready { .. } | Sight::Nothing => None,
    }
}

/// What stands in the place to type, without spaces; nothing if the screen shows no such place.
pub(crate) fn typed_on(screen: &ScreenRows) -> Option<String> {
    let rows = Rows::new(screen);
    let input = input::find(&rows)?;
    let bottom = if input.is_framed { input.bottom } else { input.bottom.max(rows.cursor_row()) };
    let shown = (input.top..=bottom).filter(|&row| rows.has_text(row)).map(|row| rows.bare(row));
    Some(shown.flat_map(str::chars).filter(|c| !c.is_whitespace()).collect())
}

/// What the rules of a place say about a text.
pub(crate) fn meaning(signs: &Signs, version: Option<&Version>, place: Place, text: &str) -> Option<Meaning> {
    let mut rules = signs.rules.iter().filter(|rule| rule.place == place && rule.versions.has(version));
    rules.find(|rule| rule.pattern.is_in(text)).map(|rule| rule.meaning)
}

/// Whether the rows above the place to type say that the person interrupted the agent.
pub(crate) fn shows_interruption(screen: &ScreenRows) -> bool {
    let rows = Rows::new(screen);
    let (status, _) = work::rows_of(&rows, input::find(&rows));
    let words =
        ["interrupted", "request cancelled", "operation cancelled", "operation aborted", "cancelled by user"];
    status
        .iter()
        .map(|&row| rows.bare(row).to_lowercase())
        .any(|text| words.iter().any(|word| text.contains(word)))
}
