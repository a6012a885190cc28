//! Sockets with short addresses in directories with long names.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::fs::Mode;
use rustix::process::umask;

/// Binds a socket that only its user may use, from its first instant on. What is there already goes: whoever binds
/// holds the lock that says it is nobody's.
///
/// # Errors
///
/// When the disk refuses.
pub fn bind_socket(path: &Path) -> io::Result<UnixListener> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    // A socket's address has at most 107 bytes; this one is short wherever the directory is.
    let parent = File::open(parent)?;
    let short = Path::new("/proc/self/fd").join(parent.as_raw_fd().to_string()).join(name);
    let before = umask(Mode::from_raw_mode(0o177));
    let listener = UnixListener::bind(short);
    umask(before);
    listener
}
