//! Keys: ECDSA and ECDH with P-256, the one curve that every browser's WebCrypto has.

use std::fmt;

use p256::ecdsa::signature::{Signer, Verifier};
use p256::ecdsa::{SigningKey, VerifyingKey};
use p256::elliptic_curve::sec1::ToEncodedPoint;

use crate::fields::{derive, fields};

/// A private key, to sign or to agree on a secret.
#[derive(Clone)]
pub struct PrivateKey(p256::SecretKey);

/// A public key: a point of the curve, as WebCrypto writes a raw key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey([u8; PublicKey::BYTES]);

/// A signature, as WebCrypto writes it: r and s.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Signature([u8; Signature::BYTES]);

impl PrivateKey {
    /// The key with these 32 bytes. None for zero and for the few numbers that are too large.
    pub fn from_bytes(bytes: &[u8; 32]) -> Option<PrivateKey> {
        p256::SecretKey::from_slice(bytes).ok().map(PrivateKey)
    }

    /// The key that a secret gives for a purpose: always the same one.
    pub(crate) fn derived(secret: &[u8; 32], purpose: &[u8]) -> PrivateKey {
        // The first number is a valid key but for one case in four thousand million.
        (0_u8..=255)
            .find_map(|turn| {
                let info = fields("abide ephemeral key", &[purpose, &[turn]]);
                PrivateKey::from_bytes(&derive::<32>(secret, &[], &info))
            })
            .expect("one of 256 numbers is a valid key")
    }

    /// The bytes of the key, to keep them in a private file.
    pub fn to_bytes(&self) -> [u8; 32] {
        self.0.to_bytes().into()
    }

    /// The public key that belongs to it.
    pub fn public(&self) -> PublicKey {
        let point = self.0.public_key().to_encoded_point(false);
        PublicKey(point.as_bytes().try_into().expect("an uncompressed point has 65 bytes"))
    }

    /// Signs bytes.
    pub fn sign(&self, bytes: &[u8]) -> Signature {
        let signature: p256::ecdsa::Signature = SigningKey::from(&self.0).sign(bytes);
        Signature(signature.to_bytes().into())
    }

    /// The secret that this key and another public key have in common.
    pub(crate) fn agree(&self, with: &PublicKey) -> [u8; 32] {
        let point = p256::PublicKey::from_sec1_bytes(&with.0).expect("a public key is a point of the curve");
        let shared = p256::ecdh::diffie_hellman(self.0.to_nonzero_scalar(), point.as_affine());
        (*shared.raw_secret_bytes()).into()
    }
}

impl PublicKey {
    /// How many bytes it has: a mark and two coordinates.
    pub const BYTES: usize = 65;

    /// The key with these bytes. None if they are not a point of the curve in its long form.
    pub fn from_bytes(bytes: &[u8]) -> Option<PublicKey> {
        let bytes: [u8; PublicKey::BYTES] = bytes.try_into().ok()?;
        p256::PublicKey::from_sec1_bytes(&bytes).ok()?;
        Some(PublicKey(bytes))
    }

    /// The bytes of the key.
    pub fn as_bytes(&self) -> &[u8; PublicKey::BYTES] {
        &self.0
    }

    /// Whether this key's private half signed these bytes.
    pub fn has_signed(&self, bytes: &[u8], signature: &Signature) -> bool {
        let key = VerifyingKey::from_sec1_bytes(&self.0);
        let signature = p256::ecdsa::Signature::from_slice(&signature.0);
        key.ok().zip(signature.ok()).is_some_and(|(key, signature)| key.verify(bytes, &signature).is_ok())
    }
}

impl Signature {
    /// How many bytes it has.
    pub const BYTES: usize = 64;

    /// Any bytes. Whether they are a signature shows when they are checked.
    pub fn from_bytes(bytes: [u8; Signature::BYTES]) -> Signature {
        Signature(bytes)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; Signature::BYTES] {
        &self.0
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(…)")
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", crate::text_of(&self.0[1..7]))
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signature({})", crate::text_of(&self.0[..6]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_points_of_the_curve_are_public_keys() {
        let key = PrivateKey::from_bytes(&[7; 32]).unwrap().public();
        assert_eq!(PublicKey::from_bytes(key.as_bytes()), Some(key));
        let mut off = *key.as_bytes();
        off[64] ^= 1;
        assert_eq!(PublicKey::from_bytes(&off), None);
        assert_eq!(PublicKey::from_bytes(&[0]), None, "the point at infinity");
        assert_eq!(PublicKey::from_bytes(&[0; 65]), None);
        let mut short = key.as_bytes()[..33].to_vec();
        short[0] = 2;
        assert_eq!(PublicKey::from_bytes(&short), None, "the short form");
        assert!(PrivateKey::from_bytes(&[0; 32]).is_none() && PrivateKey::from_bytes(&[0xff; 32]).is_none());
    }

    #[test]
    fn s6_debug_output_does_not_contain_a_private_key() {
        let key = PrivateKey::from_bytes(&[7; 32]).unwrap();
        assert_eq!(format!("{key:?}"), "PrivateKey(…)");
    }
}
