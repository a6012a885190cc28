//! Failures of our own, as a person sees them.

use std::io;
use std::process::ExitCode;

/// The exit code of our own failures: no shell gives it to a command, so it is not mistaken for the child's.
const OURS: u8 = 125;

/// A sentence on what went wrong and, where there is one, a way on.
#[derive(Debug)]
pub(crate) struct Failure {
    error: anyhow::Error,
    hint: Option<&'static str>,
}

impl Failure {
    /// The same failure, with what the user can do about it.
    pub(crate) fn hint(self, hint: &'static str) -> Failure {
        Failure { hint: Some(hint), ..self }
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
        eprintln!("error: {:#}", self.error);
        if let Some(hint) = self.hint {
            eprintln!("hint: {hint}");
        }
        ExitCode::from(OURS)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Failure {
        Failure { error, hint: None }
    }
}
