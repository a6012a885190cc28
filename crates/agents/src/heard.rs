//! What is heard from a program, for its activity.

use model::Activity;
use protocol::{ProgressMessage, PromptMessage, SignalMessage, StatusMessage};
use terminal::{BlockedOn, ProgramState, Progress, PromptMark, Signal};

use protocol::{BlockedKind, StatusState};

/// Something a program said that may tell what it is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// The window's title.
    Title(String),
    /// A notification: title, line break, text.
    Notification(String),
    /// The program shows that it works, or no longer does.
    Progress(bool),
    /// A mark of a prompt: the shell is at its prompt, or runs a command.
    Mark(Mark),
    /// The program's own word.
    Status {
        /// The part that speaks; nothing for the whole program.
        id: String,
        /// What it says.
        status: StatusMessage,
    },
}

/// A shell's mark, as far as it tells what the shell is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The prompt begins: what ran before is gone.
    Prompt,
    /// The shell waits.
    Waits,
    /// A command runs.
    Runs,
}

impl Mark {
    /// What the shell is doing.
    pub(crate) fn activity(self) -> Activity {
        match self {
            Mark::Runs => Activity::Active,
            Mark::Prompt | Mark::Waits => Activity::Idle,
        }
    }
}

impl Heard {
    /// What a host's signal says; nothing if it says nothing about the activity.
    pub fn of_message(message: &SignalMessage) -> Option<Heard> {
        Some(match message {
            SignalMessage::Title { text } => Heard::Title(text.clone()),
            SignalMessage::Notification { title, text } => Heard::Notification(format!("{title}\n{text}")),
            SignalMessage::Progress(progress) => {
                use ProgressMessage::{Indeterminate, Normal};
                Heard::Progress(matches!(progress, Normal { .. } | Indeterminate))
            }
            SignalMessage::Prompt(mark) => Heard::Mark(match mark {
                PromptMessage::Prompt => Mark::Prompt,
                PromptMessage::Input | PromptMessage::Done { .. } => Mark::Waits,
                PromptMessage::Output => Mark::Runs,
                PromptMessage::Unknown { .. } => return None,
            }),
            SignalMessage::Status { id, status } => Heard::Status { id: id.clone(), status: status.clone() },
            SignalMessage::Cwd { .. } | SignalMessage::Bell | SignalMessage::Unknown => return None,
        })
    }

    /// What a signal of the terminal model says; nothing if it says nothing about the activity.
    pub fn of_signal(signal: Signal) -> Option<Heard> {
        Some(match signal {
            Signal::Title(text) => Heard::Title(text),
            Signal::Notification(told) => Heard::Notification(format!("{}\n{}", told.title, told.body)),
            Signal::Progress(progress) => {
                Heard::Progress(matches!(progress, Progress::Normal(_) | Progress::Busy))
            }
            Signal::Prompt(PromptMark::Prompt) => Heard::Mark(Mark::Prompt),
            Signal::Prompt(PromptMark::Input | PromptMark::Finished(_)) => Heard::Mark(Mark::Waits),
            Signal::Prompt(PromptMark::Output) => Heard::Mark(Mark::Runs),
            Signal::Status(status) => {
                let state = match status.state {
                    ProgramState::Idle => StatusState::Idle,
                    ProgramState::Working => StatusState::Working,
                    ProgramState::Blocked(on) => StatusState::Blocked {
                        on: on.map(|on| match on {
                            BlockedOn::Permission => BlockedKind::Permission,
                            BlockedOn::Question => BlockedKind::Question,
                            BlockedOn::Auth => BlockedKind::Auth,
                        }),
                    },
                    ProgramState::Done => StatusState::Done,
                    ProgramState::Error => StatusState::Error,
                    ProgramState::Clear => StatusState::Clear,
                };
                let status_message = StatusMessage { state, message: status.message };
                Heard::Status { id: status.id.join("/"), status: status_message }
            }
            Signal::Cwd(_) | Signal::Bell => return None,
        })
    }
}
