//! Browsers: they sign in with a key, say hello, and bind every request. What another program saw is worth nothing.

use std::fs;
use std::net::Ipv4Addr;

use api::{
    ErrorCode, HelloAnswer, HelloRequest, OpenBond, OpenedBond, Problem, ProofMessage, RegisterDevice,
    RegisteredDevice, Token,
};
use proof::{
    Bond, Claim, CodeKey, Hello, NotTheServer, PrivateKey, PublicKey, Request, SignIn, Signature,
    SocketChallenge, bytes_of, text_of,
};
use serde_json::{Value, json};
use server::policy::{Policy, RouteEntry};
use sha2::{Digest, Sha256};

use ureq::http::Method;

use super::{Objects, UPGRADE, ask_whole};
use crate::house::House;
use crate::server::{Answer, Server, Socket, Workshop};

/// The close codes of a socket.
const SIGNED_OUT: u16 = 4401;
const BOND_OVER: u16 = 4410;

/// A browser that is signed in.
struct Browser {
    id: String,
    key: PrivateKey,
    server: PublicKey,
    authority: String,
}

/// A page of it, after its hello.
struct Page {
    bond: Bond,
    next: u64,
}

fn random() -> [u8; 32] {
    home::random_bytes().expect("the machine has random bytes")
}

fn random_key() -> PrivateKey {
    PrivateKey::from_bytes(&random()).expect("nearly every number is a key")
}

fn post(server: &Server, path: &str, body: impl serde::Serialize) -> Answer {
    server.send(Method::POST, path, Some(serde_json::to_value(body).expect("JSON")), None)
}

fn registration(code: &str, key: &PrivateKey, authority: &str) -> (RegisterDevice, SignIn) {
    let known = CodeKey::of(code);
    let sign_in =
        SignIn { code: *known.id(), key: key.public(), nonce: random(), authority: authority.to_owned() };
    let asked = RegisterDevice {
        code: text_of(&sign_in.code),
        key: text_of(sign_in.key.as_bytes()),
        nonce: text_of(&sign_in.nonce),
        authority: sign_in.authority.clone(),
        mac: text_of(&known.by_page(&sign_in)),
    };
    (asked, sign_in)
}

impl Browser {
    fn sign_in(server: &Server, code: &str) -> Browser {
        let key = random_key();
        let authority = server.authority().to_owned();
        let (asked, sign_in) = registration(code, &key, &authority);
        let made: RegisteredDevice = post(server, "/api/auth/devices", asked).ok(201);
        let server_key = bytes_of::<65>(&made.server_key).and_then(|bytes| PublicKey::from_bytes(&bytes));
        let server_key = server_key.expect("a key");
        let id = made.token.id.to_string();
        let mac = CodeKey::of(code).by_server(&sign_in, &server_key, &id);
        assert_eq!(made.mac, text_of(&mac), "the server knows the code");
        assert!(made.token.device);
        Browser { id, key, server: server_key, authority }
    }

    /// Another browser.
    fn another(server: &Server) -> Browser {
        let code: api::Code = server.step("/api/auth/codes").ok(201);
        Browser::sign_in(server, code.url.split_once('#').expect("a code").1)
    }

    /// Says hello at an address. Gives what opens a bond, and the bond if it is opened.
    fn begin(&self, server: &Server, authority: &str) -> Result<(OpenBond, Bond), Answer> {
        let ephemeral = random_key();
        let hello = Hello {
            device: self.id.clone(),
            authority: authority.to_owned(),
            key: ephemeral.public(),
            nonce: random(),
        };
        let asked = HelloRequest {
            device: hello.device.clone(),
            authority: hello.authority.clone(),
            key: text_of(hello.key.as_bytes()),
            nonce: text_of(&hello.nonce),
        };
        let answer = post(server, "/api/auth/hello", &asked);
        if answer.status != 200 {
            return Err(answer);
        }
        let said: HelloAnswer = answer.ok(200);
        let answer = proof::Answer {
            key: PublicKey::from_bytes(&bytes_of::<65>(&said.key).expect("a key")).expect("a key"),
            stamp: said.stamp,
            signature: Signature::from_bytes(bytes_of(&said.signature).expect("a signature")),
        };
        let (signature, bond) =
            hello.finish(&ephemeral, &self.server, &answer, &self.key).expect("our server");
        let opening = OpenBond { hello: asked, stamp: said.stamp, signature: text_of(signature.as_bytes()) };
        Ok((opening, bond))
    }

    fn open(&self, server: &Server) -> Page {
        let (opening, bond) = self.begin(server, &self.authority).expect("an answer");
        let opened: OpenedBond = post(server, "/api/auth/bonds", opening).ok(201);
        assert_eq!(opened.mac, text_of(&bond.opened()));
        Page { bond, next: 0 }
    }
}

impl Page {
    /// The header for the next request.
    fn header(&mut self, method: &str, target: &str, kind: &str, body: &[u8]) -> String {
        let count = self.next;
        self.next += 1;
        claim(&self.bond, count, method, target, kind, body).write()
    }

    /// Sends a request, and checks that its answer is the server's.
    fn ask(&mut self, server: &Server, method: &str, target: &str, body: Option<&Value>) -> Answer {
        let text = body.map(Value::to_string).unwrap_or_default();
        let kind = if body.is_some() { "application/json" } else { "" };
        let count = self.next;
        let header = self.header(method, target, kind, text.as_bytes());
        let (head, answer) = send(server, method, target, kind, &header, text.as_bytes());
        let mac = head.lines().find_map(|line| line.strip_prefix("abide-proof: "));
        assert_eq!(mac, Some(text_of(&self.bond.answer(count, answer.status)).as_str()), "{head}");
        answer
    }
}

fn claim(bond: &Bond, count: u64, method: &str, target: &str, kind: &str, body: &[u8]) -> Claim {
    let hash = Sha256::digest(body).into();
    let mac = bond.request(&Request { count, method, target, kind, body: &hash });
    Claim { bond: *bond.id(), count, body: hash, mac }
}

fn send(
    server: &Server,
    method: &str,
    target: &str,
    kind: &str,
    header: &str,
    body: &[u8],
) -> (String, Answer) {
    let mut headers = vec![("host", server.authority()), ("authorization", header)];
    if !kind.is_empty() {
        headers.push(("content-type", kind));
    }
    ask_whole(server, Ipv4Addr::LOCALHOST, &format!("{method} {target}"), &headers, body)
}

fn code_of(answer: &Answer) -> ErrorCode {
    let problem: Problem = serde_json::from_str(&answer.text).unwrap_or_else(|_| panic!("{answer:?}"));
    problem.code()
}

#[test]
fn s18_a_browser_signs_in_without_sending_its_code_and_binds_its_requests() {
    let house = House::new();
    let server = Server::start(&house);
    let browser = Browser::sign_in(&server, &server.code);
    let mut page = browser.open(&server);
    let listed: Vec<Token> = page.ask(&server, "GET", "/api/tokens", None).ok(200);
    assert!(listed.iter().any(|token| token.id.to_string() == browser.id && token.device));
    let wanted = json!({"type": "quick", "locationPath": house.path()});
    let _: api::SessionReply = page.ask(&server, "POST", "/api/sessions?a=%20b", Some(&wanted)).ok(201);
    // A refusal is bound too.
    page.ask(&server, "GET", "/api/tasks/00000000", None).problem(ErrorCode::NotFound);
    let (again, _) = registration(&server.code, &random_key(), server.authority());
    post(&server, "/api/auth/devices", again).problem(ErrorCode::WrongCode);
    let audit: Vec<api::AuditEntry> = server.get("/api/audit").ok(200);
    assert!(audit.iter().any(|entry| entry.action == "token.sign-in" && entry.object == browser.id));
}

#[test]
fn s18_a_wrong_code_signs_in_no_browser_and_a_right_one_counts_at_our_address_only() {
    let house = House::new();
    let server = Server::start(&house);
    let key = random_key();
    let wrong = server.code.replace(|letter: char| letter.is_ascii_digit(), "x");
    let (guess, _) = registration(&wrong, &key, server.authority());
    post(&server, "/api/auth/devices", guess).problem(ErrorCode::WrongCode);
    // The name of the code is right, as another program may have seen it, and the rest is not.
    let (right, _) = registration(&server.code, &key, server.authority());
    for changed in [
        RegisterDevice { mac: text_of(&[0; 32]), ..right.clone() },
        RegisterDevice { key: text_of(random_key().public().as_bytes()), ..right.clone() },
        RegisterDevice { nonce: text_of(&random()), ..right.clone() },
    ] {
        post(&server, "/api/auth/devices", changed).problem(ErrorCode::WrongCode);
    }
    let (elsewhere, _) = registration(&server.code, &key, "abide.localhost:1");
    post(&server, "/api/auth/devices", elsewhere).problem(ErrorCode::Misdirected);
    let broken = RegisterDevice { key: text_of(&[4; 65]), ..right.clone() };
    post(&server, "/api/auth/devices", broken).problem(ErrorCode::InvalidBody);
    let _: RegisteredDevice = post(&server, "/api/auth/devices", right).ok(201);
}

#[test]
fn s18_a_key_counts_only_where_its_browser_signed_in() {
    let house = House::new();
    let server = Server::start(&house);
    let browser = Browser::sign_in(&server, &server.code);
    let port = server.authority().rsplit_once(':').expect("a port").1.to_owned();
    for authority in ["abide.localhost:1", "evil.example", ""] {
        let refused = browser.begin(&server, authority).map(drop).expect_err("not our name");
        assert_eq!(code_of(&refused), ErrorCode::Misdirected, "{authority}");
    }
    // One of our own names, and not the one of this browser's page.
    let (opening, _) = browser.begin(&server, &format!("localhost:{port}")).expect("an answer");
    post(&server, "/api/auth/bonds", opening).problem(ErrorCode::Unauthenticated);
    let other = Browser::another(&server);
    let stolen = Browser { id: other.id.clone(), ..browser };
    let (opening, _) = stolen.begin(&server, server.authority()).expect("an answer");
    post(&server, "/api/auth/bonds", opening).problem(ErrorCode::Unauthenticated);
}

#[test]
fn s18_a_captured_conversation_is_worth_nothing() {
    let house = House::new();
    let server = Server::start(&house);
    let key = random_key();
    let (register, _) = registration(&server.code, &key, server.authority());
    let made: RegisteredDevice = post(&server, "/api/auth/devices", register.clone()).ok(201);
    let browser = Browser {
        id: made.token.id.to_string(),
        key,
        server: PublicKey::from_bytes(&bytes_of::<65>(&made.server_key).unwrap()).unwrap(),
        authority: server.authority().to_owned(),
    };
    let (opening, bond) = browser.begin(&server, server.authority()).expect("an answer");
    let _: OpenedBond = post(&server, "/api/auth/bonds", &opening).ok(201);
    let wanted = json!({"name": "mine", "scope": {"kind": "all"}}).to_string();
    let kind = "application/json";
    let header = claim(&bond, 0, "POST", "/api/tokens", kind, wanted.as_bytes()).write();
    assert_eq!(send(&server, "POST", "/api/tokens", kind, &header, wanted.as_bytes()).1.status, 201);

    let replayed = |server: &Server| {
        let sent = send(server, "POST", "/api/tokens", kind, &header, wanted.as_bytes());
        assert!(!sent.0.contains("abide-proof"), "the server binds no answer to it: {}", sent.0);
        [
            code_of(&post(server, "/api/auth/devices", &register)),
            code_of(&post(server, "/api/auth/bonds", &opening)),
            code_of(&sent.1),
        ]
    };
    let first = replayed(&server);
    assert_eq!(first, [ErrorCode::WrongCode, ErrorCode::Unauthenticated, ErrorCode::Unauthenticated]);
    // Altered: another path, method, body, number or bond.
    let body = wanted.as_bytes();
    let fresh = |count| claim(&bond, count, "POST", "/api/tokens", kind, body).write();
    for (method, path, header) in [
        ("POST", "/api/tokens?a", fresh(1)),
        ("PUT", "/api/tokens", fresh(1)),
        ("POST", "/api/tokens", fresh(1).replacen(".1.", ".2.", 1)),
        ("POST", "/api/tokens", header.clone()),
    ] {
        let (_, refused) = send(&server, method, path, kind, &header, body);
        assert_eq!(code_of(&refused), ErrorCode::Unauthenticated, "{method} {path}");
    }
    let before: Vec<Token> = server.get("/api/tokens").ok(200);
    let longer = wanted.replace("mine", "evil");
    let (_, refused) = send(&server, "POST", "/api/tokens", kind, &fresh(1), longer.as_bytes());
    assert_eq!(refused.status, 400, "{refused:?}");
    let (_, refused) = send(&server, "POST", "/api/tokens", kind, &fresh(2), b"");
    assert_eq!(refused.status, 401, "{refused:?}");
    let after: Vec<Token> = server.get("/api/tokens").ok(200);
    assert_eq!(after.len(), before.len(), "no altered request made a token");
    // After a restart, at the same address.
    let address = server.authority().to_owned();
    server.kill();
    let server = Server::run(&house, house.command(["serve", "--listen", &address]));
    let later = replayed(&server);
    assert_eq!(later[0], ErrorCode::WrongCode);
    assert!([ErrorCode::Unauthenticated, ErrorCode::BondOver].contains(&later[1]), "{later:?}");
    assert_eq!(later[2], ErrorCode::BondOver);
    // The browser itself goes on, and knows the server.
    let _: Vec<Token> = browser.open(&server).ask(&server, "GET", "/api/tokens", None).ok(200);
}

#[test]
fn s18_a_server_without_its_key_is_a_stranger_to_a_browser() {
    let house = House::new();
    let server = Server::start(&house);
    let browser = Browser::sign_in(&server, &server.code);
    let address = server.authority().to_owned();
    server.kill();
    fs::remove_file(house.path().join("server-key")).expect("the server's key");
    let server = Server::run(&house, house.command(["serve", "--listen", &address]));
    let ephemeral = random_key();
    let hello = Hello { device: browser.id, authority: address, key: ephemeral.public(), nonce: random() };
    let asked = json!({
        "device": hello.device, "authority": hello.authority,
        "key": text_of(hello.key.as_bytes()), "nonce": text_of(&hello.nonce),
    });
    let said: HelloAnswer = post(&server, "/api/auth/hello", asked).ok(200);
    let answer = proof::Answer {
        key: PublicKey::from_bytes(&bytes_of::<65>(&said.key).unwrap()).unwrap(),
        stamp: said.stamp,
        signature: Signature::from_bytes(bytes_of(&said.signature).unwrap()),
    };
    let finished = hello.finish(&ephemeral, &browser.server, &answer, &browser.key).map(drop);
    assert_eq!(finished, Err(NotTheServer));
}

#[test]
fn s18_sockets_prove_both_ends_before_anything_else() {
    let house = House::new();
    let server = Server::start(&house);
    let browser = Browser::sign_in(&server, &server.code);
    let page = browser.open(&server);
    let target = "/ws/dashboard?epoch=a&since=3";
    let open = || {
        let headers = [("sec-websocket-protocol", "abide.proof.v1")];
        let mut socket = Socket::try_open(&server, target, &headers).expect("it opens");
        let Ok(ProofMessage::Challenge { challenge }) = serde_json::from_value(socket.json()) else {
            panic!("the server sends its challenge first");
        };
        (socket, bytes_of::<32>(&challenge).expect("32 bytes"))
    };
    let prove = |bond: &Bond, target: &str, by_server: &[u8; 32], by_page: &[u8; 32]| {
        let mac = bond.socket_by_page(&SocketChallenge { target, by_server, by_page });
        json!({"type": "prove", "bond": text_of(bond.id()), "challenge": text_of(by_page), "mac": text_of(&mac)})
    };
    let own = random();
    let (mut socket, by_server) = open();
    let proof = prove(&page.bond, target, &by_server, &own);
    socket.say(&proof);
    let challenge = SocketChallenge { target, by_server: &by_server, by_page: &own };
    let mac = text_of(&page.bond.socket_by_server(&challenge));
    assert_eq!(socket.json(), json!({"type": "proved", "mac": mac}));
    assert_eq!(socket.json()["type"], "state");

    let stranger = Browser::another(&server).open(&server).bond;
    let revoked = Browser::another(&server);
    let gone = revoked.open(&server).bond;
    server.delete(&format!("/api/tokens/{}", revoked.id)).empty(204);
    let closed = |answer: &dyn Fn(&[u8; 32]) -> Value| {
        let (mut socket, by_server) = open();
        socket.say(&answer(&by_server));
        close_code(&mut socket)
    };
    assert_eq!(closed(&|_| proof.clone()), SIGNED_OUT, "an old proof");
    assert_eq!(closed(&|by_server| prove(&page.bond, "/ws/dashboard", by_server, &own)), SIGNED_OUT);
    assert_eq!(closed(&|by_server| prove(&gone, target, by_server, &own)), SIGNED_OUT, "a revoked device");
    assert_eq!(closed(&|_| json!({"type": "auth", "token": server.token})), SIGNED_OUT);
    let of_other = |by_server: &[u8; 32]| {
        let mut foreign = prove(&stranger, target, by_server, &own);
        foreign["bond"] = text_of(page.bond.id()).into();
        foreign
    };
    assert_eq!(closed(&of_other), SIGNED_OUT, "another bond's code");
    let unknown = |by_server: &[u8; 32]| {
        let mut unknown = prove(&page.bond, target, by_server, &own);
        unknown["bond"] = text_of(&[0; 16]).into();
        unknown
    };
    assert_eq!(closed(&unknown), BOND_OVER);
    // Revoking the device closes what it opened.
    server.delete(&format!("/api/tokens/{}", browser.id)).empty(204);
    assert_eq!(close_code(&mut socket), SIGNED_OUT);
}

#[test]
fn s18_without_bearer_tokens_only_browsers_get_in() {
    let house = House::new();
    let server = Server::start_with(&house, &[("ABIDE_BEARER_TOKENS", "false")]);
    server.get("/api/tokens").problem(ErrorCode::BearerOff);
    let exchange = json!({"code": server.code});
    post(&server, "/api/auth/exchange", exchange).problem(ErrorCode::BearerOff);
    assert_eq!(Socket::open_as(&server, "/ws/dashboard", &server.token).map(drop), Err(403));
    let mut socket = Socket::try_open(&server, "/ws/dashboard", &[]).expect("it opens");
    socket.say(&json!({"type": "auth", "token": server.token}));
    assert_eq!(close_code(&mut socket), 4403);
    let mut page = Browser::sign_in(&server, &server.code).open(&server);
    let _: Vec<Token> = page.ask(&server, "GET", "/api/tokens", None).ok(200);
}

fn close_code(socket: &mut Socket) -> u16 {
    loop {
        if let Err((code, _)) = socket.message() {
            return code;
        }
    }
}

/// How a page's request is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    /// It was sent before.
    Replayed,
    /// It was bound to something else.
    Altered,
    /// The server knows no such bond.
    Foreign,
    /// The browser was revoked.
    Revoked,
}

#[test]
fn s1_s8_s18_every_route_for_every_state_of_a_browser() {
    let shop = Workshop::new();
    let server = &shop.server;
    let task = shop.running("One");
    let own = Objects::of(server, &task);
    let browser = Browser::sign_in(server, &server.code);
    let mut page = browser.open(server);
    let revoked = Browser::another(server);
    let mut gone = revoked.open(server);
    server.delete(&format!("/api/tokens/{}", revoked.id)).empty(204);
    let mut guesses = 0;
    for route in &server::route_table() {
        let path = own.fill(&route.path);
        for wrong in [Wrong::Replayed, Wrong::Altered, Wrong::Foreign, Wrong::Revoked] {
            let header = match wrong {
                Wrong::Revoked => bound(&mut gone, route, &path),
                Wrong::Altered => bound(&mut page, route, "/elsewhere"),
                Wrong::Foreign | Wrong::Replayed => bound(&mut page, route, &path),
            };
            let header = match wrong {
                Wrong::Foreign => header.replacen(&text_of(page.bond.id()), &text_of(&[0; 16]), 1),
                _ => header,
            };
            if wrong == Wrong::Replayed {
                // Of what there is not, so that nothing changes.
                let nothing = Objects::none().fill(&route.path);
                let header = bound(&mut page, route, &nothing);
                request(server, Ipv4Addr::LOCALHOST, route, &nothing, &header);
                guesses += 1;
                refused(&request(server, address(guesses), route, &nothing, &header), wrong, route);
                continue;
            }
            guesses += 1;
            refused(&request(server, address(guesses), route, &path, &header), wrong, route);
        }
        // And it is let in everywhere when it is right.
        let path = if route.method == Method::GET { path } else { Objects::none().fill(&route.path) };
        let header = bound(&mut page, route, &path);
        let (head, answer) = request(server, Ipv4Addr::LOCALHOST, route, &path, &header);
        assert!(head.contains("abide-proof: "), "{route:?}: {head}");
        assert!(answer.status != 403 && answer.status < 500, "{route:?}: {answer:?}");
        assert!(answer.status != 401 || code_of(&answer) == ErrorCode::WrongCode, "{route:?}: {answer:?}");
        if matches!(route.policy, Policy::Socket { .. }) {
            assert_eq!(answer.status, 101, "{route:?}");
        }
    }
}

/// The server slows down an address that sends wrong codes, so each comes from another address.
fn address(guesses: u32) -> Ipv4Addr {
    Ipv4Addr::from_bits(Ipv4Addr::new(127, 0, 2, 0).to_bits() + guesses)
}

fn refused((head, answer): &(String, Answer), wrong: Wrong, route: &RouteEntry) {
    let expected = if wrong == Wrong::Foreign { ErrorCode::BondOver } else { ErrorCode::Unauthenticated };
    assert_eq!((answer.status, code_of(answer)), (401, expected), "{wrong:?} at {route:?}");
    // A revoked browser knows that it is the server who says so.
    assert_eq!(head.contains("abide-proof: "), wrong == Wrong::Revoked, "{wrong:?} at {route:?}: {head}");
}

fn body_of(route: &RouteEntry) -> (&'static str, &'static [u8]) {
    if matches!(route.policy, Policy::Socket { .. })
        || route.method == Method::GET
        || route.method == Method::DELETE
    {
        return ("", b"");
    }
    match route.body.types[0] {
        "application/json" => ("application/json", b"{}"),
        other => (other, b"\x89PNG\r\n\x1a\n"),
    }
}

fn bound(page: &mut Page, route: &RouteEntry, path: &str) -> String {
    let (kind, body) = body_of(route);
    page.header(route.method.as_str(), path, kind, body)
}

fn request(
    server: &Server,
    from: Ipv4Addr,
    route: &RouteEntry,
    path: &str,
    header: &str,
) -> (String, Answer) {
    let (kind, body) = body_of(route);
    let mut headers = vec![("host", server.authority()), ("authorization", header)];
    if matches!(route.policy, Policy::Socket { .. }) {
        headers.extend(UPGRADE);
    }
    if !kind.is_empty() {
        headers.push(("content-type", kind));
    }
    ask_whole(server, from, &format!("{} {path}", route.method), &headers, body)
}
