//! Requests about workers.

use api::{Explanation, Worker};
use model::WorkerId;

use crate::{Client, Error};

impl Client {
    /// One worker.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn worker(&self, worker: WorkerId) -> Result<Worker, Error> {
        self.get(&format!("/api/workers/{worker}"))
    }

    /// How it is known what a worker is doing.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn explain(&self, worker: WorkerId) -> Result<Explanation, Error> {
        self.get(&format!("/api/workers/{worker}/activity"))
    }
}
