//! What a person sees of the server's answers. The server is a stand-in with scripted answers.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use home::{Identity, ServerNote};
use serde_json::{Value, json};
use testkit::{Answer, ScriptedServer};

use crate::house::House;

const REPOSITORY: &str = "rrrrrrrr";
const TASK: &str = "ttttttt1";
const SESSION: &str = "sssssss1";
const WORKER: &str = "wwwwwww1";

/// Begins to serve a house with these answers, in the order of their requests: method and path, status, body.
fn serve(house: &House, answers: Vec<(&'static str, u16, Value)>) -> ScriptedServer {
    let script = answers.into_iter().map(|(to, status, body)| Answer::body(to, status, body)).collect();
    let server = ScriptedServer::start(&house.home().server_socket(), "the-token", script);
    let note = ServerNote {
        url: "http://127.0.0.1:1".to_owned(),
        socket: Some(ServerNote::SOCKET.to_owned()),
        identity: Identity::own().unwrap(),
        release: "0.0.0".to_owned(),
    };
    note.write(&house.home()).unwrap();
    write_private(&house.path().join("token"), "the-token\n");
    server
}

fn write_private(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

fn problem(code: &str, message: &str) -> Value {
    json!({"error": {"code": code, "message": message, "hint": "think again"}})
}

fn repository(path: &Path) -> Value {
    json!({"id": REPOSITORY, "path": path, "name": "shop", "createdAt": "2026-01-01T00:00:00Z"})
}

fn task(status: &str, session_status: Option<&str>) -> Value {
    let has_session = session_status.is_some();
    json!({
        "id": TASK, "projectId": REPOSITORY, "title": "Fix the door", "description": null, "pinned": false,
        "status": status, "agentId": null,
        "sessionId": has_session.then_some(SESSION), "workerId": has_session.then_some(WORKER),
        "sessionStatus": session_status, "worktreePath": has_session.then_some("/w/1"),
        "branch": has_session.then_some("fix-the-door"), "sessionStartedAt": null,
        "sessionError": (session_status == Some("failed")).then_some("there is no command `claude`"),
        "position": 0, "createdAt": "2026-01-01T00:00:00Z",
    })
}

fn session() -> Value {
    json!({
        "id": SESSION, "type": "quick", "locationPath": "/w/1", "locationMissing": false, "title": null,
        "status": "active", "taskId": TASK, "notices": ["setup was not run\u{7}"],
        "createdAt": "2026-01-01T00:00:00Z",
        "workers": [{
            "id": WORKER, "sessionId": SESSION, "type": "agent", "agentId": "claude", "name": "Claude",
            "handle": "claude-2", "state": {"kind": "live"}, "activity": "active", "asking": null,
            "title": null, "cwd": null, "createdAt": "2026-01-01T00:00:00Z", "startedAt": null,
            "endedAt": null, "viewers": 0,
        }],
    })
}

/// What `abide` printed, what it said, and its code.
fn run(house: &House, arguments: &[&str]) -> (String, String, i32) {
    let output = house.run(arguments);
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (text(output.stdout), text(output.stderr), output.status.code().expect("a code"))
}

#[test]
fn a_task_is_written_down_for_the_repository_of_the_current_directory() {
    let house = House::new();
    let place = house.path().canonicalize().unwrap();
    let server = serve(
        &house,
        vec![
            ("GET /api/repositories", 200, json!([repository(&place)])),
            ("GET /api/worktrees", 200, json!([])),
            ("POST /api/tasks", 201, task("backlog", None)),
        ],
    );
    let (out, words, code) = run(&house, &["task", "add", "Fix the door", "--agent", "codex"]);
    assert_eq!((out.as_str(), code), ("ttttttt1\n", 0), "{words}");
    assert!(words.contains("`abide task start ttttttt1`"), "{words}");
    let sent = server.requests().pop().unwrap();
    assert_eq!(sent.line, "POST /api/tasks");
    let body: Value = serde_json::from_str(&sent.body).unwrap();
    assert_eq!(body["projectId"], REPOSITORY);
    assert_eq!((body["title"].as_str(), body["agentId"].as_str()), (Some("Fix the door"), Some("codex")));
}

#[test]
fn without_a_registered_repository_the_error_has_a_hint() {
    let house = House::new();
    let _server = serve(
        &house,
        vec![
            ("GET /api/repositories", 200, json!([repository(Path::new("/elsewhere"))])),
            ("GET /api/worktrees", 200, json!([])),
        ],
    );
    let words = house.refused(&["task", "add", "Fix"], 125);
    assert!(words.contains("no registered repository") && words.contains("`abide repo add`"), "{words}");
    let words = house.refused(&["task", "add", "Fix", "--repo", "garden"], 125);
    assert!(words.contains("no repository `garden`") && words.contains("`abide repo ls`"), "{words}");
}

#[test]
fn task_start_waits_and_says_how_to_attach() {
    let house = House::new();
    let server = serve(
        &house,
        vec![
            ("GET /api/tasks/ttttttt1", 200, task("active", Some("provisioning"))),
            ("GET /api/tasks/ttttttt1", 200, task("active", Some("running"))),
            ("POST /api/tasks/ttttttt1/activate", 200, task("active", None)),
            ("POST /api/tasks/ttttttt1/session/start", 202, task("active", Some("pending"))),
            ("GET /api/sessions/sssssss1", 200, session()),
            ("GET /api/tasks", 200, json!([task("backlog", None)])),
        ],
    );
    let (out, words, code) = run(&house, &["task", "start", "fix the"]);
    assert_eq!((out.as_str(), code), ("claude-2\n", 0), "{words}");
    assert!(words.contains("`abide attach claude-2`") && words.contains("`fix-the-door`"), "{words}");
    assert!(words.contains("note: setup was not run\u{fffd}"), "{words}");
    let asked = server.requests();
    assert_eq!(asked[1].line, "POST /api/tasks/ttttttt1/activate");
    assert_eq!(asked[2].line, "POST /api/tasks/ttttttt1/session/start");
}

#[test]
fn a_failed_start_exits_with_1_and_says_why() {
    let house = House::new();
    let _server = serve(
        &house,
        vec![
            ("GET /api/tasks/ttttttt1", 200, task("active", Some("failed"))),
            ("POST /api/tasks/ttttttt1/session/start", 202, task("active", Some("pending"))),
            ("GET /api/tasks", 200, json!([task("active", None)])),
        ],
    );
    let (out, words, code) = run(&house, &["task", "start", TASK]);
    assert_eq!((out.as_str(), code), ("", 1), "{words}");
    assert!(words.contains("there is no command `claude`") && words.contains("task retry"), "{words}");
}

#[test]
fn a_task_that_cannot_be_started_is_refused_with_a_hint() {
    for (status, session, expected) in
        [("done", None, "abide task reopen"), ("active", Some("running"), "abide attach wwwwwww1")]
    {
        let house = House::new();
        let _server = serve(&house, vec![("GET /api/tasks", 200, json!([task(status, session)]))]);
        let words = house.refused(&["task", "start", TASK], 1);
        assert!(words.contains(expected), "{words}");
    }
}

#[test]
fn w6_the_command_says_that_a_worktree_was_kept() {
    let house = House::new();
    let mut archived = task("done", None);
    archived["keptWorktree"] = json!({"path": "/w/1", "work": ["2 uncommitted files"]});
    let _server = serve(
        &house,
        vec![
            ("POST /api/tasks/ttttttt1/complete", 200, archived),
            ("GET /api/tasks", 200, json!([task("active", Some("running"))])),
        ],
    );
    let (_, words, code) = run(&house, &["task", "done", "ttt"]);
    assert_eq!(code, 0, "{words}");
    assert!(words.contains("kept its worktree in `/w/1`: 2 uncommitted files"), "{words}");
}

#[test]
fn a_refusal_of_the_server_is_shown_in_its_own_words() {
    let house = House::new();
    let _server = serve(
        &house,
        vec![
            ("DELETE /api/tasks/ttttttt1", 409, problem("in-use", "it is in use")),
            ("POST /api/repositories", 503, problem("no-git", "git is missing")),
            ("GET /api/tasks", 200, json!([task("active", None)])),
        ],
    );
    let words = house.refused(&["task", "rm", TASK], 1);
    assert_eq!(words, "error: it is in use\nhint: think again\n");
    let words = house.refused(&["repo", "add"], 125);
    assert_eq!(words, "error: git is missing\nhint: think again\n");
}

#[test]
fn open_can_print_the_link_instead_of_opening_it() {
    let house = House::new();
    let link = "http://abide.localhost:7433/#code=abc";
    let _server = serve(
        &house,
        vec![("POST /api/auth/codes", 201, json!({"url": link, "expiresAt": "2026-01-01T00:00:00Z"}))],
    );
    for call in [&["open"][..], &["open", "--print"]] {
        assert_eq!(house.output(call), format!("{link}\n"), "{call:?}");
    }
}

#[test]
fn s18_where_there_is_a_display_a_browser_gets_a_page_that_leads_to_the_link() {
    let house = House::new();
    let link = "http://abide.localhost:7433/#code=abc";
    let (bin, opened) = (house.path().join("bin"), house.path().join("opened"));
    fs::create_dir(&bin).unwrap();
    let program = bin.join("xdg-open");
    testkit::write_executable(&program, &format!("#!/bin/sh\necho \"$@\" >> '{}'\n", opened.display()));
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let house = house.setting("PATH", &path).setting("DISPLAY", ":0");
    let _server = serve(
        &house,
        vec![("POST /api/auth/codes", 201, json!({"url": link, "expiresAt": "2026-01-01T00:00:00Z"}))],
    );
    house.output(["open", "--print"]);
    house.output(["open"]);
    let text = crate::house::wait_for("the link to be opened", || {
        fs::read_to_string(&opened).ok().filter(|text| text.ends_with('\n'))
    });
    let [page] = text.lines().collect::<Vec<_>>()[..] else { panic!("once, and not for `--print`: {text}") };
    assert!(!text.contains("abc"), "the code is not among the arguments: {text}");
    let page = Path::new(page);
    assert!(page.starts_with(house.path()), "{}", page.display());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(page), mode(page.parent().unwrap())), (0o600, 0o700));
    assert!(fs::read_to_string(page).unwrap().contains(&format!("url={link}\"")));
}

#[test]
fn nothing_goes_through_a_proxy() {
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let mut house = House::new();
    for variable in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"] {
        house = house.setting(variable, &address);
    }
    let _server = serve(&house, vec![("GET /api/tasks", 200, json!([]))]);
    assert_eq!(house.output(["task", "ls", "--json"]), "[]\n");
    assert!(proxy.accept().is_err(), "the proxy got no request");
}

#[test]
fn a_wrong_token_exits_with_125() {
    let house = House::new();
    let _server = serve(&house, vec![("GET /api/tasks", 200, json!([]))]);
    write_private(&house.path().join("token"), "another\n");
    let words = house.refused(&["task", "ls"], 125);
    assert!(words.contains("token") && !words.contains("another"), "{words}");
    fs::remove_file(house.path().join("token")).unwrap();
    assert!(house.refused(&["task", "ls"], 125).contains("cannot read the server's token"));
}

#[test]
fn doctor_looks_at_the_server() {
    let house = House::new();
    let check = |house: &House, subject: &str| {
        let checks: Value = serde_json::from_slice(&house.run(["doctor", "--json"]).stdout).unwrap();
        let check = checks.as_array().unwrap().iter().find(|check| check["subject"] == subject);
        check.unwrap().clone()
    };
    let server = |house: &House| check(house, "server");
    let found = server(&house);
    assert_eq!(found["verdict"], "ok", "a machine without a server is well: {found}");
    let health = json!({"status": "degraded", "release": "0.0.0", "reason": "the disk is full"});
    let _server = serve(&house, vec![("GET /api/health", 200, health)]);
    let found = server(&house);
    assert_eq!(found["verdict"], "warn", "{found}");
    assert!(found["finding"].as_str().unwrap().contains("the disk is full"), "{found}");

    let socket = house.home().server_socket();
    fs::set_permissions(&socket, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(check(&house, "server socket")["verdict"], "ok");
    fs::set_permissions(&socket, fs::Permissions::from_mode(0o666)).unwrap();
    let found = check(&house, "server socket");
    assert!(found["finding"].as_str().unwrap().contains("other users may use"), "{found}");
    fs::remove_file(&socket).unwrap();
    assert_eq!(check(&house, "server socket")["verdict"], "warn");
}

#[test]
fn p2_doctor_says_which_hosts_would_end_with_the_server() {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let named = groups.lines().find_map(|line| line.split_once(":name=systemd:").map(|(_, group)| group));
    let group = named.or_else(|| groups.lines().find_map(|line| line.strip_prefix("0::")));
    if group.is_none_or(|group| group == "/") {
        return testkit::skip("this machine has no control group but the root");
    }
    let house = House::new().setting("ABIDE_SCOPE", "never");
    let _worker = house.script("read x");
    let _server = serve(&house, vec![("GET /api/health", 200, json!({"status": "ok", "release": "x"}))]);
    let checks: Value = serde_json::from_slice(&house.run(["doctor", "--json"]).stdout).unwrap();
    let checks = checks.as_array().unwrap();
    let found = checks.iter().find(|check| check["subject"] == "control groups").unwrap();
    assert_eq!(found["verdict"], "warn", "{found}");
    assert!(found["finding"].as_str().unwrap().starts_with("1 of 1 hosts"), "{found}");
}
