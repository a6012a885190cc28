//! Finding a worker by what a person calls it.

use std::io;

use model::WorkerName;
use thiserror::Error;

use crate::meta::Meta;
use crate::root::Home;
use crate::worker_dir::WorkerDir;

/// A worker as its directory tells of it, alive or not.
#[derive(Clone, Debug)]
pub struct Worker {
    /// Its directory.
    pub dir: WorkerDir,
    /// The request with which it was started.
    pub meta: Meta,
}

/// Why a word means no worker.
#[derive(Debug, Error)]
pub enum FindError {
    /// None is called so.
    #[error("there is no worker `{0}`")]
    None(String),
    /// Several ids begin so.
    #[error("`{word}` could be {}", candidates.join(", "))]
    Ambiguous {
        /// The word.
        word: String,
        /// What it could mean.
        candidates: Vec<String>,
    },
    /// The workers cannot be listed.
    #[error("cannot list the workers")]
    Io(#[from] io::Error),
}

impl Home {
    /// All workers that are not removed, by when they were started. A directory whose worker was never quite
    /// started is passed over.
    ///
    /// # Errors
    ///
    /// When the directories cannot be listed.
    pub fn workers(&self) -> io::Result<Vec<Worker>> {
        let dirs = self.worker_dirs()?.into_iter();
        let mut workers: Vec<Worker> =
            dirs.filter_map(|dir| Some(Worker { meta: dir.meta().ok()?, dir })).collect();
        workers.sort_by_key(|worker| (worker.meta.started_at, worker.dir.id()));
        Ok(workers)
    }

    /// The worker of this name, or whose id is this or begins so.
    ///
    /// # Errors
    ///
    /// When there is none, or more than one.
    pub fn worker_called(&self, word: &str) -> Result<Worker, FindError> {
        let mut workers = self.workers()?;
        if let Some(at) = workers.iter().position(|worker| worker.meta.name.as_str() == word) {
            return Ok(workers.swap_remove(at));
        }
        workers.retain(|worker| !word.is_empty() && worker.dir.id().as_str().starts_with(word));
        match workers.len() {
            0 => Err(FindError::None(model::display_safe(word))),
            1 => Ok(workers.remove(0)),
            _ => Err(FindError::Ambiguous {
                word: word.to_owned(),
                candidates: workers
                    .iter()
                    .map(|worker| format!("{} ({})", worker.dir.id(), worker.meta.name))
                    .collect(),
            }),
        }
    }

    /// Whether a worker that is not removed has this name, or an id that is.
    pub(crate) fn is_taken(workers: &[Worker], name: &WorkerName) -> bool {
        workers.iter().any(|worker| worker.meta.name == *name || worker.dir.id().as_str() == name.as_str())
    }
}
