//! The requests of the API, a method for each.

mod inbox;
mod prompts;
mod repositories;
mod sessions;
mod tasks;
mod transcripts;
mod workers;

pub use repositories::TasksOf;

use api::{Code, Health};

use crate::{Client, Error};

impl Client {
    /// How the server is.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn health(&self) -> Result<Health, Error> {
        self.get("/api/health")
    }

    /// Makes a link that lets a browser in, once.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn create_code(&self) -> Result<Code, Error> {
        self.post("/api/auth/codes")
    }
}
