//! The laws of [`model::as_seen`], which the tests and the fuzz target judge by.

use model::{CommandPart, MOST_BLANKS, Unseen, as_seen, command_of};

/// The parts are the command, every character of them is visible, and no other parts are the same command.
///
/// # Panics
///
/// When a law is broken.
pub(crate) fn check(command: &str) {
    let parts = match as_seen(command) {
        Ok(parts) => parts,
        Err(Unseen::Character { at, character, .. }) => {
            assert_eq!(command.chars().nth(at - 1), Some(character), "{command:?}");
            assert!(!character.is_ascii_graphic() && !" \t\n".contains(character), "{command:?}");
            assert!(as_seen(&character.to_string()).is_err(), "{character:?} is refused everywhere");
            return;
        }
        Err(Unseen::Blanks { at, count }) => {
            let run = command.chars().skip(at - 1).take_while(|c| " \t\n".contains(*c)).count();
            assert_eq!(run, count, "{command:?}");
            assert!(count > MOST_BLANKS, "{command:?}");
            return;
        }
    };
    assert_eq!(command_of(&parts), command);
    for (at, part) in parts.iter().enumerate() {
        match part {
            CommandPart::Text { text } => {
                assert!(text.chars().all(|c| c == ' ' || c.is_ascii_graphic()), "{parts:?}");
                assert!(!text.is_empty() && !text.contains("  "), "{parts:?}");
                let is_edge = at == 0 || at + 1 == parts.len();
                assert!(!is_edge || *text != " ", "{parts:?}");
                assert!(at != 0 || !text.starts_with(' '), "{parts:?}");
                assert!(at + 1 != parts.len() || !text.ends_with(' '), "{parts:?}");
            }
            CommandPart::Blanks { count } => {
                assert!((1..=MOST_BLANKS).contains(&(*count as usize)), "{parts:?}");
            }
            CommandPart::Tab | CommandPart::Newline => {}
            CommandPart::NotAscii { text, codes } => {
                assert!(
                    !text.is_empty() && text.chars().all(|c| !c.is_ascii() && !c.is_whitespace()),
                    "{parts:?}"
                );
                let named: Vec<String> = text.chars().map(|c| format!("U+{:04X}", u32::from(c))).collect();
                assert_eq!(&named, codes);
            }
        }
        let next = parts.get(at + 1);
        let is_joined = matches!(
            (part, next),
            (CommandPart::Text { .. }, Some(CommandPart::Text { .. }))
                | (CommandPart::Blanks { .. }, Some(CommandPart::Blanks { .. }))
                | (CommandPart::NotAscii { .. }, Some(CommandPart::NotAscii { .. }))
        );
        assert!(!is_joined, "{parts:?}");
    }
}
