//! The commands that a shell marked in a recording, and what they printed.

use std::ops::Range;

use model::Offset;
use terminal::{HistoryLimit, PromptMark, Signal, Terminal};

use crate::event::EventKind;
use crate::marks::PromptLine;
use crate::player::{Heard, Player};
use crate::source::Source;

/// Commands are found on the screen.
const NO_HISTORY: HistoryLimit = HistoryLimit { lines: 0, bytes: 0 };

/// Of a command that prints more, the end is kept.
const OUTPUT: HistoryLimit = HistoryLimit { lines: 1_000_000, bytes: 256 << 20 };

/// A command that ran in a shell that marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What was typed, if the shell marked where that begins.
    pub text: Option<String>,
    /// The directory that the shell had told by then, as it told it.
    pub directory: Option<String>,
    /// Where its output begins.
    pub from: Offset,
    /// When it began.
    pub from_us: u64,
    /// How it ended; `None` if it still runs, or if the shell ended with it.
    pub end: Option<CommandEnd>,
}

/// The end of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandEnd {
    /// Where its output ends.
    pub at: Offset,
    /// When.
    pub time_us: u64,
    /// Its exit code, if the shell told it.
    pub code: Option<i32>,
}

/// The commands of a source, in order. Every block is played for them.
pub fn commands<S: Source>(source: S) -> Vec<Command> {
    let mut player = Player::new(source, NO_HISTORY);
    let mut finder = Finder::default();
    while player.step_hearing(&mut |heard| finder.hear(heard)).is_some() {}
    finder.found
}

/// The text that a command printed, as a terminal shows it. Full-screen programs leave none.
pub fn printed<S: Source>(source: S, output: Range<Offset>) -> String {
    let mut player = Player::new(source, NO_HISTORY);
    let mut screen: Option<Terminal> = None;
    while player.at() < output.end
        && let Some(event) = player.step()
    {
        match event.kind {
            EventKind::Output(bytes) => {
                let part = |offset: Offset| {
                    usize::try_from(offset.0.saturating_sub(event.at.0)).unwrap_or(usize::MAX)
                };
                let (from, to) = (part(output.start).min(bytes.len()), part(output.end).min(bytes.len()));
                if from < to {
                    let size = player.terminal().size();
                    let screen = screen.get_or_insert_with(|| Terminal::new(size, OUTPUT));
                    screen.feed(&bytes[from..to]);
                    screen.take_replies();
                    screen.take_signals();
                }
            }
            EventKind::Resize(size) => {
                if let Some(screen) = &mut screen {
                    screen.resize(size);
                }
            }
            EventKind::Gap { .. } | EventKind::Exit(_) | EventKind::Screen | EventKind::Epoch(_) => {}
        }
    }
    let text = screen.map(|screen| screen.text(usize::MAX)).unwrap_or_default();
    let text = text.trim_end();
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}

#[derive(Default)]
struct Finder {
    prompt: PromptLine,
    found: Vec<Command>,
    runs: bool,
}

impl Finder {
    fn hear(&mut self, heard: Heard<'_>) {
        let Signal::Prompt(mark) = heard.signal else { return };
        match mark {
            PromptMark::Input => self.prompt.ends(heard.terminal),
            PromptMark::Output => {
                let told = heard.terminal.cwd();
                self.found.push(Command {
                    text: self.prompt.take_typed(heard.terminal),
                    directory: (!told.is_empty()).then(|| told.to_owned()),
                    from: heard.at,
                    from_us: heard.time_us,
                    end: None,
                });
                self.runs = true;
            }
            PromptMark::Finished(code) => self.end(&heard, code),
            // Some shells only mark their prompts.
            PromptMark::Prompt => self.end(&heard, None),
        }
    }

    fn end(&mut self, heard: &Heard<'_>, code: Option<i32>) {
        if let Some(command) = self.found.last_mut().filter(|_| self.runs) {
            command.end = Some(CommandEnd { at: heard.at, time_us: heard.time_us, code });
        }
        self.runs = false;
    }
}
