//! What is masked: the rules that come with abide, the user's own, and what is secret in a worker's environment.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use anyhow::Context;
use home::{Home, WorkerDir};
use masking::Rules;

use crate::failure::Failure;

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

/// The rules of a home, with the secrets of whoever asks and of a worker whose host lives: it has its child's
/// environment.
///
/// # Errors
///
/// As for [`rules`].
pub(crate) fn rules_for(home: &Home, dir: &WorkerDir) -> Result<Arc<Rules>, Failure> {
    Ok(Arc::new(rules(home)?.with_variables(host_variables(dir))))
}

/// The same for whoever has to mask, whatever is wrong with the user's rules: abide's own alone, and why.
pub(crate) fn rules_at_least(home: &Home) -> (Arc<Rules>, Option<Failure>) {
    match rules(home) {
        Ok(rules) => (Arc::new(rules), None),
        Err(failure) => (Arc::new(Rules::builtin().with_variables(env::vars_os())), Some(failure)),
    }
}

fn host_variables(dir: &WorkerDir) -> Vec<(OsString, OsString)> {
    let host = dir.identity().filter(home::Identity::is_alive);
    let bytes = host.and_then(|host| fs::read(format!("/proc/{}/environ", host.pid)).ok());
    let variable = |entry: &[u8]| {
        let at = entry.iter().position(|&byte| byte == b'=')?;
        let (name, value) = (&entry[..at], &entry[at + 1..]);
        Some((OsStr::from_bytes(name).to_owned(), OsStr::from_bytes(value).to_owned()))
    };
    bytes.unwrap_or_default().split(|&byte| byte == 0).filter_map(variable).collect()
}
