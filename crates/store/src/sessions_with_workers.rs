//! The list of sessions, each with its workers.

use std::collections::HashMap;

use model::SessionId;

use crate::error::StoreError;
use crate::session_row;
use crate::sessions::{Session, SessionFilter};
use crate::store::Reader;
use crate::worker_row;
use crate::workers::Worker;

/// A session and its workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionWithWorkers {
    /// The session.
    pub session: Session,
    /// Its workers, in their order.
    pub workers: Vec<Worker>,
}

impl Reader {
    /// Sessions with their workers, oldest first, all as of one moment. However many there are, it takes two queries.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn sessions_with_workers(
        &self,
        filter: SessionFilter,
    ) -> Result<Vec<SessionWithWorkers>, StoreError> {
        self.read(|tx| {
            let mut workers: HashMap<SessionId, Vec<Worker>> = HashMap::new();
            for worker in worker_row::of_sessions(tx, filter)? {
                workers.entry(worker.session).or_default().push(worker);
            }
            let with_workers = |session: Session| {
                let workers = workers.remove(&session.id).unwrap_or_default();
                SessionWithWorkers { session, workers }
            };
            Ok(session_row::list(tx, filter)?.into_iter().map(with_workers).collect())
        })
    }

    /// One session with its workers, as of one moment.
    ///
    /// # Errors
    ///
    /// When it is not there.
    pub fn session_with_workers(&self, id: SessionId) -> Result<SessionWithWorkers, StoreError> {
        self.read(|tx| {
            Ok(SessionWithWorkers {
                session: session_row::find(tx, id)?,
                workers: worker_row::of_session(tx, id)?,
            })
        })
    }
}
