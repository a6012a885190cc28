//! What a person sees of the server's answers. The server is a stand-in that says what it was told to.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

use home::Identity;
use serde_json::{Value, json};

use crate::house::House;

const REPOSITORY: &str = "rrrrrrrr";
const TASK: &str = "ttttttt1";
const SESSION: &str = "sssssss1";
const WORKER: &str = "wwwwwww1";

/// Answers in the order of their requests: method and path, status, body.
type Answers = Vec<(&'static str, u16, Value)>;

/// A server of a house that gives these answers.
struct ToldServer {
    asked: Arc<Mutex<Vec<String>>>,
}

impl ToldServer {
    /// Begins to serve. Each answer is for requests that begin like it, the first time; the last such answer stays.
    fn of(house: &House, answers: Answers) -> ToldServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let own = Identity::own().unwrap();
        let note = json!({
            "url": format!("http://{address}"),
            "pid": own.pid,
            "startTicks": own.start_ticks,
            "bootId": own.boot_id,
            "release": "0.0.0",
        });
        write_private(&house.path().join("server.json"), &note.to_string());
        write_private(&house.path().join("token"), "the-token\n");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&asked);
        thread::spawn(move || {
            let mut answers = answers;
            for stream in listener.incoming().map_while(Result::ok) {
                answer(stream, &mut answers, &heard);
            }
        });
        ToldServer { asked }
    }

    /// What it was asked.
    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn write_private(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

/// Takes requests until the other side has had enough.
fn answer(mut stream: TcpStream, answers: &mut Answers, asked: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some((first, has_token, body)) = request(&mut reader) {
        asked.lock().unwrap().push(format!("{first} {body}").trim().to_owned());
        let matching: Vec<usize> =
            (0..answers.len()).filter(|&at| first.starts_with(answers[at].0)).collect();
        let (status, body) = match matching.as_slice() {
            _ if !has_token => (401, problem("unauthenticated", "this needs a token")),
            [] => (404, problem("unknown-path", "there is no such path")),
            [only] => (answers[*only].1, answers[*only].2.clone()),
            [next, ..] => {
                let (_, status, body) = answers.remove(*next);
                (status, body)
            }
        };
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n", body.len());
        if stream.write_all((head + &body).as_bytes()).is_err() {
            return;
        }
    }
}

/// Method and path, whether the token came along, and the body.
fn request(reader: &mut impl BufRead) -> Option<(String, bool, String)> {
    let (mut first, mut has_token, mut length) = (String::new(), false, 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|&read| read > 0)?;
        let lower = line.to_lowercase();
        if first.is_empty() {
            first = line.rsplit_once(' ')?.0.to_owned();
        } else if lower.trim_end() == "authorization: bearer the-token" {
            has_token = true;
        } else if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((first, has_token, String::from_utf8(body).ok()?))
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
fn a_task_is_written_down_for_the_repository_one_is_in() {
    let house = House::new();
    let place = house.path().canonicalize().unwrap();
    let server = ToldServer::of(
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
    let sent = server.asked().pop().unwrap();
    let body: Value = serde_json::from_str(sent.strip_prefix("POST /api/tasks ").unwrap()).unwrap();
    assert_eq!(body["projectId"], REPOSITORY);
    assert_eq!((body["title"].as_str(), body["agentId"].as_str()), (Some("Fix the door"), Some("codex")));
}

#[test]
fn where_no_repository_is_registered_the_way_on_is_told() {
    let house = House::new();
    let _server = ToldServer::of(
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
fn a_start_is_waited_for_and_says_how_to_attach() {
    let house = House::new();
    let server = ToldServer::of(
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
    let asked = server.asked();
    assert_eq!(asked[1], "POST /api/tasks/ttttttt1/activate");
    assert_eq!(asked[2], "POST /api/tasks/ttttttt1/session/start");
}

#[test]
fn a_start_that_fails_is_a_no_with_its_reason() {
    let house = House::new();
    let _server = ToldServer::of(
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
fn tasks_that_cannot_be_started_say_what_can_be_done() {
    for (status, session, expected) in
        [("done", None, "abide task reopen"), ("active", Some("running"), "abide attach wwwwwww1")]
    {
        let house = House::new();
        let _server = ToldServer::of(&house, vec![("GET /api/tasks", 200, json!([task(status, session)]))]);
        let words = house.refused(&["task", "start", TASK], 1);
        assert!(words.contains(expected), "{words}");
    }
}

#[test]
fn w6_a_worktree_that_is_kept_is_said() {
    let house = House::new();
    let mut archived = task("done", None);
    archived["keptWorktree"] = json!({"path": "/w/1", "work": ["2 uncommitted files"]});
    let _server = ToldServer::of(
        &house,
        vec![
            ("POST /api/tasks/ttttttt1/complete", 200, archived),
            ("GET /api/tasks", 200, json!([task("active", Some("running"))])),
        ],
    );
    let (_, words, code) = run(&house, &["task", "done", "ttt"]);
    assert_eq!(code, 0, "{words}");
    assert!(words.contains("kept in `/w/1`: 2 uncommitted files"), "{words}");
}

#[test]
fn a_no_of_the_server_is_told_in_its_words() {
    let house = House::new();
    let _server = ToldServer::of(
        &house,
        vec![
            ("DELETE /api/tasks/ttttttt1", 409, problem("in-use", "somebody needs it")),
            ("POST /api/repositories", 503, problem("no-git", "git is missing")),
            ("GET /api/tasks", 200, json!([task("active", None)])),
        ],
    );
    let words = house.refused(&["task", "rm", TASK], 1);
    assert_eq!(words, "error: somebody needs it\nhint: think again\n");
    let words = house.refused(&["repo", "add"], 125);
    assert_eq!(words, "error: git is missing\nhint: think again\n");
}

#[test]
fn a_link_is_printed_for_whoever_opens_it_by_hand() {
    let house = House::new();
    let link = "http://abide.localhost:7433/#code=abc";
    let _server = ToldServer::of(
        &house,
        vec![("POST /api/auth/codes", 201, json!({"url": link, "expiresAt": "2026-01-01T00:00:00Z"}))],
    );
    for call in [&["open"][..], &["open", "--print"]] {
        assert_eq!(house.output(call), format!("{link}\n"), "{call:?}");
    }
}

#[test]
fn a_link_is_opened_where_there_is_a_display() {
    let house = House::new();
    let link = "http://abide.localhost:7433/#code=abc";
    let (bin, opened) = (house.path().join("bin"), house.path().join("opened"));
    fs::create_dir(&bin).unwrap();
    let program = bin.join("xdg-open");
    fs::write(&program, format!("#!/bin/sh\necho \"$@\" >> '{}'\n", opened.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let house = house.setting("PATH", &path).setting("DISPLAY", ":0");
    let _server = ToldServer::of(
        &house,
        vec![("POST /api/auth/codes", 201, json!({"url": link, "expiresAt": "2026-01-01T00:00:00Z"}))],
    );
    house.output(["open", "--print"]);
    house.output(["open"]);
    let text = crate::house::wait_for("the link to be opened", || {
        fs::read_to_string(&opened).ok().filter(|text| text.ends_with('\n'))
    });
    assert_eq!(text, format!("{link}\n"), "once, and not for `--print`");
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
    let _server = ToldServer::of(&house, vec![("GET /api/tasks", 200, json!([]))]);
    assert_eq!(house.output(["task", "ls", "--json"]), "[]\n");
    assert!(proxy.accept().is_err(), "nobody asked the proxy");
}

#[test]
fn a_wrong_token_is_a_failure_of_ours() {
    let house = House::new();
    let _server = ToldServer::of(&house, vec![("GET /api/tasks", 200, json!([]))]);
    write_private(&house.path().join("token"), "another\n");
    let words = house.refused(&["task", "ls"], 125);
    assert!(words.contains("token") && !words.contains("another"), "{words}");
    fs::remove_file(house.path().join("token")).unwrap();
    assert!(house.refused(&["task", "ls"], 125).contains("cannot read the server's token"));
}

#[test]
fn doctor_looks_at_the_server() {
    let house = House::new();
    let server = |house: &House| {
        let checks: Value = serde_json::from_slice(&house.run(["doctor", "--json"]).stdout).unwrap();
        let check = checks.as_array().unwrap().iter().find(|check| check["subject"] == "server");
        check.unwrap().clone()
    };
    let found = server(&house);
    assert_eq!(found["verdict"], "ok", "a machine without a server is well: {found}");
    let health = json!({"status": "degraded", "release": "0.0.0", "reason": "the disk is full"});
    let _server = ToldServer::of(&house, vec![("GET /api/health", 200, health)]);
    let found = server(&house);
    assert_eq!(found["verdict"], "warn", "{found}");
    assert!(found["finding"].as_str().unwrap().contains("the disk is full"), "{found}");
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
    let _server =
        ToldServer::of(&house, vec![("GET /api/health", 200, json!({"status": "ok", "release": "x"}))]);
    let checks: Value = serde_json::from_slice(&house.run(["doctor", "--json"]).stdout).unwrap();
    let checks = checks.as_array().unwrap();
    let found = checks.iter().find(|check| check["subject"] == "control groups").unwrap();
    assert_eq!(found["verdict"], "warn", "{found}");
    assert!(found["finding"].as_str().unwrap().starts_with("1 of 1 hosts"), "{found}");
}
