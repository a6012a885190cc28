//! `abide status`: says what a program is doing, in its own terminal.

use clap::{Args, ValueEnum};
use terminal::{BlockedOn, ProgramState, ProgramStatus};

use crate::failure::Failure;
use crate::output;

/// Say what your script is doing: it works, asks or is idle
///
/// Prints an escape sequence (OSC 7501) on standard output, so call it in the script's own terminal. abide believes this
/// more than anything else that it knows of the worker, until the script says something else. Needs no server.
#[derive(Args)]
pub(super) struct Status {
    /// What it is doing
    #[arg(value_name = "STATE")]
    state: State,
    /// What to tell the user: what is asked, or what is done
    #[arg(long, value_name = "TEXT")]
    msg: Option<String>,
    /// What is asked for, with `asking`
    #[arg(long, value_name = "KIND", default_value = "question")]
    kind: Kind,
}

#[derive(Clone, Copy, ValueEnum)]
enum State {
    /// It works
    Working,
    /// It cannot go on without an answer
    Asking,
    /// It waits for the next task
    Idle,
    /// It has finished
    Done,
    /// It has failed
    Error,
    /// Take the last report back
    Clear,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Leave to do something
    Permission,
    /// An answer
    Question,
    /// A login
    Auth,
}

impl Status {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let state = match (self.state, self.kind) {
            (State::Working, _) => ProgramState::Working,
            (State::Asking, Kind::Permission) => ProgramState::Blocked(Some(BlockedOn::Permission)),
            (State::Asking, Kind::Question) => ProgramState::Blocked(Some(BlockedOn::Question)),
            (State::Asking, Kind::Auth) => ProgramState::Blocked(Some(BlockedOn::Auth)),
            (State::Idle, _) => ProgramState::Idle,
            (State::Done, _) => ProgramState::Done,
            (State::Error, _) => ProgramState::Error,
            (State::Clear, _) => ProgramState::Clear,
        };
        let status = ProgramStatus {
            id: Vec::new(),
            state,
            app: None,
            progress: None,
            title: None,
            message: self.msg,
        };
        let sequence = status.sequence().ok_or_else(|| {
            Failure::usage("the message is too long, or contains control characters")
                .hint("give one line of at most 2048 bytes")
        })?;
        output::write(sequence)?;
        Ok(0)
    }
}
