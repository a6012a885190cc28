//! Whether hosts outlive the login they are started in.

use std::env;
use std::path::Path;

use super::check::Check;
use super::control_group;
use crate::settings::{Scope, in_path, service_manager};

const SUBJECT: &str = "service manager";

/// What logind does not end at a logout has an entry here, by the user's name.
const LINGERING: &str = "/var/lib/systemd/linger";

pub(super) fn check(scope: Scope) -> Check {
    let kept = "hosts run in your login's control group; a logout that kills it takes them along";
    match (scope, service_manager(), in_path("systemd-run")) {
        (Scope::Never, ..) => Check::warn(
            SUBJECT,
            format!("`scope` is set to never: {kept} ({})", own_group()),
            "set `scope = \"auto\"`, unless something else keeps them",
        ),
        (Scope::Auto, None, _) => Check::warn(
            SUBJECT,
            format!("there is no systemd user manager: {kept} ({})", own_group()),
            "where logind ends what a user left (KillUserProcesses=yes), have that turned off",
        ),
        (Scope::Auto, Some(_), None) => Check::warn(
            SUBJECT,
            format!("there is a systemd user manager and no `systemd-run` in PATH: {kept}"),
            "install it, or add its directory to PATH",
        ),
        (Scope::Auto, Some(_), Some(_)) if !is_lingering() => Check::warn(
            SUBJECT,
            "hosts get scopes of their own, but your user manager ends at your last logout, with all of them",
            "let it stay: `loginctl enable-linger`",
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
    control_group::of("self").unwrap_or_else(|| "unknown".to_owned())
}
