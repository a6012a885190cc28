//! Listening sockets that a service manager hands over.
//!
//! The service manager holds the port, also while no server runs. So no other program can listen there and take what
//! browsers send; connections wait for the next server. The protocol is systemd's: the variable `LISTEN_FDS` says how many
//! sockets there are, from descriptor 3 on, and `LISTEN_PID` for which process.

use std::collections::BTreeSet;
use std::net::{SocketAddr, TcpListener};

use listenfd::ListenFd;
use rustix::io::{FdFlags, fcntl_setfd};

use super::bind::{ListenError, Listening, listen, other_loopback};

impl Listening {
    /// The sockets that a service manager gave this process; `None` if there are none. Called before there are other
    /// threads, because it removes the two variables from our environment.
    ///
    /// # Errors
    ///
    /// When a socket does not listen for TCP connections, when other machines could reach one, when their ports differ, or
    /// when another program could listen at one of our names.
    pub fn given() -> Result<Option<Listening>, ListenError> {
        if !are_for_us() {
            return Ok(None);
        }
        let mut given = ListenFd::from_env();
        let count = given.len();
        let listeners: Vec<TcpListener> = (0..count)
            .map(|number| match given.take_tcp_listener(number) {
                Ok(Some(listener)) => ready(listener).map_err(|error| unfit(number, &error)),
                Ok(None) => Err(unfit(number, &"it was taken already")),
                Err(error) => Err(unfit(number, &error)),
            })
            .collect::<Result<_, _>>()?;
        if listeners.is_empty() { Ok(None) } else { Listening::of(listeners).map(Some) }
    }

    /// These sockets, of which the first one is the requested one.
    fn of(listeners: Vec<TcpListener>) -> Result<Listening, ListenError> {
        let mut bound = Vec::new();
        for (number, listener) in listeners.into_iter().enumerate() {
            let address = listener.local_addr().map_err(|error| unfit(number, &error))?;
            if !address.ip().is_loopback() {
                return Err(ListenError::BeyondLoopback(address));
            }
            bound.push((listener, address));
        }
        let ports: BTreeSet<u16> = bound.iter().map(|(_, address)| address.port()).collect();
        if ports.len() > 1 {
            return Err(ListenError::Given { reason: format!("their ports differ: {ports:?}") });
        }
        let addresses: Vec<SocketAddr> = bound.iter().map(|&(_, address)| address).collect();
        if let Some(missing) = addresses.iter().find_map(|address| unheld(*address, &addresses)) {
            let reason = format!(
                "none of them listens at {missing}, where another program could take what browsers send to our names; \
                 add `ListenStream={missing}` to the socket unit"
            );
            return Err(ListenError::Given { reason });
        }
        Ok(Listening::with(bound))
    }
}

/// Whether the variables speak of this process. Without `LISTEN_PID`, or with another process's, they were left by a
/// program that started ours, and the descriptors are not sockets for us.
fn are_for_us() -> bool {
    std::env::var("LISTEN_PID").is_ok_and(|process| process == std::process::id().to_string())
}

/// A host that we start must not hold the port, and waiting for a connection must not block.
fn ready(listener: TcpListener) -> std::io::Result<TcpListener> {
    fcntl_setfd(&listener, FdFlags::CLOEXEC)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// The address that browsers use for the same names as `held`, if none of `all` is it, and if this machine has it.
fn unheld(held: SocketAddr, all: &[SocketAddr]) -> Option<SocketAddr> {
    let other = SocketAddr::new(other_loopback(held.ip())?, held.port());
    // A machine without IPv6 has no such address, and then no program can listen there.
    let is_there = || !matches!(listen(other), Err(ListenError::Io { .. }));
    (!all.contains(&other) && is_there()).then_some(other)
}

fn unfit(number: usize, why: &dyn std::fmt::Display) -> ListenError {
    ListenError::Given { reason: format!("number {} cannot be used: {why}", number + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listener(address: &str) -> TcpListener {
        TcpListener::bind(address).unwrap()
    }

    #[test]
    fn s7_given_sockets_that_other_machines_reach_are_refused() {
        let refused = Listening::of(vec![listener("127.0.0.1:0"), listener("0.0.0.0:0")]);
        assert!(matches!(refused, Err(ListenError::BeyondLoopback(_))), "{refused:?}");
    }

    #[test]
    fn given_sockets_have_one_port() {
        let refused = Listening::of(vec![listener("127.0.0.2:0"), listener("127.0.0.2:0")]);
        assert!(
            matches!(&refused, Err(ListenError::Given { reason }) if reason.contains("differ")),
            "{refused:?}"
        );
        let one = listener("127.0.0.2:0");
        let address = one.local_addr().unwrap();
        assert_eq!(Listening::of(vec![one]).unwrap().addresses(), [address]);
    }

    #[test]
    fn s18_given_sockets_leave_none_of_our_names_to_another_program() {
        if TcpListener::bind("[::1]:0").is_err() {
            return testkit::skip("this machine has no IPv6 loopback");
        }
        let (four, six) = both();
        let port = four.local_addr().unwrap().port();
        let refused = Listening::of(vec![four.try_clone().unwrap()]).unwrap_err().to_string();
        assert!(refused.contains(&format!("`ListenStream=[::1]:{port}`")), "{refused}");
        let refused = Listening::of(vec![six.try_clone().unwrap()]).unwrap_err().to_string();
        assert!(refused.contains(&format!("`ListenStream=127.0.0.1:{port}`")), "{refused}");
        Listening::of(vec![six, four]).expect("all our names lead to us");
    }

    /// One port at both addresses.
    fn both() -> (TcpListener, TcpListener) {
        let found = (0..32).find_map(|_| {
            let four = listener("127.0.0.1:0");
            let six = TcpListener::bind(("::1", four.local_addr().ok()?.port())).ok()?;
            Some((four, six))
        });
        found.expect("a port is free at both addresses")
    }
}
