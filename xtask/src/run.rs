//! `cargo xtask run`: builds abide quickly and starts its server.

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;

use anyhow::{Context, Result, bail, ensure};

use crate::house::House;
use crate::report::Outcome;
use crate::steps::Steps;
use crate::web;

/// The profile in `Cargo.toml` that is quick to build.
const PROFILE: &str = "quick";

/// Names the lock that `crates/page/build.rs` waits for.
const WEB_LOCK: &str = "ABIDE_WEB_LOCK";

/// Builds, then becomes `abide serve` with the remaining arguments as its own. It says which link to open.
///
/// A leading `--in DIR` is where it starts; `./run` hands over the user's own directory with it, since
/// cargo must be started in the workspace.
pub(crate) fn main(house: &House, arguments: Vec<OsString>) -> Result<ExitCode> {
    let (directory, arguments) = start_directory(arguments)?;
    let steps = Steps::begin();
    let abide = build(house, steps)?;
    let mut serve = house.program(&abide);
    serve.arg("serve").args(arguments);
    if let Some(directory) = directory {
        serve.current_dir(directory);
    }
    steps.say(format_args!("ready: starting the server of {}", abide.display()));
    Err(serve.exec()).with_context(|| format!("cannot run `{}`", abide.display()))
}

/// Builds the web UI and abide; gives abide's path.
///
/// In a fresh clone both are built at once, and the crate `page` waits for the web UI. Where there was a web UI before,
/// cargo could take that for the new one, so it has to begin afterwards.
fn build(house: &House, steps: Steps) -> Result<PathBuf> {
    let has_web = house.root.join("web/dist/site/index.html").exists();
    if has_web {
        build_web(house, steps);
        build_abide(house, steps, None)
    } else {
        steps.say("first build: web UI and abide at once; the next ones take seconds");
        let path = house.target.join("web.lock");
        fs::create_dir_all(&house.target)?;
        let lock = File::create(&path).with_context(|| format!("cannot write `{}`", path.display()))?;
        lock.lock()?;
        thread::scope(|scope| {
            scope.spawn(move || {
                build_web(house, steps);
                // Closing the file ends the lock.
                drop(lock);
            });
            build_abide(house, steps, Some(&path))
        })
    }
}

/// Builds the web UI, and says so if there will be none.
fn build_web(house: &House, steps: Steps) {
    let built = steps.step("web UI: npm installs and builds it", || match web::build_quietly(house) {
        Outcome::Failed(why) | Outcome::Skipped(why) => Err(why),
        Outcome::Passed | Outcome::Counted { .. } => Ok(()),
    });
    if let Err(why) = built {
        steps.say(format_args!("warning: abide is built without its web UI: {why}"));
    }
}

fn build_abide(house: &House, steps: Steps, web_lock: Option<&Path>) -> Result<PathBuf> {
    steps.step("abide: cargo compiles it", || {
        let mut cargo = house.cargo(&["build", "--profile", PROFILE, "--package", "cli"]);
        if let Some(lock) = web_lock {
            cargo.env(WEB_LOCK, lock);
        }
        run(&mut cargo)?;
        Ok(house.target.join(PROFILE).join("abide"))
    })
}

fn run(cargo: &mut Command) -> Result<()> {
    let built = cargo.status().context("cannot run cargo")?;
    ensure!(built.success(), "abide does not build; the compiler's words are above");
    Ok(())
}

fn start_directory(mut arguments: Vec<OsString>) -> Result<(Option<PathBuf>, Vec<OsString>)> {
    if arguments.first().is_none_or(|first| first != "--in") {
        return Ok((None, arguments));
    }
    if arguments.len() < 2 {
        bail!("`--in` needs a directory");
    }
    let rest = arguments.split_off(2);
    Ok((arguments.pop().map(PathBuf::from), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_leading_in_option_is_taken() {
        let arguments = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let (directory, rest) =
            start_directory(arguments(&["--in", "a b", "--listen", "x", "--in"])).unwrap();
        assert_eq!(directory, Some(PathBuf::from("a b")));
        assert_eq!(rest, arguments(&["--listen", "x", "--in"]));
        assert_eq!(start_directory(arguments(&["--listen"])).unwrap(), (None, arguments(&["--listen"])));
        assert!(start_directory(arguments(&["--in"])).is_err());
    }
}
