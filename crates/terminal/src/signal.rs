//! What a program said through its terminal, understood.

use crate::program_status::ProgramStatus;

/// Something a program said that is more than text on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The window title changed (OSC 0, OSC 2).
    Title(String),
    /// The working directory changed (OSC 7), as the program wrote it: usually a `file:` address.
    Cwd(String),
    /// The shell marked its prompt, a command or that command's end (OSC 133).
    Prompt(PromptMark),
    /// How far some work is (OSC 9;4).
    Progress(Progress),
    /// A notification for the person (OSC 9, OSC 777, OSC 99).
    Notification(Notification),
    /// The program's own word on what it is doing (OSC 7501).
    Status(ProgramStatus),
    /// The bell rang.
    Bell,
}

/// A shell's mark on its prompt line (OSC 133).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptMark {
    /// `A`: the prompt begins.
    Prompt,
    /// `B`: the prompt ends, the person types.
    Input,
    /// `C`: the command runs, its output begins.
    Output,
    /// `D`: the command ended, with its exit code if the shell told it.
    Finished(Option<i32>),
}

/// All marks that one row has: a shell ends a command, begins its prompt and ends it on the same one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PromptMarks {
    finished: Option<Option<i32>>,
    prompt: bool,
    input: bool,
    output: bool,
}

impl PromptMarks {
    pub(crate) fn add(&mut self, mark: PromptMark) {
        match mark {
            PromptMark::Prompt => self.prompt = true,
            PromptMark::Input => self.input = true,
            PromptMark::Output => self.output = true,
            PromptMark::Finished(code) => self.finished = Some(code),
        }
    }

    /// The marks in the order in which a shell makes them.
    pub fn iter(&self) -> impl Iterator<Item = PromptMark> + use<> {
        let marks = [
            self.finished.map(PromptMark::Finished),
            self.prompt.then_some(PromptMark::Prompt),
            self.input.then_some(PromptMark::Input),
            self.output.then_some(PromptMark::Output),
        ];
        marks.into_iter().flatten()
    }

    /// True when the shell said nothing about the row.
    pub fn is_empty(&self) -> bool {
        *self == PromptMarks::default()
    }
}

/// Progress of some work (OSC 9;4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    /// Nothing to show.
    #[default]
    None,
    /// Done so many per cent.
    Normal(u8),
    /// Failed, at so many per cent.
    Error(u8),
    /// Busy, with no idea how far.
    Busy,
    /// Halted, at so many per cent.
    Paused(u8),
}

/// A notification for the person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notification {
    /// May be empty.
    pub title: String,
    /// The text.
    pub body: String,
}
