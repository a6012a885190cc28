//! Programs we need and may have to install first.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Makes sure that `tool` can be run; where we may, Debian's `packages`, named with blanks between, are installed for it.
///
/// The error says why the tool is not there, for a step that is then skipped aloud.
pub(crate) fn ensure(tool: &str, packages: &str) -> Result<(), String> {
    ensure_that(&format!("`{tool}`"), packages, || is_there(tool))
}

/// The same for a family of fonts. A machine can have a browser and lack them.
pub(crate) fn ensure_font(family: &str, packages: &str) -> Result<(), String> {
    let is_known = || succeeds(Command::new("fc-list").args(["--quiet", family]));
    ensure_that(&format!("the font `{family}`"), packages, is_known)
}

fn ensure_that(what: &str, packages: &str, is_there: impl Fn() -> bool) -> Result<(), String> {
    if is_there() {
        return Ok(());
    }
    let apt = Apt::find().ok_or_else(|| {
        format!("{what} is missing and cannot be installed from here; install `{packages}`")
    })?;
    apt.install(packages)?;
    if is_there() { Ok(()) } else { Err(format!("{what} is missing even after `{packages}` was installed")) }
}

/// Whether a program of this name would be found.
pub(crate) fn is_there(tool: &str) -> bool {
    let is_program = |path: PathBuf| {
        fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    let directories = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&directories).any(|directory| is_program(directory.join(tool)))
}

/// Runs a command for its exit status alone.
fn succeeds(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// A command that installs Debian packages without a question.
#[derive(Clone, Copy)]
struct Apt {
    sudo: bool,
}

impl Apt {
    fn find() -> Option<Apt> {
        if !is_there("apt-get") {
            return None;
        }
        let root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.trim_ascii() == b"0");
        if root {
            Some(Apt { sudo: false })
        } else {
            succeeds(Command::new("sudo").args(["-n", "true"])).then_some(Apt { sudo: true })
        }
    }

    fn install(self, packages: &str) -> Result<(), String> {
        static UPDATED: OnceLock<bool> = OnceLock::new();
        let updated = *UPDATED.get_or_init(|| self.run(&["update"]));
        let install = ["install", "-y", "--no-install-recommends"];
        let install: Vec<&str> = install.into_iter().chain(packages.split_whitespace()).collect();
        if updated && self.run(&install) {
            Ok(())
        } else {
            Err(format!("apt-get could not install `{packages}`"))
        }
    }

    fn run(self, arguments: &[&str]) -> bool {
        println!("==> apt-get {}", arguments.join(" "));
        let words: &[&str] = if self.sudo { &["sudo", "-n", "env"] } else { &["env"] };
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]).args(arguments);
        command.stdin(Stdio::null()).status().is_ok_and(|status| status.success())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_is_there_needs_nothing() {
        assert_eq!(ensure("git", "git"), Ok(()));
        assert!(!is_there("no-such-program-of-ours"));
    }
}
