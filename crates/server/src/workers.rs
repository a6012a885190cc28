//! The room of workers: adds, starts, restarts, ends and removes them, and hears of them.

mod add;
mod again;
mod conversations;
mod directories;
mod end;
mod hand;
mod hooks;
mod reports;
mod restart;
mod start;
mod tokens;
mod transcripts;
mod wanted;

use api::{ErrorCode, Problem};
use model::{WorkerId, WorkerLife};
use store::{Session, Worker};

use crate::rooms::Workers;
use crate::{texts, views};

pub(crate) use hand::Hand;
pub(crate) use transcripts::{Reached, found, offset_in, transcript_view};
pub(crate) use wanted::Wanted;

impl Workers {
    /// One worker.
    pub(crate) async fn get(&self, id: WorkerId) -> Result<api::Worker, Problem> {
        let worker = self.read(move |store| store.worker(id)).await?;
        Ok(views::worker(&worker, self.lives()))
    }

    /// How it is known what a worker is doing.
    pub(crate) async fn explain(&self, id: WorkerId) -> Result<api::Explanation, Problem> {
        self.read(move |store| store.worker(id)).await?;
        self.lives().explain(id).ok_or_else(|| {
            Problem::new(
                ErrorCode::WrongState,
                "no program is running in the worker, or its host has not answered yet",
            )
        })
    }

    /// Renames a worker.
    pub(crate) async fn rename(&self, id: WorkerId, name: &str) -> Result<api::Worker, Problem> {
        let name = texts::line("name", name)?;
        let worker = self.step(move |store| store.rename_worker(id, &name)).await?;
        Ok(views::worker(&worker, self.lives()))
    }

    /// All workers of sessions that are open.
    pub(crate) async fn list(&self) -> Result<Vec<api::Worker>, Problem> {
        Ok(self.sessions().list().await?.into_iter().flat_map(|session| session.workers).collect())
    }

    /// Refuses a session in which no worker can be started. Nothing is made in the place of a directory that is gone.
    fn refuse_unusable(&self, session: &Session) -> Result<(), Problem> {
        if session.closed_at.is_some() {
            return Err(Problem::new(ErrorCode::WrongState, "the session is closed"));
        }
        if !self.node().is_directory(&session.location) {
            let words = format!("`{}` no longer exists", views::text(&session.location));
            return Err(Problem::new(ErrorCode::Missing, words));
        }
        Ok(())
    }
}

/// Whether a worker is being started.
pub(crate) fn is_being_made(worker: &Worker) -> bool {
    matches!(worker.life, WorkerLife::Pending | WorkerLife::Provisioning)
}

fn refuse_unmade(worker: &Worker) -> Result<(), Problem> {
    if !is_being_made(worker) {
        return Ok(());
    }
    Err(Problem::new(ErrorCode::WrongState, "the worker is still being started").hint("wait until it runs"))
}

/// A new id.
pub(crate) fn new_id<T>(of: impl FnOnce([u8; 8]) -> T) -> Result<T, Problem> {
    random_bytes().map(of)
}

fn random_bytes<const N: usize>() -> Result<[u8; N], Problem> {
    home::random_bytes().map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))
}
