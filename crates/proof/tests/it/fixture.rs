//! A whole conversation in a file. The web UI's tests read the same file, so that both sides agree on every byte.

use std::path::Path;

use proof::{Claim, CodeKey, PrivateKey, Request, SocketChallenge, text_of};
use serde_json::{Value, json};

use crate::conversation::{AUTHORITY, CODE, Conversation, DEVICE, STAMP, conversation, key};

/// The SHA-256 of `{"a":1}`.
const BODY: [u8; 32] = [
    0x01, 0x5a, 0xbd, 0x7f, 0x5c, 0xc5, 0x7a, 0x2d, 0xd9, 0x4b, 0x75, 0x90, 0xf0, 0x4a, 0xd8, 0x08, 0x42,
    0x73, 0x90, 0x5e, 0xe3, 0x3e, 0xc5, 0xce, 0xbe, 0xae, 0x62, 0x27, 0x6a, 0x97, 0xf8, 0x62,
];

fn pair(key: &PrivateKey) -> Value {
    json!({"private": text_of(&key.to_bytes()), "public": text_of(key.public().as_bytes())})
}

fn written() -> Value {
    let Conversation { server, device, ephemeral, sign_in, hello, answer, signature, bond } = conversation();
    let code = CodeKey::of(CODE);
    let request =
        Request { count: 7, method: "POST", target: "/api/tasks?a=1", kind: "application/json", body: &BODY };
    let mac = bond.request(&request);
    let claim = Claim { bond: *bond.id(), count: request.count, body: BODY, mac };
    let challenge =
        SocketChallenge { target: "/ws/dashboard?since=3", by_server: &[7; 32], by_page: &[8; 32] };
    json!({
        "authority": AUTHORITY,
        "device": DEVICE,
        "keys": {"server": pair(&key(1)), "device": pair(&device), "ephemeral": pair(&ephemeral)},
        "signIn": {
            "code": CODE,
            "id": text_of(code.id()),
            "nonce": text_of(&sign_in.nonce),
            "byPage": text_of(&code.by_page(&sign_in)),
            "byServer": text_of(&code.by_server(&sign_in, &server.public(), DEVICE)),
        },
        "hello": {
            "nonce": text_of(&hello.nonce),
            "serverKey": text_of(answer.key.as_bytes()),
            "stamp": STAMP,
            "byServer": text_of(answer.signature.as_bytes()),
            "byPage": text_of(signature.as_bytes()),
            "bond": text_of(bond.id()),
            "opened": text_of(&bond.opened()),
        },
        "request": {
            "count": request.count,
            "method": request.method,
            "target": request.target,
            "kind": request.kind,
            "body": "{\"a\":1}",
            "authorization": claim.write(),
            "status": 201,
            "answer": text_of(&bond.answer(request.count, 201)),
        },
        "socket": {
            "target": challenge.target,
            "byServer": text_of(challenge.by_server),
            "byPage": text_of(challenge.by_page),
            "pageMac": text_of(&bond.socket_by_page(&challenge)),
            "serverMac": text_of(&bond.socket_by_server(&challenge)),
        },
    })
}

#[test]
fn the_fixture_of_a_conversation_is_that_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/conversation.json");
    let text = format!("{:#}\n", written());
    if std::env::var_os("ABIDE_UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(&path).unwrap_or_default(),
        text,
        "fixtures/conversation.json is not that of the code; if the change is meant, write it again with \
         `ABIDE_UPDATE=1 cargo test -p proof fixture`, and run the web's tests"
    );
}
