//! What is masked: the rules that come with abide, the user's own, and what is secret in a worker's environment.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use home::{Home, WorkerDir};
use masking::{Rules, RulesError};
use model::WorkerId;
use system::processes;
use thiserror::Error;

/// The variable by which an environment is known to be a worker's.
const WORKER: &str = "ABIDE_WORKER";

/// More than any user writes.
const MOST_RULES_BYTES: u64 = 1 << 20;

type Variables = BTreeSet<(OsString, OsString)>;

/// What is masked in what leaves a data directory, as it was when this was read. Good for one answer: the user may
/// change the rules, and workers come and go.
///
/// A worker's secrets are those in the environments of all processes that run in the worker: its host, its child, and
/// what they started. Every reader finds the same ones. A reader also masks the secrets of its own environment.
#[derive(Debug)]
pub struct Masks {
    /// For a worker of whose environment nothing is known.
    common: Arc<Rules>,
    /// The environments of the workers that have processes, read once.
    running: OnceLock<BTreeMap<WorkerId, Variables>>,
    /// The rules that were compiled for a worker.
    compiled: Mutex<BTreeMap<WorkerId, Arc<Rules>>>,
}

/// Why the user's rules cannot be used. Then nothing leaves.
#[derive(Debug, Error)]
pub enum MasksError {
    /// The user's rules cannot be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The user's rules make no sense.
    #[error("`{}`: {source}", path.display())]
    Rules {
        /// The file.
        path: PathBuf,
        /// Why.
        source: RulesError,
    },
}

impl Masks {
    /// Reads the rules of a home.
    ///
    /// # Errors
    ///
    /// When the user's own rules cannot be read or make no sense.
    pub fn read(home: &Home) -> Result<Masks, MasksError> {
        let (masks, error) = Masks::read_at_least(home);
        error.map_or(Ok(masks), Err)
    }

    /// The same for a caller that has to mask in every case: with the built-in rules alone when the user's own
    /// cannot be used, and the reason.
    pub fn read_at_least(home: &Home) -> (Masks, Option<MasksError>) {
        let rules = Rules::builtin().with_variables(env::vars_os());
        let path = home.mask_file();
        match read_text(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => (Masks::of_rules(rules), None),
            Err(source) => (Masks::of_rules(rules), Some(MasksError::Read { path, source })),
            Ok(text) => match rules.with_user_rules(&text) {
                Ok(rules) => (Masks::of_rules(rules), None),
                Err(source) => {
                    let rules = Rules::builtin().with_variables(env::vars_os());
                    (Masks::of_rules(rules), Some(MasksError::Rules { path, source }))
                }
            },
        }
    }

    fn of_rules(rules: Rules) -> Masks {
        Masks { common: Arc::new(rules), running: OnceLock::new(), compiled: Mutex::default() }
    }

    /// The rules that are every worker's: without the secrets of any worker's environment.
    pub fn common(&self) -> Arc<Rules> {
        Arc::clone(&self.common)
    }

    /// The rules for a worker. They are compiled once, and only if the worker's environment holds secrets that ours
    /// does not.
    pub fn of(&self, dir: &WorkerDir) -> Arc<Rules> {
        let Some(variables) = self.running().get(&dir.id()) else { return self.common() };
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let rules = compiled.entry(dir.id()).or_insert_with(|| {
            self.common.and_variables(variables.iter().cloned()).map_or_else(|| self.common(), Arc::new)
        });
        Arc::clone(rules)
    }

    /// Whether the secrets of a worker's environment are known: one of its processes still runs.
    pub fn knows_secrets_of(&self, dir: &WorkerDir) -> bool {
        self.running().contains_key(&dir.id())
    }

    fn running(&self) -> &BTreeMap<WorkerId, Variables> {
        self.running.get_or_init(variables_of_workers)
    }
}

fn read_text(path: &PathBuf) -> io::Result<String> {
    if fs::metadata(path)?.len() > MOST_RULES_BYTES {
        let reason = format!("it has more than {MOST_RULES_BYTES} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    fs::read_to_string(path)
}

/// The environments of all processes that run in a worker, host and children alike.
fn variables_of_workers() -> BTreeMap<WorkerId, Variables> {
    let mut workers: BTreeMap<WorkerId, Variables> = BTreeMap::new();
    for variables in processes::all().filter_map(processes::environment) {
        let worker = variables.iter().find(|(name, _)| name == WORKER);
        if let Some(worker) = worker.and_then(|(_, id)| id.to_str()?.parse().ok()) {
            workers.entry(worker).or_default().extend(variables);
        }
    }
    workers
}
