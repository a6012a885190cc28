//! Requests about the inbox.

use api::{Answer, InboxItem, Snooze};
use jiff::Timestamp;
use model::InboxItemId;

use crate::{Client, Error};

impl Client {
    /// What waits for a person, the longest wait first.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn inbox(&self) -> Result<Vec<InboxItem>, Error> {
        self.get("/api/inbox")
    }

    /// Marks an entry as read.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn read_inbox_item(&self, id: InboxItemId) -> Result<(), Error> {
        self.post(&format!("/api/inbox/{id}/read"))
    }

    /// Answers what the worker of an entry asks.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn answer(&self, id: InboxItemId, answer: &Answer) -> Result<(), Error> {
        self.post_json(&format!("/api/inbox/{id}/answer"), answer)
    }

    /// Sets an entry aside until then, or takes it up again.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn snooze_inbox_item(&self, id: InboxItemId, until: Option<Timestamp>) -> Result<InboxItem, Error> {
        self.post_json(&format!("/api/inbox/{id}/snooze"), &Snooze { until })
    }
}
