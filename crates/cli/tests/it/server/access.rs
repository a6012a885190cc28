//! `/api/auth`, `/api/tokens` and `/api/audit`: codes, tokens, and the record of their use.

use std::fs;

use api::{AuditEntry, Code, ErrorCode, NewToken, Scope, Token};
use model::TokenId;
use serde_json::{Value, json};
use ureq::http::Method;

use super::{Answer, Server, Workshop};
use crate::house::{House, wait_for};

fn exchange(server: &Server, code: &str) -> Answer {
    server.send(Method::POST, "/api/auth/exchange", Some(json!({ "code": code })), None)
}

fn get_with(server: &Server, path: &str, secret: &str) -> Answer {
    server.send(Method::GET, path, None, Some(secret))
}

fn tokens(server: &Server) -> Vec<Token> {
    server.get("/api/tokens").ok(200)
}

#[test]
fn s18_a_page_that_leads_to_a_link_is_gone_once_the_link_was_used() {
    let house = House::new();
    let server = Server::start(&house);
    let bin = house.path().join("bin");
    fs::create_dir(&bin).unwrap();
    testkit::write_executable(&bin.join("xdg-open"), "#!/bin/sh\n");
    let mut open = house.command(["open"]);
    let opened = open.env("DISPLAY", ":0").env("PATH", &bin).output().unwrap();
    assert!(opened.status.success() && opened.stderr.is_empty(), "{opened:?}");
    let pages = || -> Vec<_> {
        let pages = fs::read_dir(house.home().sign_in_pages()).unwrap();
        pages.map(|page| fs::read_to_string(page.unwrap().path()).unwrap()).collect()
    };
    let link = String::from_utf8(opened.stdout).unwrap();
    let [page] = &pages()[..] else { panic!("{:?}", pages()) };
    assert!(page.contains(link.trim()), "{page}");
    exchange(&server, "00000000000000000000").problem(ErrorCode::WrongCode);
    assert_eq!(pages().len(), 1);
    let (_, code) = link.trim().split_once('#').unwrap();
    let _: NewToken = exchange(&server, code).ok(200);
    wait_for("the page to be removed", || pages().is_empty().then_some(()));
}

#[test]
fn s6_a_code_gives_one_browser_a_token_once() {
    let house = House::new();
    let server = Server::start(&house);
    let made: NewToken = exchange(&server, &server.code).ok(200);
    assert_eq!(made.token.scope, Scope::All);
    let _: Vec<Token> = get_with(&server, "/api/tokens", &made.secret).ok(200);
    exchange(&server, &server.code).problem(ErrorCode::WrongCode);
    exchange(&server, "").problem(ErrorCode::WrongCode);

    let code: Code = server.step("/api/auth/codes").ok(201);
    let (page, fragment) = code.url.split_once("/#").expect("the code is in the fragment");
    assert!(page.starts_with("http://"), "{page}");
    let second: NewToken = exchange(&server, fragment).ok(200);
    assert_ne!(second.secret, made.secret);
    exchange(&server, fragment).problem(ErrorCode::WrongCode);
    let listed: Vec<TokenId> = tokens(&server).iter().map(|token| token.id).collect();
    assert!(listed.contains(&made.token.id) && listed.contains(&second.token.id));
}

#[test]
fn s6_tokens_are_made_listed_without_their_secrets_and_taken_back() {
    let house = House::new();
    let server = Server::start(&house);
    let (_, worker) = server.terminal(house.path().to_str().unwrap(), "read x");
    let make = |name: &str, scope: Value| server.post("/api/tokens", json!({"name": name, "scope": scope}));
    let all: NewToken = make(" everything ", json!({"kind": "all"})).ok(201);
    let one: NewToken = make("one", json!({"kind": "worker", "workerId": worker.id, "drive": true})).ok(201);
    assert_eq!((all.token.name.as_str(), all.token.expires_at), ("everything", None));
    assert_eq!(one.token.scope, Scope::Worker { worker_id: worker.id, drive: true });
    let listed = server.get("/api/tokens");
    assert!(!listed.text.contains(&all.secret) && !listed.text.contains(&one.secret));
    let listed: Vec<Token> = listed.ok(200);
    assert!(listed.iter().any(|token| token.id == one.token.id && token.name == "one"));

    let path = format!("/api/workers/{}", worker.id);
    let _: api::Worker = get_with(&server, &path, &one.secret).ok(200);
    get_with(&server, "/api/tokens", &one.secret).problem(ErrorCode::Forbidden);
    let used = tokens(&server).into_iter().find(|token| token.id == one.token.id).unwrap();
    assert!(used.last_used_at.is_some());
    server.delete(&format!("/api/tokens/{}", one.token.id)).empty(204);
    get_with(&server, &path, &one.secret).problem(ErrorCode::Unauthenticated);
    server.delete(&format!("/api/tokens/{}", one.token.id)).empty(204);
    server.delete("/api/tokens/00000000").problem(ErrorCode::NotFound);
    assert!(tokens(&server).iter().all(|token| token.id != one.token.id));

    for (name, scope, code) in [
        ("", json!({"kind": "all"}), ErrorCode::BadText),
        ("\u{202e}", json!({"kind": "all"}), ErrorCode::BadText),
        ("x", json!({"kind": "worker", "workerId": "00000000"}), ErrorCode::NotFound),
        ("x", json!({"kind": "worker"}), ErrorCode::InvalidBody),
        ("x", json!({"kind": "some"}), ErrorCode::InvalidBody),
    ] {
        make(name, scope).problem(code);
    }
}

#[test]
fn s6_a_token_opens_nothing_after_its_time() {
    let house = House::new();
    let server = Server::start(&house);
    let brief = json!({"name": "brief", "scope": {"kind": "all"}, "expiresInSeconds": 1});
    let brief: NewToken = server.post("/api/tokens", brief).ok(201);
    assert!(brief.token.expires_at.unwrap() > brief.token.created_at);
    wait_for("its end", || {
        let answer = server.get_unless_closed("/api/tokens", &brief.secret)?;
        (answer.status == 401).then_some(())
    });
    assert!(tokens(&server).iter().all(|token| token.id != brief.token.id));
    for seconds in [json!(0), json!(-1), json!(1.5), json!("1"), json!(4_294_967_296_u64)] {
        let wrong = json!({"name": "x", "scope": {"kind": "all"}, "expiresInSeconds": seconds});
        server.post("/api/tokens", wrong).problem(ErrorCode::InvalidBody);
    }
    let longest = json!({"name": "x", "scope": {"kind": "all"}, "expiresInSeconds": u32::MAX});
    let _: NewToken = server.post("/api/tokens", longest).ok(201);
}

#[test]
fn s42_the_audit_record_says_who_did_what() {
    let shop = Workshop::new();
    let server = &shop.server;
    let named: NewToken =
        server.post("/api/tokens", json!({"name": "Ada", "scope": {"kind": "all"}})).ok(201);
    let as_ada = |method: Method, path: &str, body: Option<Value>| {
        server.send(method, path, body, Some(&named.secret))
    };
    shop.runs(&["true"], &[]);
    let task: api::Task = as_ada(
        Method::POST,
        "/api/tasks",
        Some(json!({"projectId": shop.id, "title": "Something", "agentId": "fake"})),
    )
    .ok(201);
    let path = format!("/api/tasks/{}", task.id);
    let _: api::Task = as_ada(Method::POST, &format!("{path}/activate"), None).ok(200);
    let _: api::Task = as_ada(Method::POST, &format!("{path}/session/start"), None).ok(202);
    shop.wait_for_status(task.id, api::SessionStatus::Running);
    let _: api::ArchivedTask = as_ada(Method::POST, &format!("{path}/session/retry"), None).ok(202);
    shop.wait_for_status(task.id, api::SessionStatus::Running);
    let _: api::ArchivedTask = as_ada(Method::POST, &format!("{path}/complete"), None).ok(200);
    let _: api::Task = as_ada(Method::POST, &format!("{path}/reopen"), None).ok(200);
    as_ada(Method::DELETE, &path, None).empty(204);
    let worktree = shop.worktree(None);
    let worktree = format!("/api/worktrees/{}", worktree.id);
    let _: api::RemovedWorktree = as_ada(Method::DELETE, &worktree, None).ok(200);
    let _: api::Worktree = as_ada(Method::POST, &format!("{worktree}/restore"), None).ok(200);
    let _: api::RemovedWorktree = as_ada(Method::DELETE, &worktree, None).ok(200);
    let (session, worker) = server.terminal(shop.repository.text(), "read x");
    as_ada(Method::DELETE, &format!("/api/sessions/{}/workers/{}", session.id, worker.id), None).empty(204);
    as_ada(Method::DELETE, &format!("/api/sessions/{}", session.id), None).empty(204);
    as_ada(Method::DELETE, &format!("/api/repositories/{}", shop.id), None).empty(204);
    server.delete(&format!("/api/tokens/{}", named.token.id)).empty(204);

    let entries: Vec<AuditEntry> = server.get("/api/audit").ok(200);
    assert!(entries.is_sorted_by(|a, b| a.seq > b.seq && a.at >= b.at), "newest first");
    let ada = format!("Ada ({})", named.token.id);
    let done: Vec<(&str, bool)> =
        entries.iter().rev().map(|entry| (entry.action.as_str(), entry.actor == ada)).collect();
    let expected = [
        ("repository.add", false),
        ("token.create", false),
        ("repository.agree", false),
        ("task.create", true),
        ("task.activate", true),
        ("task.start", true),
        ("task.archive", true),
        ("task.start", true),
        ("task.archive", true),
        ("task.complete", true),
        ("task.reopen", true),
        ("task.delete", true),
        ("worktree.create", false),
        ("worktree.remove", true),
        ("worktree.restore", true),
        ("worktree.remove", true),
        ("session.create", false),
        ("worker.start", false),
        ("worker.close", true),
        ("session.delete", true),
        ("repository.remove", true),
        ("token.revoke", false),
    ];
    assert_eq!(done, expected);
    let created = entries.iter().find(|entry| entry.action == "task.create").unwrap();
    assert_eq!(created.object, task.id.as_str());

    let page: Vec<AuditEntry> = server.get("/api/audit?limit=3").ok(200);
    assert_eq!(page, entries[..3]);
    let older: Vec<AuditEntry> = server.get(&format!("/api/audit?limit=2&before={}", page[2].seq)).ok(200);
    assert_eq!(older, entries[3..5]);
    assert_eq!(server.get("/api/audit?limit=0").ok::<Vec<AuditEntry>>(200), []);
    assert_eq!(server.get("/api/audit?before=-1").ok::<Vec<AuditEntry>>(200), []);
}

#[test]
fn s6_the_owners_token_is_private_and_stays_the_same() {
    use std::os::unix::fs::PermissionsExt;
    let house = House::new();
    let server = Server::start(&house);
    let file = house.path().join("token");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let first = server.token.clone();
    server.stop();
    let server = Server::start(&house);
    assert_eq!(server.token, first);
    let _: Vec<Token> = server.get("/api/tokens").ok(200);
}
