//! The server's names: the only values of `Host` and `Origin` that it accepts.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The host name of the page. For a browser, other servers on this machine have other origins.
const PAGE_NAME: &str = "abide.localhost";

/// The default port of HTTP. Browsers omit it.
const HTTP_PORT: u16 = 80;

/// Our `name:port` values. They are compared byte for byte, because browsers send names in lower case and our own
/// programs use exactly these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The first one is in the page's address.
    authorities: Vec<String>,
}

impl Names {
    /// The names of a server that listens at these addresses, all with the same port.
    ///
    /// The names of 127.0.0.1 belong to us only if we listen at that address. Otherwise another program may listen
    /// there.
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

    /// The page's address.
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
    fn names_of_other_addresses_are_not_ours() {
        let ours = names(&["127.0.0.2:7000"]);
        assert!(ours.is_host(b"127.0.0.2:7000"));
        assert!(!ours.is_host(b"localhost:7000") && !ours.is_host(b"127.0.0.1:7000"));
        assert_eq!(ours.page_url(), "http://127.0.0.2:7000");
    }

    #[test]
    fn a_name_without_the_default_port_is_accepted() {
        let ours = names(&["127.0.0.1:80"]);
        assert!(ours.is_host(b"localhost") && ours.is_host(b"localhost:80"));
        assert!(ours.is_origin(b"http://abide.localhost"));
        assert_eq!(ours.page_url(), "http://abide.localhost");
    }

    /// Strings that are similar to our names: cut, doubled, joined, or with changed letters.
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
