//! Starting a worker's host.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

use api::Problem;
use home::{Home, NewWorker, Session, StartError};
use model::{TermSize, WorkerId, WorkerName};

use super::reaper;
use super::{Node, environment, troubles};
use crate::app::blocking;
use crate::options::WorkerDefaults;

/// The settings for new hosts.
#[derive(Debug)]
pub(super) struct Hosts {
    home: Home,
    defaults: WorkerDefaults,
    /// The user's login environment, read when it is first needed.
    environment: OnceLock<Vec<(OsString, OsString)>>,
}

/// A worker to start. The database has its id already.
#[derive(Clone, Debug)]
pub(crate) struct StartWorker {
    pub(crate) id: WorkerId,
    pub(crate) session: Session,
    pub(crate) agent: Option<String>,
    /// The handle that the worker gets, with a number behind it if that one is taken.
    pub(crate) near: String,
    pub(crate) command: Vec<String>,
    pub(crate) cwd: PathBuf,
    pub(crate) size: Option<TermSize>,
    pub(crate) variables: Vec<(OsString, OsString)>,
    pub(crate) hook_settings: Option<Vec<u8>>,
}

impl Node {
    /// Starts a worker, and waits until its host runs. Returns its name on the command line.
    ///
    /// # Errors
    ///
    /// When the worker could not be started. Then it does not exist.
    pub(crate) async fn start(&self, start: StartWorker) -> Result<WorkerName, Problem> {
        let node = self.clone();
        let started = blocking(move || node.0.hosts.start(start)).await?;
        started.map_err(|error| troubles::of_start(&error, &self.exit()))
    }

    /// Makes sure that a keeper holds a worker's lease, so that its child survives its host.
    pub(crate) async fn keep(&self, worker: WorkerId) {
        let node = self.clone();
        let _ = blocking(move || node.0.hosts.keep(worker)).await;
    }

    /// The program of a terminal for which the user named no command.
    pub(crate) fn shell(&self) -> String {
        let shell = match &self.0.hosts.defaults.shell {
            Some(shell) => shell.clone().into_os_string(),
            None => home::login_shell(),
        };
        shell.to_string_lossy().into_owned()
    }

    /// The user's login shell.
    pub(crate) fn login_shell(&self) -> String {
        home::login_shell().to_string_lossy().into_owned()
    }

    /// The environment of the user's login. It may have to wait for the login shell.
    ///
    /// # Errors
    ///
    /// When the server stops meanwhile.
    pub(super) async fn login_environment(&self) -> Result<Vec<(OsString, OsString)>, Problem> {
        let node = self.clone();
        blocking(move || node.0.hosts.environment()).await
    }
}

impl Hosts {
    pub(super) fn new(home: Home, defaults: WorkerDefaults) -> Hosts {
        Hosts { home, defaults, environment: OnceLock::new() }
    }

    fn start(&self, start: StartWorker) -> Result<WorkerName, StartError> {
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
            hook_settings: start.hook_settings,
            shell_integration: defaults.shell_integration,
            variables: start.variables,
            program: defaults.program.clone(),
            scope: defaults.scope,
        };
        let started = home::start_near(&self.home, new, &start.near)?;
        reaper::take(started.process);
        self.keep(id);
        Ok(started.meta.name)
    }

    /// The program that hosts are, and that hooks run.
    pub(super) fn program(&self) -> &std::path::Path {
        &self.defaults.program
    }

    pub(super) fn environment(&self) -> Vec<(OsString, OsString)> {
        self.environment.get_or_init(|| environment::of_login(&home::login_shell())).clone()
    }

    fn keep(&self, worker: WorkerId) {
        if self.defaults.keeper
            && let Err(error) =
                keeper::ensure(&self.home, worker, &self.defaults.program, self.defaults.scope)
        {
            tracing::warn!(worker.id = %worker, %error, "no keeper holds the worker's lease");
        }
    }
}
