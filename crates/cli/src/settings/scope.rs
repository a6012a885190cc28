//! Whether hosts leave the caller's control group.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use thiserror::Error;

/// Whether hosts get a scope of their own from the service manager, so that ending the caller's control group
/// (a logout, a service's restart) leaves them alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Where there is a service manager that can.
    Auto,
    /// They stay in the caller's control group.
    Never,
}

/// Why a text is no such choice.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is neither auto nor never")]
pub(crate) struct ParseScopeError(String);

impl Scope {
    /// Whether to ask the service manager.
    pub(crate) fn is_wanted(self) -> bool {
        self == Scope::Auto && service_manager().is_some() && in_path("systemd-run").is_some()
    }
}

/// The socket of the user's service manager, if one runs.
pub(crate) fn service_manager() -> Option<PathBuf> {
    let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute())?;
    Some(runtime.join("systemd/private")).filter(|socket| socket.exists())
}

/// Where a program is that the environment's path leads to.
pub(crate) fn in_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|dir| dir.join(program)).find(|file| is_program(file))
}

fn is_program(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok() && path.is_file()
}

impl FromStr for Scope {
    type Err = ParseScopeError;

    fn from_str(text: &str) -> Result<Scope, ParseScopeError> {
        match text {
            "auto" => Ok(Scope::Auto),
            "never" => Ok(Scope::Never),
            _ => Err(ParseScopeError(model::display_safe(text))),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scope::Auto => "auto",
            Scope::Never => "never",
        })
    }
}
