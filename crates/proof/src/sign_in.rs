//! Signing in: a page registers its public key with a one-time code that never leaves either side.

use std::fmt;

use subtle::ConstantTimeEq;

use crate::fields::{derive, fields, hmac};
use crate::{Mac, Nonce, PublicKey};

/// The name of a code: it tells the server which one is meant, and nothing about the code.
pub type CodeId = [u8; 16];

/// What both sides make of a one-time code. The code has a hundred random bits, so that it cannot be guessed from its
/// name or from the codes made with it.
#[derive(Clone)]
pub struct CodeKey {
    id: CodeId,
    key: [u8; 32],
}

/// What a page sends to sign in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignIn {
    /// Which code it has.
    pub code: CodeId,
    /// Its public key, the device's from then on.
    pub key: PublicKey,
    /// Its own random bytes.
    pub nonce: Nonce,
    /// The `host:port` in the page's address.
    pub authority: String,
}

impl CodeKey {
    /// The key of a code.
    pub fn of(code: &str) -> CodeKey {
        CodeKey {
            id: derive(code.as_bytes(), &[], b"abide code id"),
            key: derive(code.as_bytes(), &[], b"abide code key"),
        }
    }

    /// The code's name.
    pub fn id(&self) -> &CodeId {
        &self.id
    }

    /// Shows that the page knows the code.
    pub fn by_page(&self, sign_in: &SignIn) -> Mac {
        hmac(&self.key, &sign_in.fields("abide sign-in page", &[]))
    }

    /// Shows that the server knows it too, and tells the page the server's key and the device's id.
    pub fn by_server(&self, sign_in: &SignIn, server: &PublicKey, device: &str) -> Mac {
        hmac(&self.key, &sign_in.fields("abide sign-in server", &[server.as_bytes(), device.as_bytes()]))
    }

    /// Whether a page has shown that it knows the code.
    pub fn is_by_page(&self, sign_in: &SignIn, mac: &Mac) -> bool {
        self.by_page(sign_in).ct_eq(mac).into()
    }
}

impl SignIn {
    fn fields(&self, label: &str, more: &[&[u8]]) -> Vec<u8> {
        let parts: [&[u8]; 4] = [self.authority.as_bytes(), &self.code, self.key.as_bytes(), &self.nonce];
        fields(label, &[&parts[..], more].concat())
    }
}

impl fmt::Debug for CodeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CodeKey({})", crate::text_of(&self.id))
    }
}
