//! A worker's life, as the server sees to it: asked for, started, ended, restarted, taken out.

mod add;
mod directories;
mod end;
mod reports;
mod restart;
mod start;
mod tokens;
mod wanted;

use api::{ErrorCode, Problem};
use model::{WorkerId, WorkerLife};
use store::{Session, Worker};

use crate::app::App;
use crate::views;

pub(crate) use wanted::Wanted;

impl App {
    /// One worker.
    pub(crate) async fn worker(&self, id: WorkerId) -> Result<api::Worker, Problem> {
        let worker = self.db(move |store| store.worker(id)).await?;
        Ok(views::worker(&worker, self.lives()))
    }

    /// All workers of sessions that are open.
    pub(crate) async fn workers(&self) -> Result<Vec<api::Worker>, Problem> {
        Ok(self.sessions().await?.into_iter().flat_map(|session| session.workers).collect())
    }
}

/// Whether a worker is only just being started.
pub(crate) fn is_being_made(worker: &Worker) -> bool {
    matches!(worker.life, WorkerLife::Pending | WorkerLife::Provisioning)
}

fn refuse_unmade(worker: &Worker) -> Result<(), Problem> {
    if !is_being_made(worker) {
        return Ok(());
    }
    Err(Problem::new(ErrorCode::WrongState, "the worker is still being started").hint("wait until it runs"))
}

/// Refuses a session that nobody can be started in. Nothing is made in the place of a directory that is gone.
fn refuse_unusable(session: &Session) -> Result<(), Problem> {
    if session.closed_at.is_some() {
        return Err(Problem::new(ErrorCode::WrongState, "the session is closed"));
    }
    if !session.location.is_dir() {
        let words = format!("`{}` is no longer there", views::text(&session.location));
        return Err(Problem::new(ErrorCode::Missing, words));
    }
    Ok(())
}

/// A new id.
pub(crate) fn new_id<T>(of: impl FnOnce([u8; 8]) -> T) -> Result<T, Problem> {
    let bytes = home::random_bytes().map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
    Ok(of(bytes))
}
