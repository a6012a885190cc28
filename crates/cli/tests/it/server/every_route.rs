//! Every route of the table: the test of its ordinary answer, and the requests that all routes refuse.

use std::collections::BTreeSet;

use api::ErrorCode;
use serde_json::{Value, json};
use server::policy::{Policy, RouteEntry};

use super::{Answer, Server, Socket, Workshop, raw};
use crate::house::House;

/// An id that nothing has.
const UNKNOWN: &str = "00000000";

/// Every route but the sockets, behind the file and the test that show its ordinary answer. A route that is not here
/// fails [`every_route_has_a_test`].
const TESTED: &[(&str, &str, &[&str])] = &[
    (
        "health",
        "s14_the_page_needs_no_token_and_has_its_security_headers",
        &["GET /", "GET /assets/{file}", "GET /{file}"],
    ),
    ("health", "the_server_reports_its_health_without_a_token", &["GET /api/health"]),
    ("health", "only_the_owner_gets_the_counts", &["GET /api/metrics"]),
    (
        "access",
        "s6_a_code_gives_one_browser_a_token_once",
        &["POST /api/auth/exchange", "POST /api/auth/codes"],
    ),
    (
        "trust::proofs",
        "s18_a_browser_signs_in_without_sending_its_code_and_binds_its_requests",
        &["POST /api/auth/devices", "POST /api/auth/hello", "POST /api/auth/bonds"],
    ),
    (
        "access",
        "s6_tokens_are_made_listed_without_their_secrets_and_taken_back",
        &["GET /api/tokens", "POST /api/tokens", "DELETE /api/tokens/{tokenId}"],
    ),
    ("access", "s42_the_audit_record_says_who_did_what", &["GET /api/audit"]),
    (
        "repositories",
        "a_repository_is_registered_listed_and_forgotten",
        &[
            "GET /api/repositories",
            "POST /api/repositories",
            "GET /api/repositories/{repositoryId}",
            "DELETE /api/repositories/{repositoryId}",
        ],
    ),
    (
        "provisioning",
        "commands_are_shown_and_agreed_to_by_their_hash",
        &[
            "GET /api/repositories/{repositoryId}/provisioning",
            "POST /api/repositories/{repositoryId}/provisioning/agree",
        ],
    ),
    (
        "worktrees",
        "worktrees_are_made_and_listed",
        &[
            "GET /api/repositories/{repositoryId}/worktrees",
            "POST /api/repositories/{repositoryId}/worktrees",
            "GET /api/worktrees",
            "GET /api/worktrees/{worktreeId}",
        ],
    ),
    (
        "worktrees",
        "a_worktree_goes_to_the_trash_and_comes_back",
        &["DELETE /api/worktrees/{worktreeId}", "POST /api/worktrees/{worktreeId}/restore"],
    ),
    (
        "tasks",
        "tasks_are_written_down_changed_and_struck_out",
        &[
            "GET /api/tasks",
            "POST /api/tasks",
            "GET /api/tasks/{taskId}",
            "PATCH /api/tasks/{taskId}",
            "DELETE /api/tasks/{taskId}",
        ],
    ),
    (
        "tasks",
        "a_task_refuses_steps_that_its_state_does_not_allow",
        &[
            "POST /api/tasks/{taskId}/activate",
            "POST /api/tasks/{taskId}/complete",
            "POST /api/tasks/{taskId}/reopen",
        ],
    ),
    (
        "tasks",
        "a_task_starts_one_session_and_neither_can_be_deleted_while_it_runs",
        &["POST /api/tasks/{taskId}/session/start"],
    ),
    (
        "tasks",
        "a_retry_ends_the_session_and_starts_another",
        &["POST /api/tasks/{taskId}/session/retry", "GET /api/tasks/{taskId}/session-logs"],
    ),
    (
        "stopped::cancelled",
        "a_start_is_cancelled_at_any_step_until_its_agent_runs",
        &["POST /api/tasks/{taskId}/session/cancel"],
    ),
    (
        "tasks",
        "the_terminal_of_a_task_is_resized_while_it_runs",
        &["POST /api/tasks/{taskId}/terminal/resize"],
    ),
    (
        "sessions",
        "a_session_is_made_named_ordered_and_ended",
        &[
            "GET /api/sessions",
            "POST /api/sessions",
            "GET /api/sessions/{sessionId}",
            "PATCH /api/sessions/{sessionId}",
            "DELETE /api/sessions/{sessionId}",
            "GET /api/sessions/{sessionId}/workers",
            "POST /api/sessions/{sessionId}/workers",
        ],
    ),
    (
        "import",
        "sessions_of_the_new_format_come_with_their_workers_and_go_on_when_wanted",
        &["POST /api/sessions/import"],
    ),
    ("sessions", "restarting_a_session_continues_its_agents", &["POST /api/sessions/{sessionId}/restart"]),
    (
        "sessions",
        "a_worker_is_renamed_restarted_and_closed_in_its_own_session_alone",
        &[
            "PATCH /api/sessions/{sessionId}/workers/{workerId}",
            "DELETE /api/sessions/{sessionId}/workers/{workerId}",
            "POST /api/sessions/{sessionId}/workers/{workerId}/restart",
        ],
    ),
    (
        "workers",
        "an_ended_worker_stays_in_its_session_with_its_recording",
        &["POST /api/sessions/{sessionId}/workers/{workerId}/end"],
    ),
    ("workers", "workers_of_all_sessions_are_listed", &["GET /api/workers", "GET /api/workers/{workerId}"]),
    (
        "inbox",
        "the_api_explains_how_it_is_known_what_a_worker_does",
        &["GET /api/workers/{workerId}/activity"],
    ),
    ("hooks", "an_agent_that_shows_nothing_is_known_by_its_hooks", &["POST /api/workers/{workerId}/hooks"]),
    (
        "inbox",
        "a_question_is_in_the_inbox_until_it_is_answered",
        &["GET /api/inbox", "POST /api/inbox/{itemId}/answer"],
    ),
    (
        "inbox",
        "a_question_that_is_read_stays_and_one_that_is_snoozed_says_until_when",
        &["POST /api/inbox/{itemId}/read", "POST /api/inbox/{itemId}/snooze"],
    ),
    (
        "prompts",
        "a_queue_is_seen_edited_and_emptied",
        &[
            "GET /api/workers/{workerId}/prompts",
            "POST /api/workers/{workerId}/prompts",
            "DELETE /api/workers/{workerId}/prompts",
            "PUT /api/workers/{workerId}/prompts/{promptId}",
            "DELETE /api/workers/{workerId}/prompts/{promptId}",
        ],
    ),
    ("prompts", "a_prompt_goes_to_several_workers", &["POST /api/prompts"]),
    (
        "workers",
        "s16_files_are_kept_beside_the_worker_under_names_of_ours",
        &["POST /api/workers/{workerId}/uploads"],
    ),
    (
        "recordings",
        "ranges_of_output_are_read_by_offset_and_by_time",
        &["GET /api/workers/{workerId}/recording", "GET /api/workers/{workerId}/recording/output"],
    ),
    (
        "recordings",
        "lines_marks_and_screens_are_read_in_pages",
        &[
            "GET /api/workers/{workerId}/recording/lines",
            "GET /api/workers/{workerId}/recording/marks",
            "GET /api/workers/{workerId}/recording/screen",
        ],
    ),
    (
        "recordings",
        "a_recording_is_exported_as_a_file_that_no_browser_shows_by_itself",
        &["GET /api/workers/{workerId}/recording/export"],
    ),
    ("recordings", "everything_that_was_printed_is_searched_newest_first", &["GET /api/search"]),
    (
        "transcripts",
        "the_conversation_of_an_agent_is_read_in_pages_and_as_it_grows",
        &["GET /api/workers/{workerId}/transcript"],
    ),
    ("transcripts", "usage_is_summed_up_by_worker_task_agent_and_day", &["GET /api/usage"]),
    ("workers", "running_workers_have_statistics", &["GET /api/pty-stats"]),
    ("workers", "agents_are_listed_with_whether_they_are_installed", &["GET /api/agents"]),
];

/// The files that the tests are in.
const FILES: &[(&str, &str)] = &[
    ("access", include_str!("access.rs")),
    ("health", include_str!("health.rs")),
    ("hooks", include_str!("hooks.rs")),
    ("import", include_str!("import.rs")),
    ("inbox", include_str!("inbox.rs")),
    ("prompts", include_str!("prompts.rs")),
    ("provisioning", include_str!("provisioning.rs")),
    ("recordings", include_str!("recordings.rs")),
    ("repositories", include_str!("repositories.rs")),
    ("sessions", include_str!("sessions.rs")),
    ("stopped::cancelled", include_str!("stopped/cancelled.rs")),
    ("tasks", include_str!("tasks.rs")),
    ("transcripts", include_str!("transcripts.rs")),
    ("trust::proofs", include_str!("trust/proofs.rs")),
    ("workers", include_str!("workers.rs")),
    ("worktrees", include_str!("worktrees.rs")),
];

fn is_socket(route: &RouteEntry) -> bool {
    matches!(route.policy, Policy::Socket { .. })
}

/// All routes that are no sockets.
fn rest() -> Vec<RouteEntry> {
    server::route_table().into_iter().filter(|route| !is_socket(route)).collect()
}

/// A path with this in the place of every parameter.
fn filled(path: &str, id: &str) -> String {
    let part = |part: &str| if part.starts_with('{') { id.to_owned() } else { part.to_owned() };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

#[test]
fn every_route_has_a_test() {
    let there: BTreeSet<String> =
        rest().iter().map(|route| format!("{} {}", route.method, route.path)).collect();
    let tested: BTreeSet<String> =
        TESTED.iter().flat_map(|(_, _, routes)| routes.iter().map(|route| (*route).to_owned())).collect();
    assert_eq!(tested, there, "each route has a line in `TESTED`");
    for (file, test, routes) in TESTED {
        let (_, text) = FILES.iter().find(|(name, _)| name == file).unwrap_or_else(|| panic!("{file}"));
        assert!(text.contains(&format!("#[test]\nfn {test}() {{")), "{routes:?}: no test {test} in {file}");
    }
}

#[test]
fn every_socket_opens_and_refuses_a_request_without_an_upgrade() {
    let shop = Workshop::new();
    let task = shop.running("Something");
    for route in server::route_table().iter().filter(|route| is_socket(route)) {
        let parts = route.path.split('/').scan("", |before, part| {
            let id = match *before {
                "tasks" => task.id.to_string(),
                "session" => task.session_id.unwrap().to_string(),
                _ => task.worker_id.unwrap().to_string(),
            };
            *before = part;
            Some(if part.starts_with('{') { id } else { part.to_owned() })
        });
        let path = parts.collect::<Vec<_>>().join("/");
        let mut socket = Socket::open(&shop.server, &path);
        assert_eq!(socket.next_within(std::time::Duration::ZERO), None);
        assert_eq!(socket.closed, None, "{path}");
        shop.server.get(&path).problem(ErrorCode::UpgradeRequired);
    }
}

/// A body that a route can read.
pub(super) fn body(route: &RouteEntry) -> Option<Value> {
    let after_id = route.path.rsplit('}').next().unwrap_or_default();
    match (route.method.as_str(), after_id) {
        ("POST", "/provisioning/agree") => Some(json!({"hash": ""})),
        ("POST", "/worktrees") | ("PATCH", "") if !route.path.contains("workers") => Some(json!({})),
        ("POST", "/terminal/resize") => Some(json!({"cols": 80, "rows": 24})),
        ("POST", "/workers") => Some(json!({"type": "terminal"})),
        ("PATCH", "") => Some(json!({"name": "x"})),
        ("POST", "/prompts") => Some(json!({"text": "fix it"})),
        ("PUT", "") => Some(json!({"text": "fix it"})),
        ("POST", "/snooze") => Some(json!({"until": null})),
        ("POST", "/answer") => Some(json!({"reply": "yes"})),
        _ => None,
    }
}

#[test]
fn every_route_answers_404_to_an_unknown_id() {
    let house = House::new();
    let server = Server::start(&house);
    let with_ids =
        rest().into_iter().filter(|route| route.path.contains('{') && !route.path.contains("{file}"));
    for route in with_ids {
        for id in [UNKNOWN, "nobody", "0000000O", "000000000", "%20", "..%2f..%2fetc", "%00"] {
            let path = filled(&route.path, id);
            let answer = if route.body.types.contains(&"image/png") {
                raw::post(&server, &path, "image/png", b"\x89PNG\r\n\x1a\n")
            } else {
                server.send(route.method.clone(), &path, body(&route), Some(&server.token))
            };
            assert_eq!(answer.status, 404, "{} {path}: {}", route.method, answer.text);
            answer.problem(ErrorCode::NotFound);
        }
    }
}

#[test]
fn unknown_paths_and_methods_are_answered_with_their_own_codes() {
    let house = House::new();
    let server = Server::start(&house);
    for path in [
        "/api",
        "/api/",
        "/api/nothing",
        "/ws",
        "/ws/nothing",
        "/nothing",
        "/assets/",
        "/api/tasks/",
        "//",
        "/api//tasks",
    ] {
        server.get(path).problem(ErrorCode::UnknownPath);
    }
    let paths: BTreeSet<String> = server::route_table().into_iter().map(|route| route.path).collect();
    for path in paths {
        for method in ["MOVE", "OPTIONS", "BREW"] {
            let path = filled(&path, UNKNOWN);
            raw::send(&server, &format!("{method} {path}"), &[], b"").problem(ErrorCode::MethodNotAllowed);
        }
    }
    raw::send(&server, "DELETE /api/tasks", &[], b"").problem(ErrorCode::MethodNotAllowed);
    raw::send(&server, "POST /api/health", &[], b"").problem(ErrorCode::MethodNotAllowed);
}

/// The description of a route in the description of the API.
fn described<'a>(api: &'a Value, route: &RouteEntry) -> &'a Value {
    let found = &api["paths"][&route.path][route.method.as_str().to_lowercase()];
    assert!(found.is_object(), "{} {} is not described", route.method, route.path);
    found
}

fn openapi() -> Value {
    serde_json::from_str(&server::openapi()).expect("it is JSON")
}

#[test]
fn s5_s12_no_route_takes_a_body_of_another_type_or_size() {
    let house = House::new();
    let server = Server::start(&house);
    for route in rest() {
        let line = format!("{} {}", route.method, filled(&route.path, UNKNOWN));
        let send = |kind: &str, length: usize, body: &[u8]| -> Answer {
            let length = length.to_string();
            raw::send(&server, &line, &[("content-type", kind), ("content-length", &length)], body)
        };
        for kind in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "application/xml",
        ] {
            let answer = send(kind, 2, b"{}");
            assert_eq!(answer.status, 415, "{line} with {kind}: {}", answer.text);
            answer.problem(ErrorCode::UnsupportedMediaType);
        }
        // That it is too large is known before it comes.
        let answer = send(route.body.types[0], route.body.most_bytes + 1, b"");
        assert_eq!(answer.status, 413, "{line}: {}", answer.text);
        answer.problem(ErrorCode::BodyTooLarge);
    }
}

#[test]
fn no_route_takes_a_body_that_it_cannot_read() {
    let house = House::new();
    let server = Server::start(&house);
    let api = openapi();
    let mut tried = 0;
    for route in rest() {
        let body = &described(&api, &route)["requestBody"];
        if !body["content"]["application/json"].is_object() {
            continue;
        }
        tried += 1;
        let line = format!("{} {}", route.method, filled(&route.path, UNKNOWN));
        let send = |body: &str| {
            let length = body.len().to_string();
            let headers = [("content-type", "application/json"), ("content-length", length.as_str())];
            raw::send(&server, &line, &headers, body.as_bytes())
        };
        // Some routes need no body.
        let empty = if body["required"] == true { Some("") } else { None };
        for text in empty.into_iter().chain(["nonsense", "]", "'x'", "\u{feff}{}"]) {
            let answer = send(text);
            let wanted = if text.is_empty() { [400, 415] } else { [400, 400] };
            assert!(
                wanted.contains(&answer.status),
                "{line} with {text:?}: {} {}",
                answer.status,
                answer.text
            );
            if !text.is_empty() {
                answer.problem(ErrorCode::BadJson);
            }
        }
        for text in ["7", "\"text\"", "null", "true"] {
            send(text).problem(ErrorCode::InvalidBody);
        }
    }
    assert!(tried >= 12, "{tried}");
}

#[test]
fn no_route_takes_a_query_that_it_cannot_read() {
    let house = House::new();
    let server = Server::start(&house);
    let api = openapi();
    let mut tried = 0;
    for route in rest() {
        let empty = Vec::new();
        let parameters = described(&api, &route)["parameters"].as_array().unwrap_or(&empty);
        let names = parameters.iter().filter(|parameter| parameter["in"] == "query");
        for name in names.map(|parameter| parameter["name"].as_str().expect("a name")) {
            // Any text is a pattern, and the name of a file.
            let others = if route.path == "/api/search" { "pattern=x&" } else { "" };
            if name == "pattern" || name == "name" {
                continue;
            }
            let path = format!("{}?{others}{name}=no%20such%20thing", filled(&route.path, UNKNOWN));
            let answer = server.send(route.method.clone(), &path, None, Some(&server.token));
            assert_eq!(answer.status, 400, "{} {path}: {}", route.method, answer.text);
            answer.problem(ErrorCode::BadQuery);
            tried += 1;
        }
    }
    assert!(tried >= 25, "{tried}");
}
