//! What is masked: the rules that come with abide, the user's own, and what is secret in a worker's environment.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use home::{Home, WorkerDir};
use masking::{Rules, RulesError};
use model::WorkerId;
use thiserror::Error;

/// The variable by which an environment is known to be a worker's.
const WORKER: &str = "ABIDE_WORKER";

/// Nobody writes more rules than this.
const MOST_RULES_BYTES: u64 = 1 << 20;

type Variables = BTreeSet<(OsString, OsString)>;

/// What is masked in what leaves, as it was when this was read. Good for one answer: the user may change the rules, and
/// workers come and go.
#[derive(Debug)]
pub struct Masks {
    /// The user's own rules.
    text: Option<String>,
    /// For everybody of whose environment nothing is known.
    common: Arc<Rules>,
    running: OnceLock<BTreeMap<WorkerId, Variables>>,
}

/// Why it is not known what to mask. Then nothing leaves.
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
        let path = home.mask_file();
        let text = match read_text(&path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(MasksError::Read { path, source }),
        };
        match rules(text.as_deref()) {
            Ok(rules) => Ok(Masks { text, common: Arc::new(rules), running: OnceLock::new() }),
            Err(source) => Err(MasksError::Rules { path, source }),
        }
    }

    /// The rules for a worker, with the secrets of its environment as far as anybody still has them.
    pub fn of(&self, dir: &WorkerDir) -> Arc<Rules> {
        let running = self.running.get_or_init(variables_of_workers);
        match running.get(&dir.id()) {
            None => Arc::clone(&self.common),
            Some(variables) => {
                let rules = rules(self.text.as_deref()).expect("they made sense when they were read");
                Arc::new(rules.with_variables(variables.iter().cloned()))
            }
        }
    }
}

fn rules(text: Option<&str>) -> Result<Rules, RulesError> {
    let rules = Rules::builtin().with_variables(env::vars_os());
    match text {
        Some(text) => rules.with_user_rules(text),
        None => Ok(rules),
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
    let processes = fs::read_dir("/proc").into_iter().flatten();
    let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    for variables in pids.filter_map(home::environment_of) {
        let worker = variables.iter().find(|(name, _)| name == WORKER);
        if let Some(worker) = worker.and_then(|(_, id)| id.to_str()?.parse().ok()) {
            workers.entry(worker).or_default().extend(variables);
        }
    }
    workers
}
