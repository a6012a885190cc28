//! Which workers are being typed to: one answer or prompt at a time for each.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use api::{ErrorCode, Problem};
use model::WorkerId;

/// The workers that are being answered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answering(Arc<Mutex<HashSet<WorkerId>>>);

/// A worker is being answered until this is dropped.
#[derive(Debug)]
pub(crate) struct Answered {
    all: Answering,
    worker: WorkerId,
}

impl Answering {
    /// Begins to answer a worker.
    ///
    /// # Errors
    ///
    /// While another request answers it.
    pub(crate) fn begin(&self, worker: WorkerId) -> Result<Answered, Problem> {
        if !self.lock().insert(worker) {
            return Err(Problem::new(ErrorCode::InUse, "another request types into this worker just now"));
        }
        Ok(Answered { all: self.clone(), worker })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashSet<WorkerId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Answered {
    fn drop(&mut self) {
        self.all.lock().remove(&self.worker);
    }
}
