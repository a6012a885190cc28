//! The addresses that the server listens at.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::os::unix::net::UnixListener;

use rustix::io::Errno;
use thiserror::Error;

use super::{Doors, Limits};
use crate::gate::Names;

/// How many ports are tried. A port that is free at one address may be in use at the other.
const PORT_TRIES: u32 = 32;

/// Why the server cannot listen.
#[derive(Debug, Error)]
pub enum ListenError {
    /// The text is not an address and a port.
    #[error("`{0}` is not an address and a port, such as 127.0.0.1:7000")]
    NotAnAddress(String),
    /// Other machines could reach the address.
    #[error(
        "{0} can be reached from other machines; abide listens on this machine only (127.0.0.1 or [::1]) until it \
         has users and encryption, which come later"
    )]
    BeyondLoopback(SocketAddr),
    /// Another program listens there.
    #[error("another program listens at {0}; choose another port with --listen, or 0 for any free one")]
    Taken(SocketAddr),
    /// The sockets that a service manager hands over cannot be used.
    #[error("the service manager hands over sockets that abide cannot use: {reason}")]
    Given {
        /// Why not.
        reason: String,
    },
    /// The system refuses.
    #[error("cannot listen at {address}")]
    Io {
        /// The address.
        address: SocketAddr,
        /// The reason.
        source: io::Error,
    },
}

/// The listening sockets.
#[derive(Debug)]
pub struct Listening {
    /// The first is the requested one.
    listeners: Vec<(TcpListener, SocketAddr)>,
    /// For programs of the user that the server runs as.
    socket: Option<UnixListener>,
}

/// Parses an address: `127.0.0.1:7000`, `[::1]:7000` or `localhost:7000`.
///
/// # Errors
///
/// When the text is not an address and a port, or when other machines could reach it.
pub fn parse_address(text: &str) -> Result<SocketAddr, ListenError> {
    let local = text.strip_prefix("localhost:").map(|port| format!("{}:{port}", Ipv4Addr::LOCALHOST));
    let address: SocketAddr = local
        .as_deref()
        .unwrap_or(text)
        .parse()
        .map_err(|_| ListenError::NotAnAddress(model::display_safe(text)))?;
    on_loopback(address)?;
    Ok(address)
}

/// The addresses at which a server that listens at one should listen, so that all names lead browsers to it. The first is
/// the given one. See [`Listening::at`].
pub fn browsers_addresses(address: SocketAddr) -> Vec<SocketAddr> {
    let other = other_loopback(address.ip()).map(|ip| SocketAddr::new(ip, address.port()));
    [Some(address), other].into_iter().flatten().collect()
}

impl Listening {
    /// Listens at an address. Port 0 means any free port.
    ///
    /// Browsers resolve `localhost` and the names below it to 127.0.0.1 or to `::1`. So for either of the two, the
    /// server listens at both. Otherwise another program could listen at the other one, and a browser would send it our
    /// page's secrets.
    ///
    /// # Errors
    ///
    /// When other machines could reach the address, or when listening fails.
    pub fn at(address: SocketAddr) -> Result<Listening, ListenError> {
        on_loopback(address)?;
        let Some(other) = other_loopback(address.ip()) else {
            return Ok(Listening::with(vec![listen(address)?]));
        };
        for _ in 0..PORT_TRIES {
            let first = listen(address)?;
            match listen(SocketAddr::new(other, first.1.port())) {
                Ok(second) => return Ok(Listening::with(vec![first, second])),
                Err(ListenError::Io { .. }) => return Ok(Listening::with(vec![first])),
                Err(_) if address.port() == 0 => {}
                Err(taken) => return Err(taken),
            }
        }
        Err(ListenError::Taken(address))
    }

    /// Sockets that listen already, with their addresses. There is at least one, and all have the same port.
    pub(super) fn with(listeners: Vec<(TcpListener, SocketAddr)>) -> Listening {
        Listening { listeners, socket: None }
    }

    /// The same, and a Unix socket that only the user that the server runs as can reach.
    #[must_use]
    pub fn and_socket(self, socket: UnixListener) -> Listening {
        Listening { socket: Some(socket), ..self }
    }

    /// The addresses that we listen at. The first is the requested one.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.listeners.iter().map(|&(_, address)| address).collect()
    }

    /// The server's names at these addresses.
    pub fn names(&self) -> Names {
        Names::of(&self.addresses())
    }

    /// The server's address for programs, without the page's name, which many programs cannot resolve.
    pub fn url(&self) -> String {
        format!("http://{}", self.listeners[0].1)
    }

    /// Makes the doors, which accept connections. Must be called inside the runtime.
    ///
    /// # Errors
    ///
    /// When the runtime cannot register the sockets.
    pub fn doors(self, limits: Limits) -> io::Result<Doors> {
        Doors::new(self.listeners.into_iter().map(|(listener, _)| listener), self.socket, limits)
    }
}

fn on_loopback(address: SocketAddr) -> Result<(), ListenError> {
    if address.ip().is_loopback() { Ok(()) } else { Err(ListenError::BeyondLoopback(address)) }
}

/// The other address that browsers use for the same names.
pub(super) fn other_loopback(ip: IpAddr) -> Option<IpAddr> {
    match ip {
        IpAddr::V4(Ipv4Addr::LOCALHOST) => Some(Ipv6Addr::LOCALHOST.into()),
        IpAddr::V6(Ipv6Addr::LOCALHOST) => Some(Ipv4Addr::LOCALHOST.into()),
        _ => None,
    }
}

pub(super) fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), ListenError> {
    let io = |source: io::Error| match Errno::from_io_error(&source) {
        Some(Errno::ADDRINUSE) => ListenError::Taken(address),
        _ => ListenError::Io { address, source },
    };
    // The standard library opens it with close-on-exec, so a host that we start does not hold the port.
    let listener = TcpListener::bind(address).map_err(io)?;
    listener.set_nonblocking(true).map_err(io)?;
    let address = listener.local_addr().map_err(io)?;
    Ok((listener, address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s7_the_server_listens_only_on_loopback() {
        for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80", "[2001:db8::1]:80"] {
            let refused = parse_address(address);
            assert!(matches!(refused, Err(ListenError::BeyondLoopback(_))), "{refused:?}");
            let refused = Listening::at(address.parse().unwrap());
            assert!(matches!(refused, Err(ListenError::BeyondLoopback(_))), "{refused:?}");
        }
        for text in ["", "127.0.0.1", "here:80", "localhost:http", "127.0.0.1:70000"] {
            let refused = parse_address(text);
            assert!(matches!(refused, Err(ListenError::NotAnAddress(_))), "{refused:?}");
        }
        assert_eq!(parse_address("localhost:7000").unwrap().to_string(), "127.0.0.1:7000");
    }

    #[test]
    fn the_error_names_a_port_that_is_in_use() {
        let first = Listening::at("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = first.addresses()[0];
        assert_ne!(address.port(), 0);
        let second = Listening::at(address);
        assert!(matches!(second, Err(ListenError::Taken(taken)) if taken == address), "{second:?}");
        drop(first);
        Listening::at(address).expect("the port is free again at once");
    }

    #[test]
    fn our_names_never_lead_to_another_program() {
        let Ok(foreign) = TcpListener::bind("[::1]:0") else {
            return testkit::skip("this machine has no IPv6 loopback");
        };
        let port = foreign.local_addr().unwrap().port();
        let refused = Listening::at(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port));
        assert!(matches!(refused, Err(ListenError::Taken(_))), "{refused:?}");
        let other = Listening::at(SocketAddr::new(Ipv4Addr::new(127, 0, 0, 2).into(), port)).unwrap();
        assert!(!other.names().is_host(format!("localhost:{port}").as_bytes()));
        let any = Listening::at("127.0.0.1:0".parse().unwrap()).unwrap();
        assert_eq!(any.addresses().len(), 2);
    }
}
