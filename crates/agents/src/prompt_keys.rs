//! A prompt for an agent that runs: how it is typed, and whether the screen shows it.

use crate::agent::Agent;
use crate::reply::ReplyStep;
use crate::screen::{self, ScreenRows};

/// A line of at most so many characters is shown as it is. Agents shorten longer texts.
const SHOWN_WHOLE: usize = 200;

/// The keys with which an agent takes a prompt while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptKeys {
    /// What submits it.
    pub submit: Vec<String>,
    /// What begins another line in it, for a program that asks for no brackets around pasted text.
    pub newline: Option<Vec<String>>,
}

impl Default for PromptKeys {
    fn default() -> PromptKeys {
        PromptKeys { submit: vec!["Enter".to_owned()], newline: None }
    }
}

impl Agent {
    /// The steps that put a prompt into the place to type. `is_bracketed` says that the program asks for brackets around
    /// pasted text. Nothing if there is no way to type it: each line break would submit what stands before it.
    pub fn prompt_steps(&self, prompt: &str, is_bracketed: bool) -> Option<Vec<ReplyStep>> {
        let prompt = prompt.trim_end();
        // Agents run what follows a `!` in a shell.
        let prompt = if prompt.starts_with('!') { format!(" {prompt}") } else { prompt.to_owned() };
        let lines: Vec<&str> = prompt.lines().collect();
        if is_bracketed {
            return Some(vec![ReplyStep::Type(prompt)]);
        }
        // Without brackets, a tab is a key.
        let mut typed = lines.iter().map(|line| ReplyStep::Type(line.replace('\t', "    ")));
        let mut steps: Vec<ReplyStep> = typed.next().into_iter().collect();
        for line in typed {
            steps.extend([ReplyStep::Press(self.prompt_keys.newline.clone()?), line]);
        }
        Some(steps)
    }
}

/// What a screen shows in the place to type; nothing if it shows no such place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed(Option<String>);

impl Typed {
    /// What this screen shows.
    pub fn on(screen: &ScreenRows) -> Typed {
        Typed(screen::typed_on(screen))
    }

    /// Whether there is a place to type.
    pub fn has_place(&self) -> bool {
        self.0.is_some()
    }

    /// Whether a prompt stands there as it is.
    pub fn is_prompt(&self, prompt: &str) -> bool {
        let prompt: String = prompt.chars().filter(|c| !c.is_whitespace()).collect();
        !prompt.is_empty() && self.0.as_ref().is_some_and(|typed| typed.contains(&prompt))
    }

    /// Whether a prompt that was pasted when the screen showed `before` stands there now, perhaps shortened.
    pub fn holds(&self, prompt: &str, before: &Typed) -> bool {
        let has_changed = self != before && self.0.as_ref().is_some_and(|typed| !typed.is_empty());
        let is_shortened = prompt.chars().count() > SHOWN_WHOLE || prompt.trim_end().contains('\n');
        has_changed && (is_shortened || self.is_prompt(prompt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::Agents;

    fn agent(keys: &str) -> Agent {
        let text = format!("[[agent]]\nid = \"mine\"\ncommand = [\"mine\"]\n{keys}");
        Agents::load(Some(&text)).expect("a definition").get(&"mine".parse().unwrap()).unwrap().clone()
    }

    fn screen(rows: &[&str], cursor: (usize, usize)) -> ScreenRows {
        ScreenRows { rows: rows.iter().map(|&row| row.to_owned()).collect(), cursor, cursor_is_shown: true }
    }

    fn typed(text: &str) -> ReplyStep {
        ReplyStep::Type(text.to_owned())
    }

    #[test]
    fn a_prompt_of_several_lines_is_pasted_or_typed_as_the_definition_says() {
        let lines = "one\n\ttwo\n";
        assert_eq!(agent("").prompt_steps(lines, true), Some(vec![typed("one\n\ttwo")]));
        assert_eq!(agent("").prompt_steps(lines, false), None);
        assert_eq!(agent("").prompt_steps("one\n", false), Some(vec![typed("one")]));
        let newline = ReplyStep::Press(vec!["C-j".to_owned()]);
        let steps = agent("newline = [\"C-j\"]").prompt_steps(lines, false);
        assert_eq!(steps, Some(vec![typed("one"), newline, typed("    two")]));
        assert_eq!(agent("submit = [\"C-d\"]").prompt_keys.submit, ["C-d"]);
    }

    #[test]
    fn s35_a_typed_prompt_is_no_shell_command_of_the_agent() {
        assert_eq!(agent("").prompt_steps("!touch x", true), Some(vec![typed(" !touch x")]));
    }

    #[test]
    fn a_screen_shows_what_stands_in_the_place_to_type() {
        let line = "────────────────────────";
        let shows = |text: &str| Typed::on(&screen(&["● Done.", "", line, text, line], (3, 2)));
        let empty = shows("❯ ");
        let full = shows("❯ fix the   door");
        assert!(empty.has_place() && full.is_prompt("fix the door") && full.holds("fix the door", &empty));
        assert!(!empty.is_prompt("fix the door") && !empty.holds("fix the door", &empty));
        assert!(!shows("❯ fix the d").holds("fix the door", &empty), "it is not drawn whole");
        assert!(shows("❯ [Pasted text #1 +20 lines]").holds(&"x\n".repeat(200), &empty));
        assert!(!Typed::on(&screen(&["plain text"], (0, 0))).has_place());
    }
}
