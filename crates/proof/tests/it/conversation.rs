//! A whole conversation, with chosen random bytes.

use proof::{Answer, Bond, CodeKey, Hello, PrivateKey, RunSecret, ServerSide, SignIn, Signature};

pub(crate) const CODE: &str = "0fkq7m3zx9c2hv5rtw8n";
pub(crate) const AUTHORITY: &str = "abide.localhost:7433";
pub(crate) const DEVICE: &str = "qpqzdtks";
pub(crate) const STAMP: u64 = 1_234_567;

pub(crate) fn key(byte: u8) -> PrivateKey {
    PrivateKey::from_bytes(&[byte; 32]).unwrap()
}

/// The keys of both sides, and what they have said.
pub(crate) struct Conversation {
    pub(crate) server: ServerSide,
    pub(crate) device: PrivateKey,
    pub(crate) ephemeral: PrivateKey,
    pub(crate) sign_in: SignIn,
    pub(crate) hello: Hello,
    pub(crate) answer: Answer,
    pub(crate) signature: Signature,
    /// The page's bond.
    pub(crate) bond: Bond,
}

pub(crate) fn conversation() -> Conversation {
    let server = ServerSide::new(key(1), RunSecret::new([2; 32]));
    let (device, ephemeral) = (key(3), key(4));
    let sign_in = SignIn {
        code: *CodeKey::of(CODE).id(),
        key: device.public(),
        nonce: [5; 32],
        authority: AUTHORITY.to_owned(),
    };
    let hello = Hello {
        device: DEVICE.to_owned(),
        authority: AUTHORITY.to_owned(),
        key: ephemeral.public(),
        nonce: [6; 32],
    };
    let answer = server.answer(&hello, STAMP);
    let (signature, bond) = hello.finish(&ephemeral, &server.public(), &answer, &device).unwrap();
    Conversation { server, device, ephemeral, sign_in, hello, answer, signature, bond }
}
