//! Where the program is that we are.

use std::env;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// What the kernel puts behind the path of a program whose file was replaced.
const DELETED: &[u8] = b" (deleted)";

/// The path of this program; if its file was replaced since we were started, that of its replacement. There may be no
/// file at that path any more.
///
/// # Errors
///
/// When the system does not say.
pub fn own_program() -> io::Result<PathBuf> {
    let path = env::current_exe()?;
    if path.exists() {
        return Ok(path);
    }
    let bytes = path.as_os_str().as_bytes();
    let replacement = bytes.strip_suffix(DELETED).unwrap_or(bytes).to_vec();
    Ok(PathBuf::from(OsString::from_vec(replacement)))
}
