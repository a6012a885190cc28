//! A command as a person sees it before they agree to it.
//!
//! [`display_safe`](crate::display_safe) replaces and shortens, which is right for a text to read. A command to agree to
//! must be shown whole, and what is agreed to must be what runs. So this form changes nothing: it shows every character,
//! or refuses the command.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::sight::{Sight, sight};

/// A run of more blanks, tabs and line ends is refused. It has room for a line end with a deep indentation. It fills no
/// line of a phone (about 40 characters), so that what follows is never far away.
pub const MOST_BLANKS: usize = 32;

/// A part of a command. The parts, one after the other, are the command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum CommandPart {
    /// Visible ASCII characters, with single blanks between them.
    Text {
        /// The characters.
        text: String,
    },
    /// Blanks that a person could overlook: more than one, or beside a line end, a tab or an end of the command.
    Blanks {
        /// How many there are, all of them U+0020.
        count: u32,
    },
    /// A tab.
    Tab,
    /// The end of a line, one line feed. A shell reads what follows as the next line.
    Newline,
    /// Visible characters that are not ASCII. They may look like other ones, so each is named by its code.
    NotAscii {
        /// The characters.
        text: String,
        /// The code of each of them, such as `U+00F6`.
        codes: Vec<String>,
    },
}

/// Why a person could not see what a command does.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unseen {
    /// It has a character that is not seen, or that is taken for another one.
    #[error("its character {at} is {}, {why}", named(*character, name))]
    Character {
        /// Its place in the command, counted in characters from 1.
        at: usize,
        /// The character.
        character: char,
        /// Its name, if it is a known one.
        name: Option<&'static str>,
        /// Why it is refused.
        why: &'static str,
    },
    /// It has too many blanks in a row.
    #[error(
        "from its character {at} on it has {count} blanks in a row, and abide shows at most {MOST_BLANKS}"
    )]
    Blanks {
        /// The place of the first one, counted in characters from 1.
        at: usize,
        /// How many there are: blanks, tabs and line ends.
        count: usize,
    },
}

fn named(character: char, name: &Option<&'static str>) -> String {
    let code = code(character);
    name.map_or_else(|| code.clone(), |name| format!("{code} ({name})"))
}

fn code(character: char) -> String {
    format!("U+{:04X}", u32::from(character))
}

/// The parts of a command, with every character visible.
///
/// # Errors
///
/// When a person could not see what the command does.
pub fn as_seen(command: &str) -> Result<Vec<CommandPart>, Unseen> {
    let characters: Vec<char> = command.chars().collect();
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(&first) = characters.get(at) {
        let rest = &characters[at..];
        let taken = if is_blank(first) {
            let count = rest.iter().take_while(|c| is_blank(**c)).count();
            if count > MOST_BLANKS {
                return Err(Unseen::Blanks { at: at + 1, count });
            }
            let is_between = at > 0 && at + count < characters.len();
            blanks(&mut parts, &rest[..count], is_between);
            count
        } else {
            match sight(first) {
                Sight::Ascii => push_text(&mut parts, first),
                Sight::NotAscii => push_not_ascii(&mut parts, first),
                Sight::Refused { name, why } => {
                    return Err(Unseen::Character { at: at + 1, character: first, name, why });
                }
            }
            1
        };
        at += taken;
    }
    Ok(parts)
}

/// The command that has these parts.
pub fn command_of(parts: &[CommandPart]) -> String {
    parts.iter().map(|part| Exactly(part).to_string()).collect()
}

struct Exactly<'a>(&'a CommandPart);

impl fmt::Display for Exactly<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            CommandPart::Text { text } | CommandPart::NotAscii { text, .. } => f.write_str(text),
            CommandPart::Blanks { count } => (0..*count).try_for_each(|_| f.write_str(" ")),
            CommandPart::Tab => f.write_str("\t"),
            CommandPart::Newline => f.write_str("\n"),
        }
    }
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n')
}

/// Adds a run of blanks, tabs and line ends.
fn blanks(parts: &mut Vec<CommandPart>, run: &[char], is_between: bool) {
    if run == [' '] && is_between {
        return push_text(parts, ' ');
    }
    for &c in run {
        match (c, parts.last_mut()) {
            ('\t', _) => parts.push(CommandPart::Tab),
            ('\n', _) => parts.push(CommandPart::Newline),
            (_, Some(CommandPart::Blanks { count })) => *count += 1,
            _ => parts.push(CommandPart::Blanks { count: 1 }),
        }
    }
}

fn push_text(parts: &mut Vec<CommandPart>, c: char) {
    match parts.last_mut() {
        Some(CommandPart::Text { text }) => text.push(c),
        _ => parts.push(CommandPart::Text { text: c.into() }),
    }
}

fn push_not_ascii(parts: &mut Vec<CommandPart>, c: char) {
    match parts.last_mut() {
        Some(CommandPart::NotAscii { text, codes }) => {
            text.push(c);
            codes.push(code(c));
        }
        _ => parts.push(CommandPart::NotAscii { text: c.into(), codes: vec![code(c)] }),
    }
}
