//! The token by which the server knows its user.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;

use anyhow::Context;
use home::Home;
use rustix::fs::OFlags;

use crate::failure::Failure;

/// More than any token has.
const MOST_BYTES: u64 = 4096;

/// The owner's token. It is never shown.
pub(super) struct Token(String);

impl Token {
    /// As a request carries it.
    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// Reads the token of a data directory's server, never over a link.
///
/// # Errors
///
/// When it is not there or cannot be read.
pub(super) fn read(home: &Home) -> Result<Token, Failure> {
    let path = home.root().join("token");
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let text = || -> io::Result<String> {
        let file = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(&path)?;
        let mut text = String::new();
        file.take(MOST_BYTES).read_to_string(&mut text)?;
        Ok(text)
    };
    let text =
        text().with_context(|| format!("cannot read the server's token in `{}`", path.display())).map_err(
            |error| Failure::from(error).hint("start the server again; it writes one where it may write"),
        )?;
    Ok(Token(text.trim_end().to_owned()))
}

#[cfg(test)]
impl From<&str> for Token {
    fn from(text: &str) -> Token {
        Token(text.to_owned())
    }
}
