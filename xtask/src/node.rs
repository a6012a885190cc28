//! Node packages that tests need.

use std::convert::Infallible;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use crate::house::House;
use crate::report::Outcome;
use crate::tidy;
use crate::tools;

/// The directories with a lock file of npm's, relative to the workspace.
pub(crate) fn packages(house: &House) -> Vec<PathBuf> {
    let files = tidy::files(house).unwrap_or_default();
    let locks = files.into_iter().filter(|file| file.ends_with("package-lock.json"));
    locks.filter_map(|lock| lock.parent().map(Path::to_owned)).collect()
}

/// Installs exactly what the lock file says, unless that was done since the file last changed.
pub(crate) fn install(house: &House, package: &Path) -> Outcome {
    let shown = |command: &mut Command| Ok::<_, Infallible>(Outcome::of(command));
    match install_with(house, package, shown) {
        Ok(outcome) => outcome,
    }
}

/// The same, with another way to run npm.
pub(crate) fn install_with<E>(
    house: &House,
    package: &Path,
    run: impl FnOnce(&mut Command) -> Result<Outcome, E>,
) -> Result<Outcome, E> {
    let directory = house.root.join(package);
    if let Err(why) = tools::ensure("node", "nodejs").and_then(|()| tools::ensure("npm", "npm")) {
        return Ok(Outcome::Skipped(why));
    }
    if is_fresh(&directory) {
        return Ok(Outcome::Passed);
    }
    run(house.program("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(directory))
}

/// Whether npm's own note of what it installed is newer than the lock file.
fn is_fresh(directory: &Path) -> bool {
    let changed =
        |file: &str| -> Option<SystemTime> { fs::metadata(directory.join(file)).ok()?.modified().ok() };
    match (changed("node_modules/.package-lock.json"), changed("package-lock.json")) {
        (Some(installed), Some(locked)) => installed >= locked,
        _ => false,
    }
}
