//! What holds for every conversation.

use proof::{
    Answer, CodeKey, Hello, NotTheServer, PrivateKey, Request, RunSecret, ServerSide, SignIn, Signature,
    SocketChallenge,
};
use proptest::prelude::*;

use crate::conversation::{CODE, Conversation, STAMP, conversation, key};

#[test]
fn s18_both_sides_have_the_same_bond_after_a_hello() {
    let Conversation { server, device, hello, signature, bond, .. } = conversation();
    let made = server.accept(&hello, STAMP, &device.public(), &signature).unwrap();
    assert_eq!((made.id(), made.opened()), (bond.id(), bond.opened()));
}

#[test]
fn s18_an_impostor_gets_no_signature_from_the_page() {
    let Conversation { server, device, ephemeral, hello, answer, .. } = conversation();
    let impostor = ServerSide::new(key(9), RunSecret::new([2; 32]));
    let finish = |hello: &Hello, answer: &Answer| {
        hello.finish(&ephemeral, &server.public(), answer, &device).map(|_| ())
    };
    assert_eq!(finish(&hello, &answer), Ok(()));
    assert_eq!(finish(&hello, &impostor.answer(&hello, STAMP)), Err(NotTheServer));
    // An answer to another hello: an older one, or one for another port.
    let older = Hello { nonce: [8; 32], ..hello.clone() };
    assert_eq!(finish(&hello, &server.answer(&older, STAMP)), Err(NotTheServer));
    let elsewhere = Hello { authority: "abide.localhost:7434".to_owned(), ..hello.clone() };
    assert_eq!(finish(&hello, &server.answer(&elsewhere, STAMP)), Err(NotTheServer));
    assert_eq!(finish(&hello, &Answer { stamp: STAMP + 1, ..answer.clone() }), Err(NotTheServer));
    assert_eq!(finish(&hello, &Answer { key: key(9).public(), ..answer }), Err(NotTheServer));
}

#[test]
fn s18_a_captured_signature_opens_nothing_else() {
    let Conversation { server, device, hello, signature, .. } = conversation();
    let own = device.public();
    let accepts =
        |server: &ServerSide, hello: &Hello, stamp| server.accept(hello, stamp, &own, &signature).is_some();
    assert!(accepts(&server, &hello, STAMP));
    assert!(!accepts(&server, &hello, STAMP + 1));
    assert!(!accepts(&server, &Hello { nonce: [8; 32], ..hello.clone() }, STAMP));
    assert!(!accepts(&server, &Hello { key: key(9).public(), ..hello.clone() }, STAMP));
    assert!(!accepts(&server, &Hello { device: "other".to_owned(), ..hello.clone() }, STAMP));
    assert!(!accepts(&server, &Hello { authority: "localhost:7433".to_owned(), ..hello.clone() }, STAMP));
    let restarted = ServerSide::new(key(1), RunSecret::new([3; 32]));
    assert!(!accepts(&restarted, &hello, STAMP), "the server was restarted");
    assert!(server.accept(&hello, STAMP, &key(9).public(), &signature).is_none(), "another device's key");
    assert!(server.accept(&hello, STAMP, &own, &Signature::from_bytes([0; 64])).is_none());
}

#[test]
fn s18_without_its_own_ephemeral_key_a_page_has_another_bond() {
    let Conversation { server, device, hello, answer, bond, .. } = conversation();
    let (_, other) = hello.finish(&key(9), &server.public(), &answer, &device).unwrap();
    assert_ne!(other.opened(), bond.opened());
}

#[test]
fn s18_signing_in_shows_the_code_and_does_not_send_it() {
    let Conversation { server, sign_in, .. } = conversation();
    let code = CodeKey::of(CODE);
    let mac = code.by_page(&sign_in);
    assert!(code.is_by_page(&sign_in, &mac));
    let guess = CodeKey::of(&CODE.replace('0', "1"));
    assert!(!guess.is_by_page(&sign_in, &mac) && guess.id() != code.id());
    for changed in [
        SignIn { authority: "localhost:7433".to_owned(), ..sign_in.clone() },
        SignIn { key: key(9).public(), ..sign_in.clone() },
        SignIn { nonce: [8; 32], ..sign_in.clone() },
    ] {
        assert!(!code.is_by_page(&changed, &mac), "{changed:?}");
    }
    let answers = [
        code.by_server(&sign_in, &server.public(), "one"),
        code.by_server(&sign_in, &server.public(), "two"),
        code.by_server(&sign_in, &key(9).public(), "one"),
        mac,
    ];
    for (at, answer) in answers.iter().enumerate() {
        assert!(!answers[..at].contains(answer), "{at}");
    }
}

fn random_key() -> impl Strategy<Value = PrivateKey> {
    any::<[u8; 32]>().prop_filter_map("a valid key", |bytes| PrivateKey::from_bytes(&bytes))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn s18_a_hello_between_any_two_keys_gives_one_bond(
        keys in [random_key(), random_key(), random_key()],
        run: [u8; 32],
        nonce: [u8; 32],
        stamp: u64,
        device in "[0-9a-z]{0,12}",
        authority in ".{0,20}",
    ) {
        let [server, device_key, ephemeral] = keys;
        let server = ServerSide::new(server, RunSecret::new(run));
        let hello = Hello { device, authority, key: ephemeral.public(), nonce };
        let answer = server.answer(&hello, stamp);
        let (signature, bond) = hello.finish(&ephemeral, &server.public(), &answer, &device_key).unwrap();
        let made = server.accept(&hello, stamp, &device_key.public(), &signature).unwrap();
        prop_assert_eq!(made.opened(), bond.opened());
    }

    #[test]
    fn s18_a_code_for_one_request_fits_no_other(
        one in request(), two in request(), status: u16,
    ) {
        let bond = conversation().bond;
        let (mac, same) = (bond.request(&one.as_request()), one == two);
        prop_assert_eq!(bond.is_request(&two.as_request(), &mac), same);
        prop_assert_ne!(mac, bond.answer(one.count, status));
        let challenge = SocketChallenge { target: &one.target, by_server: &one.body, by_page: &two.body };
        let by_page = bond.socket_by_page(&challenge);
        prop_assert!(bond.is_socket_by_page(&challenge, &by_page));
        prop_assert_ne!(by_page, bond.socket_by_server(&challenge));
        let swapped = SocketChallenge { by_server: &two.body, by_page: &one.body, ..challenge };
        prop_assert_eq!(bond.is_socket_by_page(&swapped, &by_page), one.body == two.body);
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Owned {
    count: u64,
    method: String,
    target: String,
    kind: String,
    body: [u8; 32],
}

impl Owned {
    fn as_request(&self) -> Request<'_> {
        let Owned { count, method, target, kind, body } = self;
        Request { count: *count, method, target, kind, body }
    }
}

fn request() -> impl Strategy<Value = Owned> {
    (0..2_u64, "(GET|POST)", "/[ab]{0,2}", "[ab]{0,2}", 0..2_u8).prop_map(
        |(count, method, target, kind, body)| Owned { count, method, target, kind, body: [body; 32] },
    )
}
