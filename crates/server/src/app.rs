//! The parts that the whole server shares.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agents::{Agent, AgentId, Agents};
use api::{ErrorCode, Problem};
use model::{OwnerId, WorkerId};
use store::Database;

use crate::adopt::Settled;
use crate::changes::Changes;
use crate::faults::Faults;
use crate::gate::Gate;
use crate::inbox::{Answering, News, Nudging};
use crate::journal::Journal;
use crate::live::Lives;
use crate::metrics::Metrics;
use crate::node::{HostLink, Node};
use crate::policy::Underway;
use crate::prompts::Prompting;
use crate::relay::{Happening, Keepalive, Relays};
use crate::shares::{Permits, Share};
use crate::stops::Stops;
use crate::tokens::Principal;
use crate::watches::Watches;

/// The server for one owner: it reads and changes that owner's things.
#[derive(Clone)]
pub(crate) struct App {
    parts: Arc<Parts>,
    owner: OwnerId,
    /// The share of the token that it works for, if it works for one.
    share: Option<Arc<Share>>,
}

/// The parts that the whole server shares.
pub(crate) struct Parts {
    /// The machine that workers run on.
    pub(crate) node: Node,
    pub(crate) database: Database,
    /// Why the server cannot save anything, if so.
    pub(crate) degraded: Option<String>,
    pub(crate) agents: Agents,
    pub(crate) watches: Watches,
    pub(crate) lives: Lives,
    pub(crate) changes: Arc<Changes>,
    pub(crate) journal: Journal,
    pub(crate) metrics: Metrics,
    pub(crate) gate: Gate,
    /// The address of this server, for programs.
    pub(crate) url: String,
    /// The path of its Unix socket, for programs of its user.
    pub(crate) socket: Option<PathBuf>,
    pub(crate) keepalive: Keepalive,
    pub(crate) relays: Relays,
    pub(crate) underway: Underway,
    pub(crate) stops: Stops,
    pub(crate) answering: Answering,
    pub(crate) news: News,
    pub(crate) prompting: Prompting,
    /// An agent that neither works nor asks for so long is stuck.
    pub(crate) stuck_after: Duration,
    pub(crate) nudging: Nudging,
    pub(crate) settled: Settled,
    pub(crate) faults: Faults,
}

impl App {
    /// The server, for the owner of its data directory.
    pub(crate) fn new(parts: Parts) -> App {
        App { parts: Arc::new(parts), owner: OwnerId::ONLY, share: None }
    }

    /// The same server, for the owner of a request.
    pub(crate) fn of(&self, owner: OwnerId) -> App {
        App { parts: Arc::clone(&self.parts), owner, share: None }
    }

    /// The same server, for a principal: its work hangs on the share of the principal's token.
    pub(crate) fn working_for(&self, who: &Principal) -> App {
        App { share: Some(self.gate().share(who)), ..self.of(who.owner) }
    }

    /// The share of the token that it works for.
    pub(crate) fn share(&self) -> Option<&Arc<Share>> {
        self.share.as_ref()
    }

    /// The owner whose things it reads and changes.
    pub(crate) fn owner(&self) -> OwnerId {
        self.owner
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// The machine that workers run on: the only way to them, their files and git.
    pub(crate) fn node(&self) -> &Node {
        &self.parts.node
    }

    /// Connects to a worker's host, within the share of the token that it works for: a host that is stopped may keep a
    /// thread waiting.
    ///
    /// # Errors
    ///
    /// When no host listens, or it does not accept the connection, or too much else of the share waits.
    pub(crate) async fn link(&self, worker: WorkerId) -> Result<HostLink, Problem> {
        let _permits = match &self.share {
            Some(share) => share.request().await?,
            None => Permits::default(),
        };
        let link = self.node().link(worker).await;
        link.map_err(|error| Problem::new(ErrorCode::NotAnswering, error.to_string()))
    }

    pub(crate) fn lives(&self) -> &Lives {
        &self.parts.lives
    }

    pub(crate) fn agents(&self) -> &Agents {
        &self.parts.agents
    }

    /// The agent of this id.
    pub(crate) fn agent(&self, id: &str) -> Result<&Agent, Problem> {
        let unknown = || {
            let known: Vec<&str> = self.agents().all().map(|agent| agent.id.as_str()).collect();
            let shown = model::display_safe(id);
            Problem::new(ErrorCode::UnknownAgent, format!("there is no agent `{shown}`")).hint(format!(
                "the known agents are {}; define more in `agents.toml` in the data directory",
                known.join(", ")
            ))
        };
        let id: AgentId = id.parse().map_err(|_| unknown())?;
        self.agents().get(&id).ok_or_else(unknown)
    }

    pub(crate) fn keepalive(&self) -> Keepalive {
        self.parts.keepalive
    }

    pub(crate) fn gate(&self) -> &Gate {
        &self.parts.gate
    }

    /// The state that all sockets share.
    pub(crate) fn relays(&self) -> &Relays {
        &self.parts.relays
    }

    /// All work that can be asked to stop.
    pub(crate) fn stops(&self) -> &Stops {
        &self.parts.stops
    }

    /// The places where tests hold the server.
    pub(crate) fn faults(&self) -> &Faults {
        &self.parts.faults
    }

    /// Waits until the database knows where the last server left each worktree. Work that changes worktrees waits for
    /// that first.
    pub(crate) async fn worktrees_are_settled(&self) {
        self.parts.settled.wait().await;
    }

    /// Counts something that happened on a socket. A worker's host reports who sees the worker.
    pub(crate) fn told(&self, happening: Happening) {
        self.parts.metrics.happened(happening);
    }
}

/// Runs a call that may wait in a thread of its own, so that no other work waits for it.
pub(crate) async fn blocking<T: Send + 'static>(
    call: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    tokio::task::spawn_blocking(call).await.map_err(|error| {
        tracing::error!(%error, "a task was stopped");
        Problem::new(ErrorCode::Internal, "the server failed; its log has details")
    })
}
