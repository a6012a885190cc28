//! What a program that the server started can know of the server.

use std::fs;

use api::ErrorCode;
use ureq::http::Method;

use super::secrets::environment;
use crate::house::House;
use crate::planted::PLANTED;
use crate::server::Workshop;

/// What a service manager, an enclosing agent or a careless person leave in a server's environment.
const AROUND: &[(&str, &str)] = &[
    ("NOTIFY_SOCKET", "/run/notify"),
    ("INVOCATION_ID", "0123456789abcdef"),
    ("LISTEN_FDS", "1"),
    ("CLAUDECODE", "1"),
    ("AWS_SECRET_ACCESS_KEY", "a-secret-of-the-server"),
    ("ABIDE_TOKEN", "a-token-of-another-worker"),
    ("ABIDE_LOG", "debug"),
];

#[test]
fn s30_s31_a_program_gets_no_secret_of_the_server_and_an_agent_gets_its_own_token() {
    let shop = Workshop::with(House::new(), AROUND);
    let server = &shop.server;
    let task = shop.running("Something");
    let agent = task.worker_id.expect("it runs");
    let (_, terminal) = server.terminal(shop.repository.text(), "read x");
    for worker in [agent, terminal.id] {
        let variables = environment(&shop.house, worker.as_str());
        let is_agent = worker == agent;
        for (name, value) in &variables {
            for secret in
                [PLANTED, &server.token, &server.code, "a-secret-of-the-server", "a-token-of-another-worker"]
            {
                assert!(!value.contains(secret), "{name} tells a secret");
            }
            let around = AROUND.iter().any(|(there, _)| there == name);
            assert!(!around || is_agent && name == "ABIDE_TOKEN", "{name}={value}");
        }
        let has = |name: &str| variables.iter().any(|(there, _)| there == name);
        for name in ["ABIDE_TOKEN", "ABIDE_URL", "ABIDE_SOCKET"] {
            assert_eq!(has(name), is_agent, "{name}: {variables:?}");
        }
        assert!(has("PATH") && has("HOME") && has("TERM"), "{variables:?}");

        let child = shop.house.called(worker.as_str()).status().child_pid;
        let open = fs::read_dir(format!("/proc/{child}/fd")).expect("the child runs").map(|entry| {
            let entry = entry.expect("an entry");
            let number: u32 =
                entry.file_name().to_str().and_then(|name| name.parse().ok()).expect("a number");
            (number, fs::read_link(entry.path()).expect("a descriptor"))
        });
        let mut open: Vec<_> = open.collect();
        open.sort();
        let numbers: Vec<u32> = open.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [0, 1, 2], "{open:?}");
        assert!(open.iter().all(|(_, path)| path.starts_with("/dev/pts")), "{open:?}");
        let words = fs::read(format!("/proc/{child}/cmdline")).expect("the child runs");
        assert!(!String::from_utf8_lossy(&words).contains("abide_"), "secrets are in no arguments");
    }

    // What it has opens its own worker and no more, and only while that lives.
    let variables = environment(&shop.house, agent.as_str());
    let value =
        |name: &str| variables.iter().find(|(there, _)| there == name).expect("it is there").1.clone();
    assert_eq!(value("ABIDE_URL"), server.url);
    assert_eq!(value("ABIDE_SOCKET"), server.socket.to_str().expect("text"));
    let secret = value("ABIDE_TOKEN");
    let get = |path: &str| server.send(Method::GET, path, None, Some(&secret));
    let own = format!("/api/workers/{agent}");
    let _: api::Worker = get(&own).ok(200);
    get(&format!("/api/workers/{}", terminal.id)).problem(ErrorCode::NotFound);
    for path in ["/api/workers", "/api/tasks", "/api/tokens", "/api/sessions", "/api/search?pattern=x"] {
        get(path).problem(ErrorCode::Forbidden);
    }
    shop.complete(task.id);
    get(&own).problem(ErrorCode::Unauthenticated);
}
