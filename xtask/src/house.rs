//! Where things are: the workspace and its build directory.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The workspace this tool belongs to.
pub(crate) struct House {
    /// The directory of the workspace's `Cargo.toml`.
    pub(crate) root: PathBuf,
    /// Where cargo builds.
    pub(crate) target: PathBuf,
}

impl House {
    /// Finds the workspace of the `cargo` that started us.
    pub(crate) fn find() -> Result<House> {
        let xtask = env::var_os("CARGO_MANIFEST_DIR").context("run this as `cargo xtask`")?;
        let xtask = PathBuf::from(xtask);
        let root = xtask.parent().context("the workspace is above `xtask`")?.to_owned();
        let target = root.join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()));
        Ok(House { root, target })
    }

    /// A program, to be run in the workspace.
    pub(crate) fn program(&self, name: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(name);
        command.current_dir(&self.root);
        command
    }

    /// The cargo that started us, with these arguments.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = self.program(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(arguments);
        command
    }

    /// Builds abide and its hosts' program as they are released; gives abide's path.
    pub(crate) fn build_abide(&self) -> Result<PathBuf> {
        let built = self.cargo(&["build", "--release", "--package", "cli"]).status();
        let built = built.context("cannot run cargo")?;
        ensure!(built.success(), "abide does not build; the compiler's words are above");
        Ok(self.target.join("release/abide"))
    }
}
