//! Installs the packages in empty directories, and uses them there as a person would.

mod installed;
mod shells;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

use anyhow::{Context, Result, ensure};

use super::place::{MANUALS, SERVICE, SOCKET};
use super::{Packages, VERSION, output};
use crate::tools;
use installed::Installed;

/// Tries every package. Gives what could not be tried on this machine.
pub(super) fn check(packages: &Packages) -> Result<Vec<String>> {
    let mut skipped = Vec::new();
    let ground = Ground::new()?;
    let prefix = ground.path.join("prefix");
    fs::create_dir(&prefix)?;
    output(
        Command::new("tar")
            .args(["--extract", "--strip-components=1", "--file"])
            .arg(&packages.tarball)
            .arg("--directory")
            .arg(&prefix),
    )?;
    use_it(&Installed::new(prefix, &ground.path.join("home of the tarball"))?, &mut skipped)
        .context("the tarball")?;
    match &packages.debian {
        Some(package) => {
            let root = ground.path.join("root");
            output(Command::new("dpkg-deb").arg("--extract").args([package, &root]))?;
            let field = |name: &str| output(Command::new("dpkg-deb").arg("--field").arg(package).arg(name));
            ensure!(field("Version")?.trim() == VERSION, "the Debian package has another version");
            use_it(
                &Installed::new(root.join("usr"), &ground.path.join("home of the package"))?,
                &mut skipped,
            )
            .context("the Debian package")?;
        }
        None => skipped.push("no `dpkg-deb` for a Debian package".to_owned()),
    }
    skipped.sort();
    skipped.dedup();
    Ok(skipped)
}

/// An empty directory that goes when the check is over.
struct Ground {
    path: PathBuf,
}

impl Ground {
    fn new() -> Result<Ground> {
        let path = env::temp_dir().join(format!("abide-dist-{}", process::id()));
        fs::create_dir(&path).with_context(|| format!("cannot make `{}`", path.display()))?;
        Ok(Ground { path })
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// What a person does with a new program.
fn use_it(installed: &Installed, skipped: &mut Vec<String>) -> Result<()> {
    let abide = |arguments: &[&str]| output(installed.command("abide").args(arguments));
    let version = abide(&["--version"])?;
    ensure!(version.trim() == format!("abide {VERSION}"), "`abide --version` says `{}`", version.trim());
    units(installed)?;
    manuals(installed, skipped)?;

    abide(&["new", "-d", "--name", "first", "--", "sh", "-c", "echo it runs; read line"])?;
    let worker = installed.ended_with_us("first");
    abide(&["wait", "first", "--text", "it runs", "--timeout", "60"])?;
    ensure!(abide(&["ls"])?.contains("first"), "`abide ls` does not list the worker");
    ensure!(abide(&["screen", "first"])?.contains("it runs"), "`abide screen` does not show the screen");
    installed.runs_own_host()?;
    shells::complete(installed, skipped)?;
    drop(worker);
    ensure!(!abide(&["ls"])?.contains("live"), "the worker lives after `abide kill`");
    ensure!(abide(&["logs", "first"])?.contains("it runs"), "the recording does not have the output");
    Ok(())
}

/// The units start the program that the package installs, and hold its port.
fn units(installed: &Installed) -> Result<()> {
    let text = fs::read_to_string(installed.prefix.join(SERVICE)).context("there is no systemd unit")?;
    let starts =
        text.lines().find_map(|line| line.strip_prefix("ExecStart=")).context("the unit starts nothing")?;
    ensure!(starts.contains("/bin/abide\" serve"), "the unit starts `{starts}`");
    let text = fs::read_to_string(installed.prefix.join(SOCKET)).context("there is no socket unit")?;
    ensure!(text.contains("ListenStream=127.0.0.1:"), "the socket unit says:\n{text}");
    Ok(())
}

/// `man` finds the pages and can show them.
fn manuals(installed: &Installed, skipped: &mut Vec<String>) -> Result<()> {
    for page in ["abide.1.gz", "abide-new.1.gz", "abide-task-start.1.gz", "abide-serve.1.gz"] {
        ensure!(installed.prefix.join(MANUALS).join(page).is_file(), "there is no manual page `{page}`");
    }
    if !tools::is_there("man") {
        skipped.push("no `man` for the manual pages".to_owned());
        return Ok(());
    }
    let mut man = installed.command("man");
    man.env("MANPATH", installed.prefix.join("share/man")).env("MANPAGER", "cat").arg("abide-new");
    let page = output(&mut man)?;
    ensure!(page.contains("--name") && page.contains("abide-new(1)"), "`man abide-new` shows:\n{page}");
    Ok(())
}

/// A path as text, for a script.
fn text(path: &Path) -> Result<&str> {
    path.to_str().context("the path is not UTF-8")
}
