//! A package that was unpacked, and an account that has never seen abide.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Programs of a package, run with an empty home directory.
pub(super) struct Installed {
    /// Where `bin` and `share` are.
    pub(super) prefix: PathBuf,
    home: PathBuf,
    path: OsString,
}

impl Installed {
    pub(super) fn new(prefix: PathBuf, home: &Path) -> Result<Installed> {
        fs::create_dir(home).with_context(|| format!("cannot make `{}`", home.display()))?;
        let there = env::var_os("PATH").unwrap_or_default();
        let directories = [prefix.join("bin")].into_iter().chain(env::split_paths(&there));
        let path = env::join_paths(directories).context("a directory of PATH has a colon")?;
        Ok(Installed { prefix, home: home.to_owned(), path })
    }

    /// A program, by its name, with the environment of a new account.
    pub(super) fn command(&self, name: &str) -> Command {
        let own = self.prefix.join("bin").join(name);
        let mut command = Command::new(if own.is_file() { own.into_os_string() } else { name.into() });
        command.env_clear().env("PATH", &self.path).env("HOME", &self.home).current_dir(&self.home);
        command.env("LANG", "C.UTF-8").env("TERM", "xterm-256color").env("SHELL", "/bin/sh");
        command
    }

    /// Whether the worker's host is the small program of the package.
    pub(super) fn runs_own_host(&self) -> Result<()> {
        let workers = self.home.join(".local/share/abide/workers");
        let of_worker = |entry: fs::DirEntry| -> Option<PathBuf> {
            let note: serde_json::Value =
                serde_json::from_str(&fs::read_to_string(entry.path().join("pid")).ok()?).ok()?;
            fs::read_link(format!("/proc/{}/exe", note["pid"].as_u64()?)).ok()
        };
        let entries =
            fs::read_dir(&workers).with_context(|| format!("cannot read `{}`", workers.display()))?;
        let hosts: Vec<PathBuf> = entries.filter_map(|entry| of_worker(entry.ok()?)).collect();
        let own = self.prefix.join("bin/abide-host").canonicalize()?;
        ensure!(hosts == [own.clone()], "the hosts are {hosts:?}, not `{}`", own.display());
        Ok(())
    }

    /// Ends a worker when it goes, also if the check failed before.
    pub(super) fn ended_with_us<'a>(&'a self, name: &'a str) -> Ended<'a> {
        Ended { installed: self, name }
    }
}

/// A worker that does not outlive this.
pub(super) struct Ended<'a> {
    installed: &'a Installed,
    name: &'a str,
}

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        let _ = self.installed.command("abide").args(["kill", self.name]).output();
    }
}
