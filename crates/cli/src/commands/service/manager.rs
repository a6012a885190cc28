//! The user's service manager.

use std::process::{Command, Stdio};

use anyhow::Context;

use super::place::{SERVICE, SOCKET};
use crate::commands::doctor::is_lingering;
use crate::failure::Failure;
use crate::settings::in_path;

/// A command that a person could give as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    program: &'static str,
    arguments: &'static [&'static str],
}

/// Has the manager read units again.
pub(super) const RELOAD: Step = Step { program: "systemctl", arguments: &["--user", "daemon-reload"] };

/// Takes the port and starts the server, now and with every login.
pub(super) const ENABLE: Step =
    Step { program: "systemctl", arguments: &["--user", "enable", "--now", SOCKET, SERVICE] };

/// Ends a server that holds the port by itself, or for which the units have changed.
pub(super) const STOP: Step = Step { program: "systemctl", arguments: &["--user", "stop", SOCKET, SERVICE] };

/// Ends the server, frees the port, and does neither again.
pub(super) const DISABLE: Step =
    Step { program: "systemctl", arguments: &["--user", "disable", "--now", SOCKET, SERVICE] };

/// The same where there is no unit for the port.
pub(super) const DISABLE_SERVICE: Step =
    Step { program: "systemctl", arguments: &["--user", "disable", "--now", SERVICE] };

/// Lets the manager, and all that it runs, stay between logins.
pub(super) const LINGER: Step = Step { program: "loginctl", arguments: &["enable-linger"] };

impl Step {
    /// As a person would type it.
    pub(super) fn line(self) -> String {
        format!("{} {}", self.program, self.arguments.join(" "))
    }

    /// Does it.
    ///
    /// # Errors
    ///
    /// When it fails, or cannot be done here.
    pub(super) fn run(self) -> Result<(), Failure> {
        let line = self.line();
        let mut command = self.command().ok_or_else(|| {
            Failure::ours(format!("there is no program `{}` here", self.program))
                .hint("without systemd, start `abide serve` with the service manager of this machine")
        })?;
        let status = command.status().with_context(|| format!("cannot run `{line}`"))?;
        match status.success() {
            true => Ok(()),
            false => Err(Failure::ours(format!("`{line}` ends with {status}"))
                .hint("`systemctl --user status` says whether a user manager runs")),
        }
    }

    fn command(self) -> Option<Command> {
        let mut command = Command::new(in_path(self.program)?);
        // Standard output is ours; what a person has to know is on standard error.
        command.args(self.arguments).stdin(Stdio::null()).stdout(Stdio::null());
        Some(command)
    }
}

/// What is left to be done for all of it to stay between logins.
pub(super) fn linger() -> Option<Step> {
    (!is_lingering()).then_some(LINGER)
}

/// What the manager says to a question about a unit, in its own word: `is-active`, `is-enabled`.
pub(super) fn ask(question: &str, unit: &str) -> Option<String> {
    let mut command = Command::new(in_path("systemctl")?);
    command.args(["--user", question, unit]).stdin(Stdio::null()).stderr(Stdio::null());
    let answer = String::from_utf8(command.output().ok()?.stdout).ok()?;
    Some(model::display_safe(answer.trim())).filter(|answer| !answer.is_empty())
}
