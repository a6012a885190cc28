//! Opens the terminal that we were started in, or says to a person that there is none.

use outer::{OpenError, Outer};

use crate::failure::Failure;

/// Takes up the terminal. The hint is for a person who started us without one.
///
/// # Errors
///
/// When standard input or output is no terminal, or the system refuses.
pub(crate) fn open_outer(hint: &str) -> Result<Outer, Failure> {
    Outer::open().map_err(|error| match error {
        OpenError::NoTerminal => Failure::from(anyhow::Error::from(error)).hint(hint),
        error => Failure::from(anyhow::Error::from(error)),
    })
}
