//! The process at the other end of a Unix socket, and the user at the other end of a TCP connection.

mod tcp;

use std::os::fd::AsFd;

use rustix::net::sockopt::socket_peercred;
use rustix::process::geteuid;

pub use tcp::TcpUsers;

/// Whether the process at the other end ran as this process's user when it connected.
///
/// # Errors
///
/// When the system does not say.
pub fn is_this_user(socket: impl AsFd) -> rustix::io::Result<bool> {
    Ok(socket_peercred(socket)?.uid == geteuid())
}

/// The number of the process at the other end, as it was when it connected.
pub fn process(socket: impl AsFd) -> Option<u32> {
    let peer = socket_peercred(socket).ok()?;
    Some(peer.pid.as_raw_nonzero().get().cast_unsigned())
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn a_socket_of_ours_has_this_process_at_its_other_end() {
        let (ours, _theirs) = UnixStream::pair().unwrap();
        assert_eq!(is_this_user(&ours), Ok(true));
        assert_eq!(process(&ours), Some(std::process::id()));
    }

    #[test]
    fn a_socket_that_is_not_unix_has_no_known_peer() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert_ne!(is_this_user(&stream), Ok(true));
        assert_eq!(process(&stream), None);
    }
}
