//! The interface of all dialects for one worker on one socket.

use model::{ExitStatus, TermSize, display_safe};
use protocol::HostMessage;
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::Picture;

/// A message of a client.
#[derive(Clone, Copy, Debug)]
pub enum Heard<'a> {
    /// A text message.
    Text(&'a str),
    /// A binary message.
    Binary(&'a [u8]),
}

/// A message to a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// A text message.
    Text(String),
    /// A binary message.
    Binary(Vec<u8>),
}

impl Said {
    /// A text message in JSON.
    ///
    /// # Panics
    ///
    /// When the message cannot be written as JSON. Our messages always can.
    pub fn json(message: &impl Serialize) -> Said {
        Said::Text(serde_json::to_string(message).expect("our messages can be written as JSON"))
    }
}

/// The reason why a client's message is not understood. The socket must be closed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Malformed(pub String);

/// A client's request.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    /// Type these bytes.
    Keys(Vec<u8>),
    /// Set this size.
    Size(TermSize),
    /// Give the program a picture: the file, and its type according to the client.
    Image(Vec<u8>, String),
    /// A request that cannot be carried out, and the reason.
    Nothing(api::Problem),
}

/// Translates between a client's messages and a host's messages.
pub trait Dialect {
    /// Reads a client's message.
    ///
    /// # Errors
    ///
    /// When the dialect has no such message.
    fn hear(message: Heard<'_>) -> Result<Wish, Malformed>;

    /// The message for a program that has ended.
    fn end(status: ExitStatus) -> Option<Said>;

    /// The message for a request that was not carried out.
    fn problem(problem: &api::Problem) -> Option<Said>;

    /// Whether the dialect needs the program's signals.
    fn tells_signals(&self) -> bool;

    /// Adds the client's messages for a host's message.
    fn tell(&mut self, message: HostMessage, picture: &mut Picture, said: &mut Vec<Said>);
}

/// Reads a message in JSON.
///
/// # Errors
///
/// When it is not text, or not this message.
pub fn parse<T: DeserializeOwned>(message: Heard<'_>) -> Result<T, Malformed> {
    match message {
        Heard::Text(json) => serde_json::from_str(json)
            .map_err(|error| Malformed(format!("unknown message: {}", display_safe(&error.to_string())))),
        Heard::Binary(_) => Err(Malformed("send messages as text".to_owned())),
    }
}
