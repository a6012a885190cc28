//! Programs that are installed on this machine.

use std::env;
use std::ffi::OsString;
use std::path::Path;

use api::Problem;

use super::Node;

/// The programs that workers find.
#[derive(Debug)]
pub(crate) struct Programs {
    search_path: OsString,
}

impl Node {
    /// The programs in the search path of the user's login.
    ///
    /// # Errors
    ///
    /// When the server stops meanwhile.
    pub(crate) async fn programs(&self) -> Result<Programs, Problem> {
        let environment = self.login_environment().await?;
        let search_path = environment.into_iter().find(|(name, _)| name == "PATH").map(|(_, path)| path);
        Ok(Programs { search_path: search_path.unwrap_or_default() })
    }
}

impl Programs {
    /// Whether a worker finds a program by this name or absolute path.
    pub(crate) fn has(&self, program: &str) -> bool {
        env::split_paths(&self.search_path).any(|dir| dir.join(program).is_file())
            || (program.starts_with('/') && Path::new(program).is_file())
    }
}
