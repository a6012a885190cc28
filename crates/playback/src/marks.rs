//! Marks: the places to jump to on the time line of a recording.

mod prompt_line;

use std::collections::VecDeque;

use model::{ExitStatus, Offset, TermSize};
use terminal::{HistoryLimit, Notification, PromptMark, Signal};

pub(crate) use prompt_line::PromptLine;

use crate::event::EventKind;
use crate::player::{Heard, Player};
use crate::source::Source;

/// Marks are found on the screen; what has scrolled off has none to offer.
const HISTORY: HistoryLimit = HistoryLimit { lines: 0, bytes: 0 };

/// A mark on the time line of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// How much output had come.
    pub at: Offset,
    /// When; it never falls.
    pub time_us: u64,
    /// What is there.
    pub kind: MarkKind,
}

/// What is at a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// The shell's prompt begins.
    Prompt,
    /// A command begins to run.
    CommandStarted {
        /// The typed command, if the shell marked where it begins.
        command: Option<String>,
    },
    /// A command ended.
    CommandEnded {
        /// Its exit code, if the shell told it.
        code: Option<i32>,
    },
    /// The terminal got this size.
    Resize(TermSize),
    /// Output is missing from here on: it was trimmed away, never written, or is damaged.
    Gap {
        /// Where output goes on, if that is known.
        to: Option<Offset>,
    },
    /// The child ended.
    Exit(ExitStatus),
    /// A program had something to say to the person.
    Notification(Notification),
    /// The bell rang.
    Bell,
}

/// The marks of a source, in order. Every block is played for them.
pub fn marks<S: Source>(source: S) -> impl Iterator<Item = Mark> {
    Marks { player: Player::new(source, HISTORY), prompt: PromptLine::default(), found: VecDeque::new() }
}

struct Marks<S> {
    player: Player<S>,
    prompt: PromptLine,
    found: VecDeque<Mark>,
}

impl<S: Source> Iterator for Marks<S> {
    type Item = Mark;

    fn next(&mut self) -> Option<Mark> {
        while self.found.is_empty() {
            let Marks { player, prompt, found } = self;
            let event = player.step_hearing(&mut |heard| found.extend(mark_of(heard, prompt)))?;
            let kind = match event.kind {
                EventKind::Resize(size) => MarkKind::Resize(size),
                EventKind::Gap { to } => MarkKind::Gap { to },
                EventKind::Exit(status) => MarkKind::Exit(status),
                EventKind::Output(_) | EventKind::Screen | EventKind::Epoch(_) => continue,
            };
            found.push_back(Mark { at: event.at, time_us: event.time_us, kind });
        }
        self.found.pop_front()
    }
}

fn mark_of(heard: Heard<'_>, prompt: &mut PromptLine) -> Option<Mark> {
    let kind = match heard.signal {
        Signal::Prompt(PromptMark::Prompt) => MarkKind::Prompt,
        Signal::Prompt(PromptMark::Input) => {
            prompt.ends(heard.terminal);
            return None;
        }
        Signal::Prompt(PromptMark::Output) => {
            MarkKind::CommandStarted { command: prompt.take_typed(heard.terminal) }
        }
        Signal::Prompt(PromptMark::Finished(code)) => MarkKind::CommandEnded { code },
        Signal::Notification(notification) => MarkKind::Notification(notification),
        Signal::Bell => MarkKind::Bell,
        Signal::Title(_) | Signal::Cwd(_) | Signal::Progress(_) | Signal::Status(_) => return None,
    };
    Some(Mark { at: heard.at, time_us: heard.time_us, kind })
}
