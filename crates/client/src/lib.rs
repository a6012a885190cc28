//! The client of our HTTP API: asks the server of a data directory.
//!
//! [`Client::of`] finds the server by the note in the data directory and reads the token beside it. All requests go over
//! the server's Unix socket in that directory, never over its port. Each request of the API is a method with the types of
//! `api`. A method returns the reply or an [`Error`]; it prints nothing. It blocks
//! until the reply is there or the time is over.

mod client;
mod error;
mod events;
mod requests;
mod socket;
mod token;

pub use client::Client;
pub use error::Error;
pub use events::Events;
pub use requests::TasksOf;
