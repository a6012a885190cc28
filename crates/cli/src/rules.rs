//! What is masked: the rules that come with abide, the user's own, and what is secret in a worker's environment.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::sync::Arc;

use anyhow::Context;
use home::{Home, WorkerDir};
use masking::Rules;

use crate::failure::Failure;

/// The variable by which an environment is known to be a worker's.
const WORKER: &str = "ABIDE_WORKER";

/// The rules of a home, with the secrets of whoever asks.
///
/// # Errors
///
/// When the user's own rules cannot be read or make no sense.
pub(crate) fn rules(home: &Home) -> Result<Rules, Failure> {
    let rules = Rules::builtin().with_variables(env::vars_os());
    let path = home.mask_file();
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(rules),
        Err(error) => {
            let context = format!("cannot read `{}`", path.display());
            return Err(Failure::from(anyhow::Error::from(error).context(context))
                .hint("make it a readable text file, or remove it to have abide's own rules alone"));
        }
    };
    let rules = rules.with_user_rules(&text).with_context(|| format!("`{}`", path.display()));
    rules.map_err(|error| Failure::from(error).hint("docs/masking.md says what a rule looks like"))
}

/// The rules of a home, with the secrets of whoever asks and of a worker, as far as anybody still has them.
///
/// # Errors
///
/// As for [`rules`].
pub(crate) fn rules_for(home: &Home, dir: &WorkerDir) -> Result<Arc<Rules>, Failure> {
    Ok(Arc::new(rules(home)?.with_variables(worker_variables(dir).unwrap_or_default())))
}

/// The rules for whoever has to mask, whatever is wrong.
pub(crate) struct AtLeast {
    /// Abide's own, and all others that could be found.
    pub(crate) rules: Arc<Rules>,
    /// What is wrong with the user's.
    pub(crate) trouble: Option<Failure>,
    /// Whether these are all: the user's own, and the worker's secrets too.
    pub(crate) are_complete: bool,
}

/// The rules of a home for a worker, for whoever has to mask, whatever is wrong.
pub(crate) fn rules_at_least(home: &Home, dir: &WorkerDir) -> AtLeast {
    let (rules, trouble) = match rules(home) {
        Ok(rules) => (rules, None),
        Err(failure) => (Rules::builtin().with_variables(env::vars_os()), Some(failure)),
    };
    let variables = worker_variables(dir);
    let are_complete = trouble.is_none() && variables.is_some();
    AtLeast { rules: Arc::new(rules.with_variables(variables.unwrap_or_default())), trouble, are_complete }
}

/// Whether anybody still has the secrets of a worker's environment.
pub(crate) fn are_known(dir: &WorkerDir) -> bool {
    worker_variables(dir).is_some()
}

/// The environment of a worker's child: our own, if we were started by its host; the host's, unless that adopted the
/// child; that of the child or of another process that it started. Nothing if all of them are gone.
fn worker_variables(dir: &WorkerDir) -> Option<Vec<(OsString, OsString)>> {
    let id = dir.id();
    let is_workers = |variables: &Vec<(OsString, OsString)>| {
        variables.iter().any(|(name, value)| name == WORKER && value == id.as_str())
    };
    let own = Some(env::vars_os().collect()).filter(is_workers);
    let host = || {
        let host = dir.identity().filter(home::Identity::is_alive)?;
        home::environment_of(host.pid).filter(is_workers)
    };
    let other = || {
        let processes = fs::read_dir("/proc").ok()?;
        let mut pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        pids.find_map(|pid| home::environment_of(pid).filter(is_workers))
    };
    own.or_else(host).or_else(other)
}
