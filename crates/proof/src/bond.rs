//! A bond: what a page and the server share after a hello.

use std::fmt;

use subtle::ConstantTimeEq;

use crate::fields::{fields, hmac};
use crate::{BodyHash, Nonce};

/// A bond's name. It is sent with every request, and is no secret.
pub type BondId = [u8; 16];

/// A code that only the two ends of a bond can make.
pub type Mac = [u8; 32];

/// A key that one page and the server have in memory, and its name.
#[derive(Clone)]
pub struct Bond {
    id: BondId,
    key: [u8; 32],
}

/// What a request is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The number of the request in its bond. Each is used once.
    pub count: u64,
    /// The method.
    pub method: &'a str,
    /// The path with the query.
    pub target: &'a str,
    /// The content type; empty if there is none.
    pub kind: &'a str,
    /// The hash of the body, also of an empty one.
    pub body: &'a BodyHash,
}

/// What a socket's proof is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketChallenge<'a> {
    /// The path with the query.
    pub target: &'a str,
    /// The server's random bytes, its first message.
    pub by_server: &'a Nonce,
    /// The page's own.
    pub by_page: &'a Nonce,
}

impl Bond {
    pub(crate) fn new(id: BondId, key: [u8; 32]) -> Bond {
        Bond { id, key }
    }

    /// The bond's name.
    pub fn id(&self) -> &BondId {
        &self.id
    }

    /// With this the server ends a hello.
    pub fn opened(&self) -> Mac {
        self.mac("abide bond opened", &[])
    }

    /// With this the page binds a request.
    pub fn request(&self, request: &Request<'_>) -> Mac {
        let Request { count, method, target, kind, body } = request;
        let parts: [&[u8]; 5] =
            [&count.to_be_bytes(), method.as_bytes(), target.as_bytes(), kind.as_bytes(), &body[..]];
        self.mac("abide request", &parts)
    }

    /// With this the server binds its answer to a request.
    pub fn answer(&self, count: u64, status: u16) -> Mac {
        self.mac("abide answer", &[&count.to_be_bytes(), &status.to_be_bytes()])
    }

    /// With this the page answers a socket's challenge.
    pub fn socket_by_page(&self, challenge: &SocketChallenge<'_>) -> Mac {
        self.socket("abide socket page", challenge)
    }

    /// With this the server answers the page's.
    pub fn socket_by_server(&self, challenge: &SocketChallenge<'_>) -> Mac {
        self.socket("abide socket server", challenge)
    }

    /// Whether the page has bound this request.
    pub fn is_request(&self, request: &Request<'_>, mac: &Mac) -> bool {
        self.request(request).ct_eq(mac).into()
    }

    /// Whether the page has answered this challenge.
    pub fn is_socket_by_page(&self, challenge: &SocketChallenge<'_>, mac: &Mac) -> bool {
        self.socket_by_page(challenge).ct_eq(mac).into()
    }

    fn socket(&self, label: &str, challenge: &SocketChallenge<'_>) -> Mac {
        let SocketChallenge { target, by_server, by_page } = challenge;
        self.mac(label, &[target.as_bytes(), &by_server[..], &by_page[..]])
    }

    fn mac(&self, label: &str, parts: &[&[u8]]) -> Mac {
        hmac(&self.key, &fields(label, &[&[&self.id[..]], parts].concat()))
    }
}

impl fmt::Debug for Bond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bond({})", crate::text_of(&self.id))
    }
}
