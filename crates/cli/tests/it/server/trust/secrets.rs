//! No secret is in a log or a file, and no GET request changes anything.

use std::fs;
use std::path::{Path, PathBuf};

use api::{NewToken, Worker};
use serde_json::json;
use server::policy::Policy;
use ureq::http::Method;

use super::{Objects, everything, token};
use crate::house::{House, wait_for};
use crate::planted::at_rest_with;
use crate::server::{Server, Socket, Workshop};

/// The environment of a worker's child.
pub(crate) fn environment(house: &House, worker: &str) -> Vec<(String, String)> {
    let child = house.called(worker).status().child_pid;
    let bytes = fs::read(format!("/proc/{child}/environ")).expect("the child runs");
    let text = String::from_utf8(bytes).expect("text");
    let pairs = text.split('\0').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[test]
fn s6_no_log_and_no_file_but_the_owners_token_file_contains_a_secret() {
    let shop = Workshop::with(crate::house::House::new(), &[("ABIDE_LOG", "trace")]);
    let server = &shop.server;
    let task = shop.running("Something");
    let worker = task.worker_id.expect("it runs").to_string();
    let objects = Objects::of(server, &task);
    let browser = Some(json!({"code": server.code}));
    let browser: NewToken = server.send(Method::POST, "/api/auth/exchange", browser, None).ok(200);
    let unused: api::Code = server.step("/api/auth/codes").ok(201);
    let (_, unused) = unused.url.split_once('#').expect("a code");
    let (driver, watcher) = (token(server, &worker, true).secret, token(server, &worker, false).secret);
    let variables = environment(&shop.house, &worker);
    let agent = variables.iter().find(|(name, _)| name == "ABIDE_TOKEN").expect("it has a token").1.clone();
    let secrets = [
        server.token.clone(),
        browser.secret,
        driver,
        watcher,
        agent,
        server.code.clone(),
        unused.to_owned(),
    ];

    for secret in &secrets[..5] {
        let near =
            format!("{}{}", &secret[..secret.len() - 1], if secret.ends_with('A') { 'B' } else { 'A' });
        for path in ["/api/sessions", "/api/nothing", &format!("/api/workers/{worker}")] {
            server.send(Method::GET, path, None, Some(secret));
        }
        server.send(Method::GET, "/api/sessions", None, Some(&near));
        server.send(Method::GET, &format!("/api/sessions?token={secret}"), None, None);
        server.send(Method::GET, &format!("/api/{secret}"), None, None);
        server.send(Method::POST, "/api/auth/exchange", Some(json!({"code": secret})), None);
        server.send(Method::POST, "/api/tasks", Some(json!({"projectId": secret, "title": 7})), None);
        for route in server::route_table() {
            let Policy::Socket { first_frame, .. } = route.policy else { continue };
            let path = objects.fill(&route.path);
            let protocol = format!("abide.v1, abide.bearer.{secret}");
            let _ = Socket::try_open(server, &path, &[("sec-websocket-protocol", &protocol)]);
            let _ = Socket::open_as(server, &path, secret);
            if first_frame {
                let mut socket = Socket::try_open(server, &path, &[]).expect("it opens");
                socket.say(&json!({"type": "auth", "token": secret}));
                // The log has what the server says about it.
                socket.stays_open();
            }
        }
    }
    let Workshop { server, house, .. } = shop;
    let words = server.words();
    assert!(words.lines().count() > 10, "the log tells nothing: {words}");
    let token_file = house.path().join("token");
    for (number, secret) in secrets.into_iter().enumerate() {
        let line = words.lines().find(|line| line.contains(secret.as_str()));
        assert_eq!(line, None, "secret {number} is in the log");
        let found: Vec<PathBuf> = at_rest_with(house.path(), &secret);
        let expected = if number == 0 { vec![token_file.clone()] } else { Vec::new() };
        assert_eq!(found, expected, "secret {number}");
    }
}

/// All files below a directory, with what is in them; but for the database, whose words are asked for.
fn files(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut dirs = vec![root.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry")) {
            let (path, kind) = (entry.path(), entry.file_type().expect("a kind"));
            let name = entry.file_name().into_string().expect("text");
            if kind.is_dir() {
                dirs.push(path);
            } else if kind.is_file() && !name.starts_with("abide.db") {
                let bytes = fs::read(&path).expect("a file");
                found.push((path, bytes));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn s5_no_get_request_changes_anything() {
    let shop = Workshop::new();
    let server = &shop.server;
    let task = shop.running("Something");
    let objects = Objects::of(server, &task);
    let worker = task.worker_id.expect("it runs");
    shop.wait_for_output(worker, "told: ");
    wait_for("all that there is to know of the worker", || {
        let known: Worker = server.get(&format!("/api/workers/{worker}")).ok(200);
        (known.cwd.is_some() && known.handle.is_some()).then_some(())
    });
    let before = (everything(server), files(shop.house.path()));
    for route in server::route_table() {
        let path = objects.fill(&route.path);
        let looks = |server: &Server, query: &str| {
            server.get(&format!("{path}{query}"));
            let hidden = [
                ("x-http-method-override", "DELETE"),
                ("x-http-method", "POST"),
                ("x-method-override", "PATCH"),
            ];
            crate::server::raw::send(server, &format!("GET {path}{query}"), &hidden, b"");
        };
        for query in ["", "?force=true", "?tasks=true", "?_method=DELETE&method=DELETE"] {
            looks(server, query);
        }
        server.send(Method::HEAD, &path, None, Some(&server.token));
    }
    assert_eq!((everything(server), files(shop.house.path())), before);
}
