//! The bytes that are signed.

use hkdf::Hkdf;
use hmac::{Hmac, Mac as _};
use sha2::Sha256;

/// A label and some fields, each with its length before it. So two different lists never give the same bytes, and a
/// signature made for one purpose fits no other.
pub(crate) fn fields(label: &str, parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in std::iter::once(&label.as_bytes()).chain(parts) {
        let length = u32::try_from(part.len()).expect("fields are short");
        bytes.extend(length.to_be_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}

/// HMAC with SHA-256.
pub(crate) fn hmac(key: &[u8], bytes: &[u8]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(bytes);
    mac.finalize().into_bytes().into()
}

/// HKDF with SHA-256.
pub(crate) fn derive<const N: usize>(secret: &[u8], salt: &[u8], info: &[u8]) -> [u8; N] {
    let mut key = [0; N];
    Hkdf::<Sha256>::new(Some(salt), secret)
        .expand(info, &mut key)
        .expect("our keys are short enough for HKDF");
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_told_apart() {
        assert_eq!(fields("a", &[b"bc", b""]), b"\0\0\0\x01a\0\0\0\x02bc\0\0\0\0");
        assert_ne!(fields("a", &[b"b", b"c"]), fields("a", &[b"bc"]));
        assert_ne!(fields("a", &[b"b", b"c"]), fields("ab", &[b"c"]));
    }
}
