//! The paths of this program and of the program that hosts run.

use std::path::PathBuf;

use anyhow::Context;

use crate::failure::Failure;

/// The small program beside this one that hosts and the keeper are.
const HOST_PROGRAM: &str = "abide-host";

/// The program that hosts and the keeper are: the small one beside this one, or else this one, which can do the same
/// and costs each host more memory.
///
/// # Errors
///
/// When there is neither.
pub(crate) fn host_program() -> Result<PathBuf, Failure> {
    let own = own_program()?;
    let small = own.with_file_name(HOST_PROGRAM);
    Ok(if small.is_file() { small } else { own })
}

/// The path of this program. If its file was replaced since we were started, that of
/// its replacement.
///
/// # Errors
///
/// When there is no file at that path any more.
pub(crate) fn own_program() -> Result<PathBuf, Failure> {
    let path = system::program::path().context("cannot find the path of this program")?;
    Some(path).filter(|path| path.exists()).ok_or_else(|| {
        Failure::ours("the file of this program was removed while it runs").hint("install abide again")
    })
}
