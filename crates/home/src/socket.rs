//! Sockets with short addresses in directories with long names.

use std::fs;
use std::io;
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::fs::Mode;
use rustix::process::umask;
use system::descriptors::ShortPath;

/// Binds a socket that only its user may use, from its first instant on. Removes what is there already: the caller
/// holds the lock, so no living process uses it.
///
/// # Errors
///
/// When the disk refuses.
pub fn bind_socket(path: &Path) -> io::Result<UnixListener> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let short = ShortPath::of(path)?;
    let before = umask(Mode::from_raw_mode(0o177));
    let listener = UnixListener::bind(short.as_path());
    umask(before);
    listener
}
