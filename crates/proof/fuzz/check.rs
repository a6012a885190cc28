//! Laws for foreign bytes, for tests and for the fuzzer.

use proof::{
    Bond, Claim, Hello, PrivateKey, PublicKey, RunSecret, SCHEME, ServerSide, Signature, bytes_of, text_of,
};

/// A text is no claim, or the only text of a claim.
pub(crate) fn a_text_is_read_as_it_is_written(text: &str) {
    if let Some(claim) = Claim::read(text) {
        assert_eq!(claim.write(), format!("{SCHEME} {text}"));
    }
    if let Some(bytes) = bytes_of::<32>(text) {
        assert_eq!(text_of(&bytes), text);
    }
}

/// Bytes of a stranger, as a key, a signature and a hello: nothing panics, and no stranger's signature is accepted.
pub(crate) fn foreign_bytes_are_judged(bytes: &[u8]) {
    if let Ok(text) = str::from_utf8(bytes) {
        a_text_is_read_as_it_is_written(text);
    }
    let Some(key) = bytes.get(..PublicKey::BYTES).and_then(PublicKey::from_bytes) else { return };
    let rest = &bytes[PublicKey::BYTES..];
    let Some(signature) = rest.get(..Signature::BYTES).and_then(|bytes| bytes.try_into().ok()) else {
        return;
    };
    let own = |byte| PrivateKey::from_bytes(&[byte; 32]).expect("a valid key");
    let server = ServerSide::new(own(1), RunSecret::new([2; 32]));
    let authority = String::from_utf8_lossy(&rest[Signature::BYTES..]).into_owned();
    let hello = Hello { device: String::new(), authority, key, nonce: [3; 32] };
    let answer = server.answer(&hello, 4);
    let bond: Option<Bond> =
        server.accept(&hello, answer.stamp, &own(5).public(), &Signature::from_bytes(signature));
    assert!(bond.is_none(), "the device's key has signed nothing");
}
