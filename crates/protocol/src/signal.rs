//! What a program says through its terminal.
//!
//! A newer host may use words that this program does not know. They are kept as they came, as `Unknown`.

mod wire;

pub(crate) use wire::activity;

/// Something a program said through its terminal. Output chose the texts: make them safe before showing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignalMessage {
    /// The window has this title.
    Title {
        /// The title.
        text: String,
    },
    /// The program works in this directory.
    Cwd {
        /// The directory, as the program wrote it.
        text: String,
    },
    /// A shell marked its prompt, a command or the end of one.
    Prompt(PromptMessage),
    /// The program's progress.
    Progress(ProgressMessage),
    /// The program wants the person's attention.
    Notification {
        /// What it is about.
        title: String,
        /// Its words.
        text: String,
    },
    /// What the program, or a part of it, is doing (OSC 7501).
    Status {
        /// The part, or nothing for the whole program.
        id: String,
        /// What it is doing.
        status: StatusMessage,
    },
    /// The bell.
    Bell,
    /// A signal of a newer host.
    Unknown,
}

/// A shell's mark on its prompt line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptMessage {
    /// The prompt begins.
    Prompt,
    /// The prompt ends, and the person types.
    Input,
    /// A command runs, and its output begins.
    Output,
    /// A command ended.
    Done {
        /// How, if the shell said so.
        code: Option<i32>,
    },
    /// A mark of a newer host.
    Unknown {
        /// Its word for it.
        mark: String,
        /// The code that came with it.
        code: Option<i32>,
    },
}

/// How far some work of a program is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgressMessage {
    /// There is nothing to show.
    None,
    /// It goes on.
    Normal {
        /// Per cent, where it is known.
        percent: Option<u8>,
    },
    /// It failed.
    Error {
        /// Per cent, where it is known.
        percent: Option<u8>,
    },
    /// It goes on, and the program does not know how far it is.
    Indeterminate,
    /// It is halted.
    Paused {
        /// Per cent, where it is known.
        percent: Option<u8>,
    },
    /// A state of a newer host.
    Unknown {
        /// Its word for it.
        state: String,
        /// The per cent that came with it.
        percent: Option<u8>,
    },
}

/// What a program says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusMessage {
    /// What it is doing.
    pub state: StatusState,
    /// Its own words.
    pub message: Option<String>,
}

/// What a program says it is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatusState {
    /// It waits for the next task.
    Idle,
    /// It works.
    Working,
    /// It waits for the person.
    Blocked {
        /// What for, if it said so.
        on: Option<BlockedKind>,
    },
    /// It has finished.
    Done,
    /// It has failed.
    Error,
    /// It takes back what it said, for itself and for its parts.
    Clear,
    /// A state of a newer host.
    Unknown {
        /// Its word for it.
        state: String,
        /// The word for what it is blocked on, if one came with it.
        blocked: Option<String>,
    },
}

/// What a blocked program waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockedKind {
    /// Leave to do something.
    Permission,
    /// An answer to a question.
    Question,
    /// A login.
    Auth,
    /// A word of a newer host.
    Unknown(String),
}
