//! What every part of the server shares.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::Agents;
use api::{ErrorCode, Problem};
use git::Git;
use home::Home;
use jiff::Timestamp;
use store::{NewAuditEntry, Store, StoreError};

use crate::changes::{Changed, Changes};
use crate::gate::Gate;
use crate::hosts::{Hosts, Watches};
use crate::journal::Journal;
use crate::live::Lives;
use crate::metrics::Metrics;
use crate::policy::Underway;
use crate::relay::{Happening, Keepalive, Relays};
use crate::tokens::Principal;
use crate::troubles;

/// What every part of the server shares.
#[derive(Clone)]
pub(crate) struct App(Arc<Parts>);

/// The parts themselves.
pub(crate) struct Parts {
    pub(crate) home: Home,
    pub(crate) store: Arc<Store>,
    /// Why nothing can be saved, if so.
    pub(crate) degraded: Option<String>,
    /// Git, or why there is none.
    pub(crate) git: Result<Git, Problem>,
    pub(crate) agents: Agents,
    pub(crate) hosts: Hosts,
    pub(crate) watches: Watches,
    pub(crate) lives: Lives,
    pub(crate) changes: Changes,
    pub(crate) journal: Journal,
    pub(crate) metrics: Metrics,
    pub(crate) gate: Gate,
    /// Where programs reach us.
    pub(crate) url: String,
    pub(crate) keepalive: Keepalive,
    pub(crate) relays: Relays,
    pub(crate) underway: Underway,
}

impl App {
    pub(crate) fn new(parts: Parts) -> App {
        App(Arc::new(parts))
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.0
    }

    pub(crate) fn home(&self) -> &Home {
        &self.0.home
    }

    pub(crate) fn lives(&self) -> &Lives {
        &self.0.lives
    }

    pub(crate) fn agents(&self) -> &Agents {
        &self.0.agents
    }

    pub(crate) fn keepalive(&self) -> Keepalive {
        self.0.keepalive
    }

    pub(crate) fn gate(&self) -> &Gate {
        &self.0.gate
    }

    /// What all sockets share.
    pub(crate) fn relays(&self) -> &Relays {
        &self.0.relays
    }

    /// Something happened on a socket. Who sees a worker, its host tells; here it is counted.
    pub(crate) fn told(&self, happening: Happening) {
        self.0.metrics.happened(happening);
    }

    /// Where worktrees are made.
    pub(crate) fn worktrees_dir(&self) -> PathBuf {
        self.home().root().join("worktrees")
    }

    /// Whether a worktree is in the place where we make them. Others are somebody's own.
    pub(crate) fn is_made_by_abide(&self, path: &Path) -> bool {
        let ours = self.worktrees_dir();
        // A data directory may be reached over a link, and git tells of places without links.
        let is_ours = |above: &Path| {
            above == ours
                || above.canonicalize().is_ok_and(|above| ours.canonicalize().is_ok_and(|ours| above == ours))
        };
        path.parent().is_some_and(is_ours)
    }

    /// Where they go when they are removed.
    pub(crate) fn trash_dir(&self) -> PathBuf {
        self.home().root().join("trash")
    }

    /// Something looks different now.
    pub(crate) fn changed(&self, changed: Changed) {
        self.0.changes.note(changed);
    }

    /// Asks the database something, or changes it.
    pub(crate) async fn db<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Problem> {
        let store = Arc::clone(&self.0.store);
        blocking(move || call(&store)).await?.map_err(|error| troubles::of_store(&error))
    }

    /// The same, for what changes something: refused while nothing can be saved.
    pub(crate) async fn save<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Problem> {
        match &self.0.degraded {
            None => self.db(call).await,
            Some(reason) => {
                Err(Problem::new(ErrorCode::Unavailable, format!("nothing can be saved: {reason}"))
                    .hint("see that the disk can be written to and has room, then start the server again"))
            }
        }
    }

    /// Asks git something, or has it do something.
    pub(crate) async fn git<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Git) -> Result<T, git::GitError> + Send + 'static,
    ) -> Result<T, Problem> {
        let git = self.0.git.clone()?;
        blocking(move || call(&git)).await?.map_err(|error| troubles::of_git(&error))
    }

    /// Puts on record who did what. That it could not be saved is no reason not to do it.
    pub(crate) async fn record(
        &self,
        who: &Principal,
        action: &str,
        object: impl ToString,
        detail: Option<String>,
    ) {
        let (actor, doing, object) = (who.actor.clone(), action.to_owned(), object.to_string());
        let kept = self.db(move |store| {
            let entry =
                NewAuditEntry { actor: &actor, action: &doing, object: &object, detail: detail.as_deref() };
            store.add_audit_entry(entry, Timestamp::now())
        });
        let kept = kept.await;
        if let Err(problem) = kept {
            tracing::warn!(action, reason = problem.error.message, "not put on record");
        }
    }
}

/// Runs something that may wait where it holds nobody up.
pub(crate) async fn blocking<T: Send + 'static>(
    call: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    tokio::task::spawn_blocking(call).await.map_err(|error| {
        tracing::error!(%error, "a task was stopped");
        Problem::new(ErrorCode::Internal, "the server failed; its log has more")
    })
}
