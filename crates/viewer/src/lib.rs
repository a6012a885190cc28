//! The other end of a host's socket.
//!
//! [`attach()`] and [`status()`] ask a host by its socket; a [`Connection`] carries the messages after that. [`reach`]
//! asks the host of a worker, also when its socket was deleted. [`key_bytes`] and [`paste()`] turn keys and pasted
//! text into the bytes that a child reads.

mod ask;
mod attach;
mod connection;
mod keys;
mod paste;
pub mod reach;
mod socket;
mod status;

#[cfg(test)]
mod scripted_host;
#[cfg(test)]
mod test_dir;

pub use ask::AskError;
pub use attach::{AttachError, attach};
pub use connection::{Connection, ConnectionError, ReadSome, Received};
pub use keys::{KeyError, KeyModes, key_bytes};
pub use paste::paste;
pub use socket::{ReachError, connect};
pub use status::status;
