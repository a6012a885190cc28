//! Tokens at the gate.

use model::OwnerId;

use crate::server::Server;

#[test]
fn s1_private_paths_answer_only_with_a_token() {
    let server = Server::start();
    for line in
        ["GET /api/things", "POST /api/things", "GET /api/nowhere", "DELETE /api/things", "GET /ws/nowhere"]
    {
        let answer = server.ask(line, &[("cookie", &format!("token={}", server.owner.expose()))]);
        assert_eq!((answer.status, answer.code().as_str()), (401, "unauthenticated"), "{line} {answer:?}");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    assert!(server.clock.waits().is_empty(), "a request without a secret is not a guess");
}

#[test]
fn s6_the_answer_to_a_wrong_token_is_the_same_as_to_no_token() {
    let server = Server::start();
    let none = server.ask("GET /api/things", &[]);
    let own = server.owner.expose();
    let unknown = own.replace(&own[6..14], "00000000");
    let other_bits = format!("{}{}", &own[..15], &server.driver.expose()[15..]);
    for wrong in [unknown, other_bits, own[..57].to_owned(), format!("{own}A"), String::new()] {
        for path in ["/api/things", "/", "/nowhere"] {
            let answer = server.ask(&format!("GET {path}"), &[("authorization", &format!("Bearer {wrong}"))]);
            assert_eq!((answer.status, &answer.body), (401, &none.body), "{wrong}");
        }
    }
}

#[test]
fn s6_answers_to_wrong_tokens_are_delayed_and_to_right_ones_not() {
    let server = Server::start();
    let wrong = format!("Bearer abide_00000000_{}", "A".repeat(43));
    let right = Server::bearer(&server.owner);
    for _ in 0..5 {
        server.ask("GET /api/things", &[("authorization", &wrong)]);
    }
    assert!(server.clock.waits().is_empty(), "the first five answers are not delayed");
    for _ in 0..8 {
        server.ask("GET /api/things", &[("authorization", &wrong)]);
        assert_eq!(server.ask("GET /api/things", &[("authorization", &right)]).status, 200);
    }
    assert_eq!(server.clock.waits(), [50, 100, 200, 400, 800, 1600, 2000, 2000]);
}

#[test]
fn s6_handlers_behind_the_gate_see_no_secret() {
    let server = Server::start();
    let answer = server.ask_as_owner("GET /api/things", &[("x-other", "kept")], "");
    assert_eq!(answer.body, format!("a test ({})", server.owner.id()));
    let seen = server.seen.all().concat();
    assert!(seen.contains("kept") && !seen.contains("abide_"), "{seen}");
}

#[test]
fn s6_a_revoked_token_is_refused() {
    let server = Server::start();
    assert_eq!(server.ask_as_owner("GET /api/things", &[], "").status, 200);
    server.block_on(server.gate.tokens().revoke(OwnerId::ONLY, server.owner.id())).unwrap();
    assert_eq!(server.ask_as_owner("GET /api/things", &[], "").status, 401);
}

#[test]
fn s4_a_browser_gets_its_token_for_a_code_once() {
    let server = Server::start();
    let link = server.gate.link(OwnerId::ONLY).unwrap();
    let (page, code) = link.url.split_once("/#").unwrap();
    assert_eq!(page, format!("http://abide.localhost:{}", server.address.port()));
    let exchange = |code: &str| {
        let headers = [("content-type", "application/json"), ("user-agent", "Browser\u{202e} 1.0")];
        server.ask_with_body("POST /api/codes/exchange", &headers, &format!(r#"{{"code":"{code}"}}"#))
    };
    let wrong = exchange("0123456789abcdefghjk");
    assert_eq!((wrong.status, wrong.code().as_str()), (401, "wrong-code"));
    let answer = exchange(code);
    let (name, secret) = answer.body.rsplit_once(' ').unwrap();
    assert_eq!(name, "browser", "a user agent that is not plain text is not used");
    let bearer = format!("Bearer {secret}");
    assert_eq!(server.ask("GET /api/things", &[("authorization", &bearer)]).status, 200);
    assert_eq!(exchange(code).code(), "wrong-code");
    for _ in 0..4 {
        exchange("x");
    }
    assert_eq!(server.clock.waits(), [50], "wrong codes are delayed like wrong tokens");
}

#[test]
fn s8_a_wrong_token_is_as_wrong_at_the_socket_and_delayed_there_by_itself() {
    let server = Server::start();
    let wrong = format!("Bearer abide_00000000_{}", "A".repeat(43));
    let right = Server::bearer(&server.owner);
    for _ in 0..6 {
        server.ask("GET /api/things", &[("authorization", &wrong)]);
    }
    assert_eq!(server.clock.waits(), [50], "the port");
    for _ in 0..6 {
        let answer = server.ask_at_socket("GET /api/things", &[("authorization", &wrong)], "");
        assert_eq!((answer.status, answer.code().as_str()), (401, "unauthenticated"));
        let answer = server.ask_at_socket("GET /api/things", &[("authorization", &right)], "");
        assert_eq!(answer.status, 200);
    }
    assert_eq!(server.clock.waits(), [50, 50], "the socket has a count of its own");
    let two = [("authorization", right.as_str()), ("authorization", right.as_str())];
    assert_eq!(server.ask_at_socket("GET /api/things", &two, "").status, 401);
    assert_eq!(server.ask_at_socket("GET /api/things", &[], "").status, 401);
}
