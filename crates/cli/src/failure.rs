//! Failures, as a person sees them.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// The exit code of our own failures: no shell gives it to a command, so it is not mistaken for the child's.
const OURS: u8 = 125;

/// The exit code of an answer that is no: the worker has ended, the time is over.
pub(crate) const NO: u8 = 1;

/// The exit code of a call that makes no sense; the same as clap's.
const USAGE: u8 = 2;

/// A sentence on what went wrong and, where there is one, a way on.
#[derive(Debug)]
pub(crate) struct Failure {
    error: anyhow::Error,
    hint: Option<String>,
    code: u8,
}

impl Failure {
    /// A failure of ours, in a sentence.
    pub(crate) fn ours(sentence: impl fmt::Display) -> Failure {
        Failure::from(anyhow::Error::msg(sentence.to_string()))
    }

    /// All is well, and the answer is no.
    pub(crate) fn no(sentence: impl fmt::Display) -> Failure {
        Failure { code: NO, ..Failure::ours(sentence) }
    }

    /// The call makes no sense.
    pub(crate) fn usage(sentence: impl fmt::Display) -> Failure {
        Failure { code: USAGE, ..Failure::ours(sentence) }
    }

    /// The same failure, with what the user can do about it.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Failure {
        Failure { hint: Some(hint.into()), ..self }
    }

    /// Tells the user, and gives the exit code.
    ///
    /// A reader that has seen enough of our output (`abide … | head`) is nothing to talk about.
    pub(crate) fn report(self) -> ExitCode {
        let reader_left = self.error.chain().any(|cause| {
            cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
        });
        if reader_left {
            return ExitCode::SUCCESS;
        }
        self.tell();
        ExitCode::from(self.code)
    }

    /// Tells the user, for a command that goes on with the next worker.
    pub(crate) fn tell(&self) {
        // A path, a name or another program's error may hold anything.
        eprintln!("error: {}", model::display_safe_lines(&self.sentence()));
        if let Some(hint) = self.way_on() {
            eprintln!("hint: {}", model::display_safe_lines(hint));
        }
    }

    /// What went wrong.
    pub(crate) fn sentence(&self) -> String {
        format!("{:#}", self.error)
    }

    /// What the user can do about it.
    pub(crate) fn way_on(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The exit code it stands for.
    pub(crate) fn code(&self) -> u8 {
        self.code
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Failure {
        Failure { error, hint: None, code: OURS }
    }
}
