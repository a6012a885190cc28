//! Workers of this machine, by their ids: their directories and their hosts.

use std::io;

use api::{ErrorCode, Problem};
use home::{ExitNote, Identity, Meta, WorkerDir};
use model::WorkerId;
use protocol::{Attach, StatusReport};
use system::processes;
use viewer::reach::{self, Condition, EndError, Unreached};

use super::Node;
use crate::app::blocking;

/// A worker that has a directory, alive or not.
#[derive(Clone, Debug)]
pub(crate) struct FoundWorker {
    pub(crate) id: WorkerId,
    /// The request with which it was started.
    pub(crate) meta: Meta,
}

impl FoundWorker {
    fn of(dir: &WorkerDir) -> Option<FoundWorker> {
        Some(FoundWorker { id: dir.id(), meta: dir.meta().ok()? })
    }
}

impl Node {
    /// All workers that have a directory, by when they were started.
    ///
    /// # Errors
    ///
    /// When the directories cannot be listed.
    pub(crate) async fn workers(&self) -> io::Result<Vec<FoundWorker>> {
        let home = self.0.home.clone();
        let found = tokio::task::spawn_blocking(move || home.workers()).await.map_err(io::Error::other)??;
        Ok(found.into_iter().map(|found| FoundWorker { id: found.dir.id(), meta: found.meta }).collect())
    }

    /// One worker; `None` if it has no directory, or none that can be read yet.
    pub(crate) async fn worker(&self, id: WorkerId) -> Option<FoundWorker> {
        self.look(id, FoundWorker::of).await.ok().flatten()
    }

    /// Whether a worker has a directory.
    pub(crate) async fn has_worker(&self, id: WorkerId) -> bool {
        self.look(id, |dir| dir.path().exists()).await.unwrap_or(true)
    }

    /// Whether a worker has a host, or had one.
    ///
    /// # Errors
    ///
    /// When the server stops meanwhile.
    pub(crate) async fn is_begun(&self, id: WorkerId) -> Result<bool, Problem> {
        self.look(id, is_begun).await
    }

    /// Whether the process of a worker's host runs.
    pub(crate) async fn is_hosted(&self, id: WorkerId) -> bool {
        let alive = |dir: &WorkerDir| dir.identity().is_some_and(|identity| identity.is_alive());
        self.look(id, alive).await.unwrap_or(false)
    }

    /// Whether a process was started to become a worker's host. It has the worker's directory as an argument.
    pub(crate) async fn is_on_its_way(&self, id: WorkerId) -> bool {
        let any = |dir: &WorkerDir| {
            let mut all = processes::all().filter_map(processes::arguments);
            all.any(|arguments| arguments.iter().any(|argument| argument == dir.path().as_os_str()))
        };
        self.look(id, any).await.unwrap_or(true)
    }

    /// Asks a worker's host how the worker is.
    ///
    /// # Errors
    ///
    /// When the server stops meanwhile.
    pub(crate) async fn condition(&self, id: WorkerId) -> Result<Condition, Problem> {
        self.look(id, reach::condition).await
    }

    /// The report of a worker's host; `None` if no host answers.
    pub(crate) async fn status(&self, id: WorkerId) -> Option<StatusReport> {
        self.look(id, |dir| viewer::status(&dir.socket()).ok()).await.ok().flatten()
    }

    /// How a worker ended; `None` if it has not.
    pub(crate) async fn exit_note(&self, id: WorkerId) -> Option<ExitNote> {
        self.look(id, WorkerDir::exit_note).await.ok().flatten()
    }

    /// Why a worker has no host any more, and no exit note.
    pub(crate) async fn why_lost(&self, id: WorkerId) -> &'static str {
        let boot = |identity: Option<Identity>| identity.map(|identity| identity.boot_id);
        let boots = self.look(id, move |dir| (boot(dir.identity()), boot(Identity::own()))).await;
        match boots {
            Ok((Some(its), Some(ours))) if its != ours => "the machine was restarted while it ran",
            _ => "its host was killed, and no keeper held its lease",
        }
    }

    /// Ends a worker's child, if it lives, and waits until the host has ended too.
    ///
    /// # Errors
    ///
    /// When the host does not answer.
    pub(crate) async fn end(&self, id: WorkerId) -> Result<(), Problem> {
        let ended = self.look(id, |dir| match reach::condition(dir) {
            Condition::Live(_) | Condition::NotAnswering { .. } => {
                reach::end(dir, &Attach::screen("server")).map(|_| ())
            }
            Condition::Exited(_) | Condition::Lost => {
                reach::wait_for_host(dir);
                Ok(())
            }
        });
        ended.await?.or_else(|error| match error {
            EndError::Unreached(Unreached::Exited(_) | Unreached::Lost) => Ok(()),
            error => Err(Problem::new(
                ErrorCode::NotAnswering,
                format!("the server cannot end the worker: {error}"),
            )
            .hint("try again; `abide doctor` lists hosts that do not answer")),
        })
    }

    /// Removes a worker's directory, recording included. A directory that is gone already is no error.
    ///
    /// # Errors
    ///
    /// When the disk refuses.
    pub(crate) async fn remove_worker(&self, id: WorkerId) -> Result<io::Result<()>, Problem> {
        self.look(id, |dir| match dir.remove() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        })
        .await
    }

    /// Removes the directory of a worker whose host never began. Returns whether it did: not if there is a host, or was
    /// one. A host that comes later finds nothing to run.
    ///
    /// # Errors
    ///
    /// When the disk refuses.
    pub(crate) async fn remove_unbegun(&self, id: WorkerId) -> io::Result<bool> {
        let removed = self.look(id, |dir| {
            // Only a host holds the lock.
            let lock = dir.try_lock().ok().flatten();
            lock.filter(|_| !is_begun(dir)).map(|_lock| dir.remove())
        });
        match removed.await {
            Ok(Some(removed)) => removed.map(|()| true),
            Ok(None) | Err(_) => Ok(false),
        }
    }

    /// Completes removals of workers that an earlier process began.
    ///
    /// # Errors
    ///
    /// When the disk refuses.
    pub(crate) async fn finish_removals(&self) -> io::Result<()> {
        let home = self.0.home.clone();
        tokio::task::spawn_blocking(move || home.finish_removals()).await.unwrap_or(Ok(()))
    }

    /// Does something with a worker's directory in a thread that may wait.
    pub(super) async fn look<T: Send + 'static>(
        &self,
        id: WorkerId,
        call: impl FnOnce(&WorkerDir) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let dir = self.0.home.worker(id);
        blocking(move || call(&dir)).await
    }
}

/// Whether there is a host, or was one.
fn is_begun(dir: &WorkerDir) -> bool {
    dir.identity().is_some() || dir.exit_note().is_some()
}
