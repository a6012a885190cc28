//! The program that this process runs.

use std::env;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A path to start this program by, even if its file was replaced or removed since.
pub const SAME: &str = "/proc/self/exe";

/// What the kernel puts behind the path of a program whose file was replaced.
const DELETED: &[u8] = b" (deleted)";

/// The path of this program; if its file was replaced since this process was started, that of its replacement. There
/// may be no file at that path any more.
///
/// # Errors
///
/// When the system does not say.
pub fn path() -> io::Result<PathBuf> {
    env::current_exe().map(|path| if path.exists() { path } else { replacement(&path) })
}

fn replacement(path: &Path) -> PathBuf {
    let bytes = path.as_os_str().as_bytes();
    PathBuf::from(OsString::from_vec(bytes.strip_suffix(DELETED).unwrap_or(bytes).to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_is_found() {
        assert_eq!(path().unwrap(), env::current_exe().unwrap());
        assert_eq!(std::fs::canonicalize(SAME).unwrap(), path().unwrap().canonicalize().unwrap());
    }

    #[test]
    fn a_replaced_program_has_the_path_of_its_replacement() {
        assert_eq!(replacement(Path::new("/usr/bin/abide (deleted)")), Path::new("/usr/bin/abide"));
        assert_eq!(replacement(Path::new("/usr/bin/abide")), Path::new("/usr/bin/abide"));
    }
}
