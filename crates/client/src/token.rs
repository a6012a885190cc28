//! The token by which the server knows its user.

use std::fmt;
use std::io;

use home::Home;

use crate::Error;

/// The owner's token. It is never shown.
pub(crate) struct Token(String);

impl Token {
    /// Reads the token of a data directory's server. The file must be the user's alone, and no link.
    pub(crate) fn of(home: &Home) -> Result<Token, Error> {
        let path = home.token_file();
        match files::read_private(&path).and_then(|text| text.ok_or_else(|| io::ErrorKind::NotFound.into())) {
            Ok(text) => Ok(Token(text.trim_end().to_owned())),
            Err(source) => Err(Error::NoToken { path, source }),
        }
    }

    /// As a request carries it.
    pub(crate) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
impl From<&str> for Token {
    fn from(text: &str) -> Token {
        Token(text.to_owned())
    }
}
