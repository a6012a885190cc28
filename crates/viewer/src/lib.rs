//! The other end of a host's socket.
//!
//! [`attach()`] and [`status()`] ask a host; a [`Connection`] carries what is said after that. What a child prints goes
//! through a [`Filter`] before somebody's own terminal sees it, or an [`EmulatorFilter`] before an emulator in a page
//! does. [`key_bytes`] and [`paste()`] turn what a person means
//! into what a child reads.

mod ask;
mod attach;
mod connection;
mod filter;
mod keys;
mod paste;
mod socket;
mod status;

#[cfg(test)]
mod scripted_host;
#[cfg(test)]
mod test_dir;

pub use ask::AskError;
pub use attach::{AttachError, attach};
pub use connection::{Connection, ConnectionError, ReadSome, Received};
pub use filter::{Emulated, EmulatorFilter, Filter, Passed};
pub use keys::{KeyError, KeyModes, key_bytes};
pub use paste::paste;
pub use socket::{ReachError, connect};
pub use status::status;
