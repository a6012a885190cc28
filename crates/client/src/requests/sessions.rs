//! Requests about sessions.

use api::{ImportReply, Session};
use model::SessionId;
use serde_json::Value;

use crate::{Client, Error};

impl Client {
    /// All sessions, with their workers.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn sessions(&self) -> Result<Vec<Session>, Error> {
        self.get("/api/sessions")
    }

    /// One session, with its workers.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn session(&self, id: SessionId) -> Result<Session, Error> {
        self.get(&format!("/api/sessions/{id}"))
    }

    /// Ends a session's workers, and forgets it.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn delete_session(&self, id: SessionId) -> Result<(), Error> {
        self.delete(&format!("/api/sessions/{id}"))
    }

    /// Takes over sessions of agent-console, as its file has them.
    ///
    /// # Errors
    ///
    /// As every request: see [`Error`].
    pub fn import_sessions(&self, sessions: &[Value]) -> Result<ImportReply, Error> {
        self.post_json("/api/sessions/import", sessions)
    }
}
