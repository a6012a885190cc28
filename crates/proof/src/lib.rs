//! How the server and a browser's page prove to each other who they are, before either tells the other anything
//! secret. `docs/api.md` describes the protocol.
//!
//! 1. *Signing in* ([`SignIn`]): page and server both know a one-time code. Each shows that it does, without sending
//!    it. Afterwards the server knows the page's public key, and the page the server's.
//! 2. *Hello* ([`Hello`]): the server signs first, then the page. Both have a [`Bond`] then: a key that only the two of
//!    them know, and only in memory.
//! 3. *Requests* ([`Request`]) and *sockets* ([`SocketChallenge`]) carry codes that only the bond's key can make.
//!
//! This crate makes and checks keys, texts and codes. It has no randomness, no clock and no sockets: the caller hands
//! it random bytes and stamps of time.

mod bond;
mod counts;
mod fields;
mod header;
mod hello;
mod keys;
mod sign_in;
mod text;

pub use bond::{Bond, BondId, Mac, Request, SocketChallenge};
pub use counts::Counts;
pub use header::{Claim, SCHEME};
pub use hello::{Answer, Hello, NotTheServer, RunSecret, ServerSide};
pub use keys::{PrivateKey, PublicKey, Signature};
pub use sign_in::{CodeId, CodeKey, SignIn};
pub use text::{bytes_of, text_of};

/// Random bytes that one side adds, so that nothing old fits again.
pub type Nonce = [u8; 32];

/// The SHA-256 of a body.
pub type BodyHash = [u8; 32];
