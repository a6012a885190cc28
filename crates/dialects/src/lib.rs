//! Message formats of other projects' clients, translated to and from the protocol of our hosts.
//!
//! - [`Pipe`]: only output and keys
//! - [`WorkerJson`]: one worker, in JSON
//! - [`Sheet`], [`terminals_error`] and [`Turns`]: many terminals on one socket, in JSON
//!
//! The clients are terminal emulators that do not know our frames. So a [`Picture`] removes all questions to a terminal
//! from their output ([`filter::EmulatorFilter`]). A [`Typist`] removes device replies from their input ([`Replies`]),
//! and sends keys and sizes to the host in order.
//!
//! This crate opens no sockets. The server has the routes and the connections.

mod dialect;
mod picture;
mod pipe;
mod replies;
mod terminals;
mod turns;
mod typist;
mod words;
mod worker_json;

pub use dialect::{Dialect, Heard, Malformed, Said, Wish, parse};
pub use picture::{Picture, Piece};
pub use pipe::Pipe;
pub use replies::Replies;
pub use terminals::{Sheet, terminals_error};
pub use turns::{Turn, Turns};
pub use typist::{Full, Typist};
pub use words::refusal;
pub use worker_json::WorkerJson;
