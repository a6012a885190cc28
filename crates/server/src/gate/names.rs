//! What we are called: the only values of `Host` and `Origin` that we answer to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The name that the page lives under, so that other servers of this machine are other origins for a browser.
const PAGE_NAME: &str = "abide.localhost";

/// Browsers leave it out.
const HTTP_PORT: u16 = 80;

/// Our `name:port` values. They are compared byte for byte: browsers send names in lower case, and nobody else has a
/// reason to spell them otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The first is the page's.
    authorities: Vec<String>,
}

impl Names {
    /// The names of a server that listens at these addresses, all with the same port.
    ///
    /// Names that lead to 127.0.0.1 are ours only if that address is: otherwise they are somebody else's.
    pub fn of(addresses: &[SocketAddr]) -> Names {
        let mut authorities = Vec::new();
        let mut add = |name: &str, port: u16| {
            if port == HTTP_PORT {
                authorities.push(name.to_owned());
            }
            authorities.push(format!("{name}:{port}"));
        };
        let named = |address: &&SocketAddr| {
            [IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()].contains(&address.ip())
        };
        if let Some(loopback) = addresses.iter().find(named) {
            add(PAGE_NAME, loopback.port());
            add("localhost", loopback.port());
        }
        for address in addresses {
            match address.ip() {
                IpAddr::V4(ip) => add(&ip.to_string(), address.port()),
                IpAddr::V6(ip) => add(&format!("[{ip}]"), address.port()),
            }
        }
        Names { authorities }
    }

    /// Whether a `Host` is ours.
    pub fn is_host(&self, host: &[u8]) -> bool {
        self.authorities.iter().any(|ours| ours.as_bytes() == host)
    }

    /// Whether an `Origin` is ours.
    pub fn is_origin(&self, origin: &[u8]) -> bool {
        origin.strip_prefix(b"http://").is_some_and(|authority| self.is_host(authority))
    }

    /// Where a browser finds the page.
    pub fn page_url(&self) -> String {
        let first = self.authorities.first().expect("a server listens somewhere");
        format!("http://{first}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(addresses: &[&str]) -> Names {
        let addresses: Vec<SocketAddr> = addresses.iter().map(|text| text.parse().unwrap()).collect();
        Names::of(&addresses)
    }

    #[test]
    fn s2_names_are_ours_with_our_port_only() {
        let ours = names(&["127.0.0.1:7000", "[::1]:7000"]);
        for host in ["abide.localhost:7000", "localhost:7000", "127.0.0.1:7000", "[::1]:7000"] {
            assert!(ours.is_host(host.as_bytes()), "{host}");
            assert!(ours.is_origin(format!("http://{host}").as_bytes()), "{host}");
        }
        for host in [
            "",
            "localhost",
            "localhost:7001",
            "localhost:07000",
            "LOCALHOST:7000",
            "localhost.:7000",
            "localhost:7000 ",
            " localhost:7000",
            "localhost:7000,localhost:7000",
            "evil.localhost:7000",
            "abide.localhost.evil.example:7000",
            "user@localhost:7000",
            "127.0.0.1.nip.example:7000",
            "2130706433:7000",
            "127.1:7000",
            "[0:0:0:0:0:0:0:1]:7000",
            "[::ffff:127.0.0.1]:7000",
        ] {
            assert!(!ours.is_host(host.as_bytes()), "{host}");
        }
        for origin in
            ["null", "http://", "https://localhost:7000", "HTTP://localhost:7000", "http://localhost:7000/"]
        {
            assert!(!ours.is_origin(origin.as_bytes()), "{origin}");
        }
    }

    #[test]
    fn names_that_lead_elsewhere_are_not_ours() {
        let ours = names(&["127.0.0.2:7000"]);
        assert!(ours.is_host(b"127.0.0.2:7000"));
        assert!(!ours.is_host(b"localhost:7000") && !ours.is_host(b"127.0.0.1:7000"));
        assert_eq!(ours.page_url(), "http://127.0.0.2:7000");
    }

    #[test]
    fn the_port_that_browsers_leave_out_may_be_left_out() {
        let ours = names(&["127.0.0.1:80"]);
        assert!(ours.is_host(b"localhost") && ours.is_host(b"localhost:80"));
        assert!(ours.is_origin(b"http://abide.localhost"));
        assert_eq!(ours.page_url(), "http://abide.localhost");
    }

    /// Strings near to ours: cut, doubled, joined, with letters changed.
    fn near() -> impl Strategy<Value = Vec<u8>> {
        let ours = prop::sample::select(vec![
            "abide.localhost:7000",
            "localhost:7000",
            "127.0.0.1:7000",
            "http://abide.localhost:7000",
            "http://localhost:7000",
        ]);
        let noise = prop::collection::vec(any::<u8>(), 0..3);
        (ours, any::<prop::sample::Index>(), 0..3_usize, noise).prop_map(|(ours, at, cut, noise)| {
            let mut bytes = ours.as_bytes().to_vec();
            let at = at.index(bytes.len() + 1);
            let end = (at + cut).min(bytes.len());
            bytes.splice(at..end, noise);
            bytes
        })
    }

    proptest! {
        #[test]
        fn s2_s3_nothing_but_the_exact_strings_passes(
            text in prop_oneof![near(), prop::collection::vec(any::<u8>(), 0..40)]
        ) {
            let ours = names(&["127.0.0.1:7000"]);
            let exact = [&b"abide.localhost:7000"[..], b"localhost:7000", b"127.0.0.1:7000"];
            prop_assert_eq!(ours.is_host(&text), exact.contains(&text.as_slice()));
            let origins = exact.map(|host| [b"http://", host].concat());
            prop_assert_eq!(ours.is_origin(&text), origins.contains(&text));
        }
    }
}
