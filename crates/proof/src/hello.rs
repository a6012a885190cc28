//! Hello: server and page show each other their keys, and agree on a bond.
//!
//! The server keeps nothing between its answer and the page's signature. It derives its ephemeral key from a secret of
//! its run and from the page's own hello, and derives it once more when the page comes back. So strangers who only
//! begin cost no memory.

use std::fmt;

use crate::fields::{derive, fields};
use crate::{Bond, Nonce, PrivateKey, PublicKey, Signature};

/// What a page sends first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The device's id, from signing in.
    pub device: String,
    /// The `host:port` in the page's address.
    pub authority: String,
    /// The page's ephemeral public key, for this hello alone.
    pub key: PublicKey,
    /// Its own random bytes.
    pub nonce: Nonce,
}

/// The server's answer. The page checks it before it signs anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The server's ephemeral public key, for this hello alone.
    pub key: PublicKey,
    /// When the server answered, on a clock of its own. It means nothing to the page.
    pub stamp: u64,
    /// The server's signature.
    pub signature: Signature,
}

/// A secret that a server makes when it starts, for its ephemeral keys.
#[derive(Clone)]
pub struct RunSecret([u8; 32]);

/// The answer was not signed with the key that the page knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotTheServer;

/// The server's side: its key, and the secret of its run.
#[derive(Clone, Debug)]
pub struct ServerSide {
    key: PrivateKey,
    run: RunSecret,
}

impl RunSecret {
    /// The secret with these random bytes.
    pub fn new(random: [u8; 32]) -> RunSecret {
        RunSecret(random)
    }
}

impl ServerSide {
    /// The side of the server with this key, in this run.
    pub fn new(key: PrivateKey, run: RunSecret) -> ServerSide {
        ServerSide { key, run }
    }

    /// The server's public key.
    pub fn public(&self) -> PublicKey {
        self.key.public()
    }

    /// Answers a hello. The caller has checked that the authority is one of the server's own.
    pub fn answer(&self, hello: &Hello, stamp: u64) -> Answer {
        let key = self.ephemeral(hello, stamp).public();
        let signature = self.key.sign(&hello.fields(BY_SERVER, &self.public(), &key, stamp));
        Answer { key, stamp, signature }
    }

    /// Checks the page's signature, and makes the bond. None if the device's key has not signed this very hello, with
    /// this server's answer to it.
    pub fn accept(
        &self,
        hello: &Hello,
        stamp: u64,
        device: &PublicKey,
        signature: &Signature,
    ) -> Option<Bond> {
        let ephemeral = self.ephemeral(hello, stamp);
        let (own, key) = (self.public(), ephemeral.public());
        device
            .has_signed(&hello.fields(BY_PAGE, &own, &key, stamp), signature)
            .then(|| bond(&ephemeral.agree(&hello.key), &hello.fields(TRANSCRIPT, &own, &key, stamp)))
    }

    fn ephemeral(&self, hello: &Hello, stamp: u64) -> PrivateKey {
        PrivateKey::derived(&self.run.0, &hello.opening("abide hello", stamp))
    }
}

const BY_SERVER: &str = "abide hello server";
const BY_PAGE: &str = "abide hello page";
const TRANSCRIPT: &str = "abide bond";

impl Hello {
    /// The page's side, after the server's answer: checks the answer with the server's key as the page knows it, signs
    /// with the device's key, and makes the bond. `ephemeral` is the private half of the hello's own key.
    ///
    /// # Errors
    ///
    /// When the server's key did not sign the answer to this hello. The page signs nothing then.
    pub fn finish(
        &self,
        ephemeral: &PrivateKey,
        server: &PublicKey,
        answer: &Answer,
        device: &PrivateKey,
    ) -> Result<(Signature, Bond), NotTheServer> {
        let Answer { key, stamp, signature } = answer;
        if !server.has_signed(&self.fields(BY_SERVER, server, key, *stamp), signature) {
            return Err(NotTheServer);
        }
        let signed = device.sign(&self.fields(BY_PAGE, server, key, *stamp));
        let transcript = self.fields(TRANSCRIPT, server, key, *stamp);
        Ok((signed, bond(&ephemeral.agree(key), &transcript)))
    }

    fn opening(&self, label: &str, stamp: u64) -> Vec<u8> {
        fields(
            label,
            &[
                self.authority.as_bytes(),
                self.device.as_bytes(),
                self.key.as_bytes(),
                &self.nonce,
                &stamp.to_be_bytes(),
            ],
        )
    }

    /// Everything that both sides have said, with the server's own key.
    fn fields(&self, label: &str, server: &PublicKey, key: &PublicKey, stamp: u64) -> Vec<u8> {
        fields(
            label,
            &[
                self.authority.as_bytes(),
                self.device.as_bytes(),
                server.as_bytes(),
                self.key.as_bytes(),
                &self.nonce,
                key.as_bytes(),
                &stamp.to_be_bytes(),
            ],
        )
    }
}

fn bond(shared: &[u8; 32], transcript: &[u8]) -> Bond {
    Bond::new(derive(shared, transcript, b"abide bond id"), derive(shared, transcript, b"abide bond key"))
}

impl fmt::Debug for RunSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunSecret(…)")
    }
}
