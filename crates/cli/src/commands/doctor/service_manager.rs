//! Whether hosts outlive the login they are started in.

use std::env;
use std::path::Path;

use super::check::Check;
use crate::settings::{Scope, in_path, service_manager};

const SUBJECT: &str = "service manager";

/// What logind does not end at a logout has an entry here, by the user's name.
const LINGERING: &str = "/var/lib/systemd/linger";

pub(super) fn check(scope: Scope) -> Check {
    let kept = "hosts run in your login's control group, and end if a logout kills that group";
    match (scope, service_manager(), in_path("systemd-run")) {
        (Scope::Never, ..) => Check::warn(
            SUBJECT,
            format!("`scope` is set to never: {kept} ({})", own_group()),
            "set `scope = \"auto\"`, unless something else keeps hosts running",
        ),
        (Scope::Auto, None, _) => Check::warn(
            SUBJECT,
            format!("there is no systemd user manager: {kept} ({})", own_group()),
            "if logind has KillUserProcesses=yes, turn that off",
        ),
        (Scope::Auto, Some(_), None) => Check::warn(
            SUBJECT,
            format!("there is a systemd user manager, but no `systemd-run` in PATH: {kept}"),
            "install it, or add its directory to PATH",
        ),
        (Scope::Auto, Some(_), Some(_)) if !is_lingering() => Check::warn(
            SUBJECT,
            "hosts get scopes of their own, but your user manager ends at your last logout, and all hosts with it",
            "keep it running: `loginctl enable-linger`",
        ),
        (Scope::Auto, Some(_), Some(_)) => {
            Check::ok(SUBJECT, "hosts get scopes of their own and outlive every login")
        }
    }
}

/// Whether the user manager, and all that it runs, stays between logins.
pub(in crate::commands) fn is_lingering() -> bool {
    let user = env::var_os("USER").or_else(|| env::var_os("LOGNAME"));
    user.is_some_and(|user| !user.is_empty() && Path::new(LINGERING).join(user).exists())
}

fn own_group() -> String {
    group_of(system::processes::this()).unwrap_or_else(|| "unknown".to_owned())
}

/// The group that a service manager ends together with a process, safe to show.
pub(super) fn group_of(pid: u32) -> Option<String> {
    Some(model::display_safe(&system::processes::service_group(pid)?))
}
