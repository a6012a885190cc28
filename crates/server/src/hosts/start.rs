//! Starting a worker's host.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

use home::{Home, NewWorker, Session, StartError};
use model::{TermSize, WorkerId};

use super::Reaper;
use crate::environment;
use crate::options::WorkerDefaults;

/// What a server needs to start hosts.
#[derive(Debug)]
pub(crate) struct Hosts {
    home: Home,
    defaults: WorkerDefaults,
    reaper: Reaper,
    /// The user's login environment, asked for when it is first needed.
    environment: OnceLock<Vec<(OsString, OsString)>>,
}

/// A worker to start, whose id was written down.
#[derive(Clone, Debug)]
pub(crate) struct StartWorker {
    pub(crate) id: WorkerId,
    pub(crate) session: Session,
    pub(crate) agent: Option<String>,
    /// What its handle shall be near.
    pub(crate) near: String,
    pub(crate) command: Vec<String>,
    pub(crate) cwd: PathBuf,
    pub(crate) size: Option<TermSize>,
    pub(crate) variables: Vec<(OsString, OsString)>,
}

impl Hosts {
    pub(crate) fn new(home: Home, defaults: WorkerDefaults, reaper: Reaper) -> Hosts {
        Hosts { home, defaults, reaper, environment: OnceLock::new() }
    }

    /// Starts a worker. Waits for its host: not to be called where others wait.
    ///
    /// # Errors
    ///
    /// When there is no such worker then.
    pub(crate) fn start(&self, start: StartWorker) -> Result<(), StartError> {
        let environment = self.environment();
        let defaults = &self.defaults;
        let id = start.id;
        let new = NewWorker {
            id: Some(id),
            session: Some(start.session),
            agent: start.agent,
            name: None,
            command: start.command,
            cwd: start.cwd,
            size: start.size.unwrap_or(defaults.size),
            size_policy: defaults.size_policy,
            grace_ms: defaults.grace_ms,
            recording_bytes: defaults.recording_bytes,
            mask: defaults.mask,
            environment,
            variables: start.variables,
            program: defaults.program.clone(),
            scope: defaults.scope,
        };
        let started = home::start_near(&self.home, new, &start.near)?;
        self.reaper.take(started.process);
        self.keep(id);
        Ok(())
    }

    /// The environment of the user's login. May have to wait for the login shell.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        self.environment.get_or_init(|| environment::of_login(&home::login_shell())).clone()
    }

    /// Sees to it that a keeper holds a worker's lease, so that its child survives its host.
    pub(crate) fn keep(&self, worker: WorkerId) {
        if self.defaults.keeper
            && let Err(error) =
                keeper::ensure(&self.home, worker, &self.defaults.program, self.defaults.scope)
        {
            tracing::warn!(worker.id = %worker, %error, "no keeper holds the worker's lease");
        }
    }

    /// The command of a terminal that nobody said more about.
    pub(crate) fn shell(&self) -> OsString {
        match &self.defaults.shell {
            Some(shell) => shell.clone().into_os_string(),
            None => home::login_shell(),
        }
    }
}
