//! Sockets with short addresses in directories with long names.

use std::fs;
use std::io;
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::fs::Mode;
use rustix::process::umask;
use system::descriptors::ShortPath;

/// Binds a socket that only its user may use, from its first instant on. Replaces one that is there already: the caller
/// holds the lock, so no other living process uses it.
///
/// The new one takes the place of the old in one step. At no moment does a process that connects find nothing there.
///
/// # Errors
///
/// When the disk refuses.
pub fn bind_socket(path: &Path) -> io::Result<UnixListener> {
    let new = path.with_extension("new");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let short = ShortPath::of(&new)?;
    let before = umask(Mode::from_raw_mode(0o177));
    let listener = UnixListener::bind(short.as_path());
    umask(before);
    let listener = listener?;
    if let Err(error) = fs::rename(&new, path) {
        let _ = fs::remove_file(&new);
        return Err(error);
    }
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixStream;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn p9_a_socket_that_is_made_again_is_never_missing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sock");
        let mut listeners = vec![bind_socket(&path).unwrap()];
        let is_over = AtomicBool::new(false);
        let connected = thread::scope(|scope| {
            let connecting = scope.spawn(|| {
                let mut count = 0;
                while !is_over.load(Ordering::Relaxed) {
                    UnixStream::connect(&path).unwrap_or_else(|error| panic!("after {count}: {error}"));
                    count += 1;
                }
                count
            });
            for _ in 0..300 {
                listeners.push(bind_socket(&path).unwrap());
                // So that no listener has more connections waiting than it may have.
                for listener in &listeners {
                    listener.set_nonblocking(true).unwrap();
                    while listener.accept().is_ok() {}
                }
            }
            is_over.store(true, Ordering::Relaxed);
            connecting.join()
        });
        assert!(connected.unwrap() > 0);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
