//! What goes over the wire.

use serde_json::{Value, json};
use testkit::Answer;

use crate::desk::Desk;

#[test]
fn a_request_carries_the_token_and_the_name_of_this_machine() {
    let desk = Desk::answering("GET /api/tasks", 200, "[]");
    assert!(desk.client().tasks().unwrap().is_empty());
    let asked = desk.only_request();
    assert_eq!(asked.line, "GET /api/tasks");
    for header in ["authorization: bearer secret", "host: localhost"] {
        assert!(asked.headers.iter().any(|sent| sent == header), "{header}: {asked:?}");
    }
}

#[test]
fn a_body_is_json_with_its_content_type() {
    let desk = Desk::answering("POST /api/sessions/import", 200, r#"{"imported":[],"skipped":[]}"#);
    let sessions = [json!({"id": "a"}), json!(1)];
    desk.client().import_sessions(&sessions).unwrap();
    let asked = desk.only_request();
    assert!(asked.headers.iter().any(|header| header.starts_with("content-type: application/json")));
    assert_eq!(serde_json::from_str::<Vec<Value>>(&asked.body).unwrap(), sessions);
}

#[test]
fn a_request_without_a_body_has_no_content_type() {
    let code = r#"{"url":"http://abide.localhost:1/#code=a","expiresAt":"2026-01-01T00:00:00Z"}"#;
    let desk = Desk::answering("POST /api/auth/codes", 201, code);
    assert_eq!(desk.client().create_code().unwrap().url, "http://abide.localhost:1/#code=a");
    let asked = desk.only_request();
    assert_eq!(asked.body, "");
    assert!(!asked.headers.iter().any(|header| header.starts_with("content-type")), "{asked:?}");
}

#[test]
fn one_client_asks_many_times() {
    let desk = Desk::with(vec![
        Answer::body("GET /api/health", 200, r#"{"status":"ok","release":"1"}"#),
        Answer::body("GET /api/health", 200, r#"{"status":"ok","release":"2"}"#),
    ]);
    let client = desk.client();
    let releases = [(); 3].map(|()| client.health().unwrap().release);
    assert_eq!(releases, ["1", "2", "2"]);
}

#[test]
fn s6_a_token_is_not_shown() {
    let client = Desk::with(Vec::new()).client();
    let shown = format!("{client:?}");
    assert!(shown.contains("Token") && !shown.contains(crate::desk::TOKEN), "{shown}");
}
