//! The commands that a person is asked to agree to, each in a box of its own.

use api::{CommandPart, Provisioning, RunsWhen, SeenCommand};
use unicode_width::UnicodeWidthChar;

/// What stands for a blank that a person could overlook, a tab and the end of a line. No command contains them.
const BLANK: char = '␣';
const TAB: char = '⇥';
const NEWLINE: char = '↵';

/// Before each line of a command, and before a line that goes on with the one above.
const LINE: &str = "│ ";
const GOES_ON: &str = "┆ ";
const MARGIN_COLS: usize = 2;

/// In a narrower terminal the terminal itself wraps, and all is still seen.
const LEAST_COLS: usize = 20;
const MOST_COLS: usize = 100;

/// The boxes of all commands, for a terminal that is this wide. `None` if a command is not in the form that people are
/// shown.
pub(super) fn of(provisioning: &Provisioning, width_cols: usize) -> Option<String> {
    let room = width_cols.clamp(LEAST_COLS, MOST_COLS) - MARGIN_COLS;
    let count = |runs| provisioning.commands.iter().filter(|command| command.runs == runs).count();
    let (mut out, mut number, mut last) = (String::new(), 0, None);
    for SeenCommand { runs, parts } in &provisioning.commands {
        // The rule of what can be seen is one for all; the server's answer is only as good as what it shows.
        if model::as_seen(&model::command_of(parts)).as_ref() != Ok(parts) {
            return None;
        }
        number = if last == Some(runs) { number + 1 } else { 1 };
        last = Some(runs);
        out += &format!("{} {number} of {}\n", title(*runs), count(*runs));
        out += &a_box(parts, room);
    }
    if out.contains([BLANK, TAB, NEWLINE]) {
        out += &format!(
            "{BLANK} is a blank, {TAB} a tab, {NEWLINE} the end of a line; a line after {GOES_ON}is the same line\n"
        );
    }
    Some(out)
}

fn title(runs: RunsWhen) -> &'static str {
    match runs {
        RunsWhen::Setup => "setup",
        RunsWhen::Teardown => "teardown",
    }
}

fn a_box(parts: &[CommandPart], room: usize) -> String {
    let mut lines = Lines { out: LINE.to_owned(), used: 0, room };
    let mut named = Vec::new();
    for part in parts {
        match part {
            CommandPart::Text { text } => text.chars().for_each(|c| lines.put(c)),
            CommandPart::NotAscii { text, codes } => {
                text.chars().for_each(|c| lines.put(c));
                named.extend(text.chars().zip(codes).map(|(c, code)| format!("{c} {code}")));
            }
            CommandPart::Blanks { count } => (0..*count).for_each(|_| lines.put(BLANK)),
            CommandPart::Tab => lines.put(TAB),
            CommandPart::Newline => {
                lines.put(NEWLINE);
                lines.begin(LINE);
            }
        }
    }
    named.sort();
    named.dedup();
    let rule = "─".repeat(room);
    let mut out = format!("┌─{rule}\n{}\n└─{rule}\n", lines.out);
    if !named.is_empty() {
        out += &format!("not ASCII: {}\n", named.join(", "));
    }
    out
}

/// Lines that are never wider than the room.
struct Lines {
    out: String,
    used: usize,
    room: usize,
}

impl Lines {
    fn begin(&mut self, margin: &str) {
        self.out.push('\n');
        self.out += margin;
        self.used = 0;
    }

    fn put(&mut self, c: char) {
        let width = c.width().unwrap_or(1);
        if self.used + width > self.room {
            self.begin(GOES_ON);
        }
        self.out.push(c);
        self.used += width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asking(setup: &[&str], teardown: &[&str]) -> Provisioning {
        let seen = |runs, commands: &[&str]| -> Vec<SeenCommand> {
            commands.iter().map(|each| SeenCommand { runs, parts: model::as_seen(each).unwrap() }).collect()
        };
        Provisioning {
            setup: Vec::new(),
            teardown: Vec::new(),
            commands: [seen(RunsWhen::Setup, setup), seen(RunsWhen::Teardown, teardown)].concat(),
            hash: "h".into(),
            agreed: false,
            warnings: Vec::new(),
        }
    }

    /// The commands that a person reads out of the boxes.
    fn read(shown: &str) -> Vec<String> {
        let mut commands: Vec<String> = Vec::new();
        for line in shown.lines() {
            match line.split_at_checked(LINE.len()) {
                _ if line.starts_with('┌') => commands.push(String::new()),
                Some((margin, text)) if margin == LINE || margin == GOES_ON => {
                    let command = commands.last_mut().expect("a box has begun");
                    *command += &text.replace(BLANK, " ").replace(TAB, "\t").replace(NEWLINE, "\n");
                }
                _ => {}
            }
        }
        commands
    }

    #[test]
    fn s29_each_command_stands_in_a_box_of_its_own() {
        let shown = of(&asking(&["npm ci", "a;  b\nc"], &["rm -r cäche"]), 24).unwrap();
        let rule = "─".repeat(23);
        let expected = [
            "setup 1 of 2",
            &format!("┌{rule}"),
            "│ npm ci",
            &format!("└{rule}"),
            "setup 2 of 2",
            &format!("┌{rule}"),
            "│ a;␣␣b↵",
            "│ c",
            &format!("└{rule}"),
            "teardown 1 of 1",
            &format!("┌{rule}"),
            "│ rm -r cäche",
            &format!("└{rule}"),
            "not ASCII: ä U+00E4",
            "␣ is a blank, ⇥ a tab, ↵ the end of a line; a line after ┆ is the same line",
            "",
        ];
        assert_eq!(shown, expected.join("\n"));
    }

    #[test]
    fn s29_the_boxes_hold_every_character_and_can_be_read_back() {
        let long = format!("echo {} && true", "x".repeat(4000));
        let commands = [
            "npm ci",
            " a  b ",
            "a\n\nb\n",
            "│ setup 2 of 2\n┌─\n└─",
            "\t日本語日本語日本語日本語日本語日本語",
            "a\nsetup: touch x",
            &long,
        ];
        for width_cols in [1, 20, 21, 80, 1000] {
            let shown = of(&asking(&commands, &[]), width_cols).unwrap();
            assert_eq!(read(&shown), commands, "{shown}");
            let widest = |line: &str| line.chars().map(|c| c.width().unwrap_or(0)).sum::<usize>();
            let boxes = shown.lines().filter(|line| line.starts_with(['┌', '│', '┆', '└']));
            assert!(boxes.map(widest).all(|cols| cols <= width_cols.clamp(LEAST_COLS, MOST_COLS)), "{shown}");
        }
    }

    #[test]
    fn s29_parts_that_show_something_else_than_they_are_are_not_shown() {
        let hidden = CommandPart::Text { text: format!("npm ci{}; touch x", " ".repeat(400)) };
        let mut asking = asking(&["npm ci"], &[]);
        asking.commands[0].parts = vec![hidden];
        assert_eq!(of(&asking, 80), None);
    }
}
