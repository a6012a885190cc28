//! Requests about the conversations of agents.

use api::{Transcript, UsageBy, UsageReport};
use model::WorkerId;

use crate::{Client, Error};

impl Client {
    /// A page of the conversation of a worker's agent: the first one, or the one that follows.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn transcript(&self, id: WorkerId, after: Option<&str>) -> Result<Transcript, Error> {
        // A `next` has letters, digits, dots, dashes and underscores.
        let after = after.map(|next| format!("?after={next}")).unwrap_or_default();
        self.get(&format!("/api/workers/{id}/transcript{after}"))
    }

    /// What the agents used.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn usage(&self, by: UsageBy) -> Result<UsageReport, Error> {
        let by = match by {
            UsageBy::Worker => "worker",
            UsageBy::Task => "task",
            UsageBy::Agent => "agent",
            UsageBy::Day => "day",
        };
        self.get(&format!("/api/usage?by={by}"))
    }
}
