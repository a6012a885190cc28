//! How an activity is known.

/// What an activity is known from. The first that has a word on it is believed, in the order given here: how exact
/// a source is, seen in recordings of real agents.
///
/// A source need not speak all the time: what it does not say is left to the next. A program that says nothing at all is
/// of unknown activity, however much or little it prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Evidence {
    /// The program's own word on its status (OSC 7501). Exact at every turn.
    ProgramStatus,
    /// What a hook of the agent told. Exact when it comes, but none comes when a person interrupts the agent.
    Hook,
    /// The window's title, by the rules of the agent.
    Title,
    /// The progress that the program shows in its terminal (OSC 9;4).
    Progress,
    /// A notification (OSC 9, 777 or 99), by the rules of the agent.
    Notification,
    /// What stands on the screen, by its structure and the rules of the agent.
    Screen,
    /// A shell's marks on its prompt (OSC 133). Exact for the shell, which only knows of a program that it runs.
    PromptMark,
}

impl Evidence {
    /// The word for it, in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Evidence::ProgramStatus => "programStatus",
            Evidence::Hook => "hook",
            Evidence::Title => "title",
            Evidence::Progress => "progress",
            Evidence::Notification => "notification",
            Evidence::Screen => "screen",
            Evidence::PromptMark => "promptMark",
        }
    }
}
