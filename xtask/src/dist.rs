//! `cargo xtask dist`: abide as a tarball and as a Debian package.
//!
//! The same commit gives the same archives: names are sorted, owners are root, and times are the commit's, or those of
//! `SOURCE_DATE_EPOCH`.

mod archive;
mod bound;
mod check;
mod glibc;
mod notices;
mod place;
mod tree;

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail, ensure};

use crate::house::House;
use crate::report::Outcome;
use crate::steps::Steps;
use crate::tally::Tally;
use crate::{tools, web};
use place::Place;

const USAGE: &str = "usage: cargo xtask dist [--check] [--binaries DIR] [--out DIR]";

/// What we pack.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The options of the command line.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    /// Install and try the packages afterwards.
    check: bool,
    /// Pack the programs of this directory, and build nothing.
    binaries: Option<PathBuf>,
    /// Where the packages are written.
    out: Option<PathBuf>,
}

impl Options {
    fn read(arguments: Vec<OsString>) -> Result<Options> {
        let mut options = Options::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let mut path = || arguments.next().map(PathBuf::from).context(USAGE);
            match argument.to_str() {
                Some("--check") => options.check = true,
                Some("--binaries") => options.binaries = Some(path()?),
                Some("--out") => options.out = Some(path()?),
                _ => bail!("{USAGE}"),
            }
        }
        Ok(options)
    }
}

/// The packages that were made.
struct Packages {
    tarball: PathBuf,
    /// Not on a system without `dpkg-deb`.
    debian: Option<PathBuf>,
}

/// Builds abide, packs it, and names the packages on standard output.
pub(crate) fn main(house: &House, arguments: Vec<OsString>) -> Result<ExitCode> {
    let options = Options::read(arguments)?;
    let steps = Steps::begin();
    let binaries = match options.binaries {
        Some(directory) => house.root.join(directory),
        None => build(house, steps)?,
    };
    let out = options.out.map_or_else(|| house.target.join("dist"), |out| house.root.join(out));
    let packages = steps.step("packages: made", || pack(house, &binaries, &out))?;
    println!("{}", packages.tarball.display());
    match &packages.debian {
        Some(package) => println!("{}", package.display()),
        None => steps.say("no Debian package: there is no `dpkg-deb`; the package `dpkg` has it"),
    }
    if options.check {
        for skipped in steps.step("packages: installed and tried", || check::check(&packages))? {
            steps.say(format_args!("skipped: {skipped}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The step of `./test`: packs the programs that the tests were run with, installs the packages and tries them.
pub(crate) fn check_built(house: &House) -> Outcome {
    let checked = || -> Result<Vec<String>> {
        let out = house.target.join("dist-check");
        check::check(&pack(house, &house.target.join("debug"), &out)?)
    };
    match checked() {
        Err(error) => Outcome::Failed(format!("{error:#}")),
        Ok(skipped) => {
            for why in &skipped {
                println!("skipped: {why}");
            }
            Outcome::Counted {
                tally: Tally { passed: 1, failed: 0, skipped: skipped.len() },
                failures: BTreeMap::new(),
            }
        }
    }
}

/// Builds the web UI and the release; gives the directory of the programs. A program that is too large is refused.
fn build(house: &House, steps: Steps) -> Result<PathBuf> {
    steps.step("web UI: npm installs and builds it", || match web::build_quietly(house) {
        Outcome::Failed(why) | Outcome::Skipped(why) => bail!("the web UI is not built: {why}"),
        Outcome::Passed | Outcome::Counted { .. } => Ok(()),
    })?;
    let abide = steps.step("abide: cargo compiles the release", || house.build_abide())?;
    bound::check(&abide)?;
    Ok(abide.parent().context("a program is in a directory")?.to_owned())
}

/// Packs the programs of a directory.
fn pack(house: &House, binaries: &Path, out: &Path) -> Result<Packages> {
    fs::create_dir_all(out).with_context(|| format!("cannot make `{}`", out.display()))?;
    let time = time(house)?;
    let notices = notices::collect(house)?;
    let stage = out.join("stage");
    let pack_for = |place: Place| -> Result<PathBuf> {
        let root = stage.join(place.name());
        tree::grow(house, &place, binaries, &notices, &root)?;
        archive::make(&place, &root, out, time)
    };
    let tarball = pack_for(Place::Prefix)?;
    let debian = match (tools::is_there("dpkg-deb"), place::debian_architecture()) {
        (true, Some(architecture)) => Some(pack_for(Place::Debian { architecture })?),
        _ => None,
    };
    fs::remove_dir_all(&stage).with_context(|| format!("cannot remove `{}`", stage.display()))?;
    Ok(Packages { tarball, debian })
}

/// The time that all files in the packages have, in seconds since 1970.
fn time(house: &House) -> Result<u64> {
    let text = match env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => output(house.program("git").args(["log", "-1", "--format=%ct"]))?,
    };
    text.trim().parse().with_context(|| format!("`{}` is no time in seconds", text.trim()))
}

/// Runs a program, which must succeed, for what it prints.
fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().display().to_string();
    let output = command.output().with_context(|| format!("cannot run `{name}`"))?;
    let words = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`{command:?}` failed, {}: {}", output.status, words.trim());
    String::from_utf8(output.stdout).with_context(|| format!("`{name}` printed no text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_others_refused() {
        let read = |words: &[&str]| Options::read(words.iter().map(OsString::from).collect());
        let both = read(&["--binaries", "target/debug", "--check"]).unwrap();
        assert!(both.check && both.binaries == Some("target/debug".into()) && both.out.is_none());
        assert!(read(&["--binaries"]).is_err() && read(&["--fast"]).is_err());
    }
}
