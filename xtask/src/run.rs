//! `cargo xtask run`: builds abide and starts its server.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::house::House;
use crate::report::Outcome;
use crate::web;

/// Builds, then becomes `abide serve` with the remaining arguments as its own. It says which link to open.
///
/// A leading `--in DIR` is where it starts; `./run` hands over the user's own directory with it, since
/// cargo must be started in the workspace.
pub(crate) fn main(house: &House, arguments: Vec<OsString>) -> Result<ExitCode> {
    let (directory, arguments) = start_directory(arguments)?;
    if let Outcome::Failed(why) | Outcome::Skipped(why) = web::build(house) {
        eprintln!("warning: abide is built without its web UI: {why}");
    }
    let abide = house.build_abide()?;
    let mut serve = house.program(&abide);
    serve.arg("serve").args(arguments);
    if let Some(directory) = directory {
        serve.current_dir(directory);
    }
    Err(serve.exec()).with_context(|| format!("cannot run `{}`", abide.display()))
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
    fn only_a_leading_directory_is_ours() {
        let arguments = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let (directory, rest) =
            start_directory(arguments(&["--in", "a b", "--listen", "x", "--in"])).unwrap();
        assert_eq!(directory, Some(PathBuf::from("a b")));
        assert_eq!(rest, arguments(&["--listen", "x", "--in"]));
        assert_eq!(start_directory(arguments(&["--listen"])).unwrap(), (None, arguments(&["--listen"])));
        assert!(start_directory(arguments(&["--in"])).is_err());
    }
}
