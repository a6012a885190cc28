//! The user at the other end of a TCP connection within this machine.
//!
//! The kernel tells it about any socket, by its two addresses. One question costs a few microseconds, however many
//! sockets there are; `/proc/net/tcp` would list them all.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::OwnedFd;
use std::sync::Mutex;

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with, sockopt,
};

/// A message's type: a question about a socket, or an answer to one.
const BY_FAMILY: u16 = 20;
/// The flag of a question.
const REQUEST: u16 = 1;
/// The number of TCP.
const TCP: u8 = 6;
/// The state of a connection that both sides have open. A socket that its program closed has no user any more.
const ESTABLISHED: u8 = 1;

/// How many bytes a message's header has.
const HEADER_BYTES: usize = 16;
/// How many bytes a question has.
const QUESTION_BYTES: usize = HEADER_BYTES + 56;
/// Where an answer has the socket's state, and where its user.
const STATE_AT: usize = HEADER_BYTES + 1;
const USER_AT: usize = HEADER_BYTES + 64;

/// Asks the kernel which user has the socket at the other end of a connection.
#[derive(Debug, Default)]
pub struct TcpUsers {
    asking: Mutex<Asking>,
}

#[derive(Debug, Default)]
struct Asking {
    socket: Option<OwnedFd>,
    /// The number of the last question, so that a late answer is not taken for another one's.
    number: u32,
}

impl TcpUsers {
    /// The user at the other end of a connection from `theirs` to `ours`. Nothing if the other end is not on this
    /// machine, has been closed, or the kernel does not say.
    pub fn user(&self, ours: SocketAddr, theirs: SocketAddr) -> Option<u32> {
        let mut asking = self.asking.lock().ok()?;
        let answer = asking.ask(ours, theirs);
        if answer.is_err() {
            // The next question gets a new socket.
            asking.socket = None;
        }
        answer.ok().flatten()
    }
}

impl Asking {
    fn ask(&mut self, ours: SocketAddr, theirs: SocketAddr) -> io::Result<Option<u32>> {
        self.number = self.number.wrapping_add(1);
        let question = question(self.number, ours, theirs);
        let socket = match &self.socket {
            Some(socket) => socket,
            None => self.socket.insert(open()?),
        };
        send(socket, &question, SendFlags::empty())?;
        let mut answer = [0; 512];
        loop {
            let (length, _) = recv(socket, &mut answer, RecvFlags::empty())?;
            let answer = answer.get(..length).unwrap_or(&answer);
            if u32_at(answer, 8) == Some(self.number) {
                return Ok(user(answer));
            }
        }
    }
}

fn open() -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::NETLINK, SocketType::DGRAM, flags, Some(netlink::SOCK_DIAG))?;
    // The kernel answers before `send` returns. This is for a kernel that does not.
    sockopt::set_socket_timeout(&socket, sockopt::Timeout::Recv, Some(std::time::Duration::from_millis(50)))?;
    Ok(socket)
}

/// A question about one socket. Its own address comes first.
fn question(number: u32, ours: SocketAddr, theirs: SocketAddr) -> Vec<u8> {
    let family = if theirs.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let mut bytes = Vec::with_capacity(QUESTION_BYTES);
    bytes.extend((QUESTION_BYTES as u32).to_ne_bytes());
    bytes.extend(BY_FAMILY.to_ne_bytes());
    bytes.extend(REQUEST.to_ne_bytes());
    bytes.extend(number.to_ne_bytes());
    bytes.extend(0_u32.to_ne_bytes());
    bytes.extend([family.as_raw() as u8, TCP, 0, 0]);
    // Sockets in any state.
    bytes.extend(u32::MAX.to_ne_bytes());
    bytes.extend(theirs.port().to_be_bytes());
    bytes.extend(ours.port().to_be_bytes());
    bytes.extend(address(theirs.ip()));
    bytes.extend(address(ours.ip()));
    // Any interface.
    bytes.extend(0_u32.to_ne_bytes());
    // A socket that we have no cookie of.
    bytes.extend([0xff; 8]);
    bytes
}

fn address(ip: IpAddr) -> [u8; 16] {
    match ip {
        IpAddr::V4(ip) => {
            let mut bytes = [0; 16];
            bytes[..4].copy_from_slice(&ip.octets());
            bytes
        }
        IpAddr::V6(ip) => ip.octets(),
    }
}

/// The user in an answer; nothing if it says that there is no such socket.
fn user(answer: &[u8]) -> Option<u32> {
    let kind = answer.get(4..6)?;
    let is_open = answer.get(STATE_AT) == Some(&ESTABLISHED);
    (kind == BY_FAMILY.to_ne_bytes() && is_open).then(|| u32_at(answer, USER_AT))?
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use rustix::process::geteuid;

    use super::*;

    /// The user that the kernel names for a connection of this process, before and after it is closed.
    fn users(at: &str) -> Option<(Option<u32>, Option<u32>)> {
        let listener = TcpListener::bind(at).ok()?;
        let theirs = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (ours, address) = listener.accept().unwrap();
        let users = TcpUsers::default();
        let open = users.user(ours.local_addr().unwrap(), address);
        drop(theirs);
        Some((open, users.user(ours.local_addr().unwrap(), address)))
    }

    #[test]
    fn the_user_of_a_connection_is_known_while_it_is_open() {
        let me = geteuid().as_raw();
        assert_eq!(users("127.0.0.1:0"), Some((Some(me), None)));
        // A machine may have no IPv6.
        if let Some(found) = users("[::1]:0") {
            assert_eq!(found, (Some(me), None));
        }
    }

    #[test]
    fn a_connection_that_does_not_exist_has_no_user() {
        let (ours, theirs) = ("127.0.0.1:1".parse().unwrap(), "127.0.0.1:2".parse().unwrap());
        assert_eq!(TcpUsers::default().user(ours, theirs), None);
    }
}
