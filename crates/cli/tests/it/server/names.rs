//! Names, titles, paths and environments of all kinds: rows N1 to N4.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use api::{ErrorCode, SessionReply, Task, WorkerReply};
use protocol::{HostMessage, ViewerMessage};
use serde_json::json;

use super::{Repository, Server, Socket, Workshop, place, raw};
use crate::house::{House, wait_for, watching};

/// What people call things, and what is kept.
const GOOD: &[&str] = &[
    "two words",
    "\"quotes\" 'of' `all` kinds",
    "$(id) ; rm -rf / && true | cat > x",
    "--force",
    "-",
    "..",
    "../../etc/passwd",
    ".hidden",
    "a/b\\c",
    "Größe 日本 👍🏽",
    "שלום عليكم",
    "%s %n %00 &amp; <b>bold</b> <script>alert(1)</script>",
    "null",
    "'; DROP TABLE tasks; --",
];

/// What is refused with a reason: what could mislead, and what is no line.
const BAD: &[&str] = &[
    "",
    " \t ",
    "two\nlines",
    "\u{1b}[31mred",
    "nul\0",
    "\u{202e}turned",
    "a\u{200b}b",
    "\u{7f}",
    "\u{9b}2J",
];

#[test]
fn n1_titles_and_names_are_kept_or_refused_with_a_reason() {
    let shop = Workshop::new();
    let server = &shop.server;
    let long = "界".repeat(500);
    let (session, worker) = server.terminal(shop.repository.text(), "read x");
    let session = format!("/api/sessions/{}", session.id);
    let own = format!("{session}/workers/{}", worker.id);
    for name in GOOD.iter().copied().chain([long.as_str()]) {
        let task: Task = server
            .post("/api/tasks", json!({"projectId": shop.id, "title": name, "description": name}))
            .ok(201);
        assert_eq!((task.title.as_str(), task.description.as_deref()), (name, Some(name)));
        assert_eq!(server.get(&format!("/api/tasks/{}", task.id)).ok::<Task>(200).title, name);
        assert_eq!(
            server.patch(&session, json!({"title": name})).ok::<api::Session>(200).title.as_deref(),
            Some(name)
        );
        assert_eq!(server.patch(&own, json!({"name": name})).ok::<WorkerReply>(200).worker.name, name);
    }
    let longer = format!("{long}x");
    for name in BAD.iter().copied().chain([longer.as_str()]) {
        let problems = [
            server.post("/api/tasks", json!({"projectId": shop.id, "title": name})),
            server.patch(&own, json!({ "name": name })),
            server.post(&format!("{session}/workers"), json!({"type": "terminal", "name": name})),
            server.post("/api/tokens", json!({"name": name, "scope": {"kind": "all"}})),
        ];
        for problem in problems {
            let problem = problem.problem(ErrorCode::BadText);
            assert!(problem.error.message.chars().all(|c| !c.is_control()), "{problem:?}");
        }
    }
    // What is no UTF-8 is no JSON.
    let body = [br#"{"projectId": ""#, shop.id.as_str().as_bytes(), b"\", \"title\": \"\xff\xfe\"}"].concat();
    raw::post(server, "/api/tasks", "application/json", &body).problem(ErrorCode::BadJson);
    // Half a pair of surrogates neither.
    let body = format!(r#"{{"projectId": "{}", "title": "\ud800"}}"#, shop.id);
    let refused: api::Problem = raw::post(server, "/api/tasks", "application/json", body.as_bytes()).ok(400);
    assert_eq!(refused.code(), ErrorCode::BadJson);
}

#[test]
fn n1_s35_any_task_title_gives_a_plain_branch_and_a_path_of_ours() {
    let shop = Workshop::new();
    for title in ["$(touch \"$HOME/ran\")", "--force", "../../etc/passwd", "שלום", "a.lock"] {
        let task = shop.running(title);
        let branch = task.branch.as_deref().unwrap();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-');
        assert!(branch.starts_with("abide/") && branch.chars().all(is_plain), "{branch}");
        assert_eq!(place(&task).parent(), Some(shop.house.path().join("worktrees").as_path()));
        shop.wait_for_output(task.worker_id.unwrap(), title);
        shop.complete(task.id);
    }
    assert!(!shop.house.path().join("ran").exists());
}

/// Names for directories, as bytes.
const DIRECTORIES: &[&[u8]] = &[
    b"two words",
    b"quotes \" ' `",
    b"$(touch ran)",
    b"-rf",
    b"...",
    "Größe 日本 👍".as_bytes(),
    "\u{202e}turned".as_bytes(),
    b"two\nlines\x1b[31m",
];

#[test]
fn n1_repositories_and_sessions_may_be_in_directories_of_any_name() {
    let house = House::new();
    fs::write(house.path().join("agents.toml"), "").unwrap();
    let server = Server::start(&house);
    for name in DIRECTORIES {
        let name = str::from_utf8(name).unwrap();
        let repository = Repository::new(house.path(), name);
        let added: api::Repository =
            server.post("/api/repositories", json!({"path": repository.text()})).ok(201);
        assert_eq!(Path::new(&added.path), repository.path().canonicalize().unwrap());
        assert_eq!(added.name, model::display_safe(name), "it is shown safely");
        let made = format!("/api/repositories/{}/worktrees", added.id);
        let made: api::Worktree = server.post(&made, json!({})).ok(201);
        assert!(Path::new(&made.path).join("README.md").exists());
        let session = json!({"type": "quick", "locationPath": repository.text()});
        let session = server.post("/api/sessions", session).ok::<SessionReply>(201).session;
        assert_eq!(session.location_path, repository.text());
        let worker = json!({"type": "terminal", "command": ["sh", "-c", "ls; read x"]});
        let worker: WorkerReply =
            server.post(&format!("/api/sessions/{}/workers", session.id), worker).ok(201);
        let worker = house.called(worker.worker.id.as_str());
        wait_for("its files", || {
            String::from_utf8_lossy(&worker.recorded()).contains("README.md").then_some(())
        });
    }
    assert!(!house.path().join("ran").exists());
    let long = format!("/{}", "x".repeat(256));
    let longer = format!("/{}", "x/".repeat(3000));
    for path in [long, longer] {
        server.post("/api/repositories", json!({ "path": path })).problem(ErrorCode::BadPath);
        server
            .post("/api/sessions", json!({"type": "quick", "locationPath": path}))
            .problem(ErrorCode::BadPath);
    }
}

#[test]
fn n1_a_path_that_is_not_utf_8_is_refused_and_shown_lossily() {
    let shop = Workshop::new();
    let real = shop.house.path().join(OsStr::from_bytes(b"not\xfftext"));
    fs::rename(shop.repository.path(), &real).unwrap();
    // JSON cannot carry its name, but a link to it has a plain one.
    let link = shop.house.path().join("link");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let problem = shop.server.post("/api/repositories", json!({"path": link})).problem(ErrorCode::BadPath);
    assert!(problem.error.message.contains("not\u{fffd}text"), "{problem:?}");
    // As a place it will do.
    let (session, worker) = shop.server.terminal(link.to_str().unwrap(), "ls; read x");
    shop.wait_for_output(worker.id, "README.md");
    assert!(!session.location_missing);
    let old = json!([{"id": "a", "worktreePath": link, "repositoryId": "repo-1"}]);
    let imported: api::ImportReply = shop.server.post("/api/sessions/import", old).ok(200);
    let imported: api::Session = shop.server.get(&format!("/api/sessions/{}", imported.imported[0])).ok(200);
    assert_eq!(imported.kind, api::SessionKind::Quick);
}

/// A house whose sockets would have paths longer than the kernel takes.
fn long_house(above: &Path) -> House {
    let mut root: PathBuf = above.to_owned();
    for _ in 0..5 {
        root.push("a-rather-long-name-for-a-directory-that-holds-what-abide-keeps");
    }
    fs::create_dir_all(&root).unwrap();
    House::at(root)
}

#[test]
fn n2_a_server_works_in_a_long_data_directory() {
    let above = tempfile::TempDir::new().unwrap();
    let shop = Workshop::in_house(long_house(above.path()));
    assert!(shop.house.path().as_os_str().len() > 300);
    let task = shop.running("Something");
    let worker = task.worker_id.unwrap();
    shop.wait_for_output(worker, "told:");
    shop.server.wait_for_worker(worker, "its handle", |worker| worker.handle.is_some());
    let mut socket = Socket::open(&shop.server, &format!("/api/workers/{worker}/attach"));
    socket.frame(&ViewerMessage::Attach(watching()));
    socket.wait_for_message("its screen", |message| {
        matches!(message, HostMessage::Snapshot { last: true, .. }).then_some(())
    });
    shop.complete(task.id);
    let _: api::RecordingInfo = shop.server.get(&format!("/api/workers/{worker}/recording")).ok(200);
}

/// A server in an environment of which these variables are taken away or changed.
fn server_without(house: &House, changes: &[(&str, Option<&str>)]) -> Server {
    let mut command = house.command(["serve", "--listen", "127.0.0.1:0"]);
    for (name, value) in changes {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    Server::run(house, command)
}

#[test]
fn n3_a_server_works_in_an_empty_or_a_hostile_environment() {
    let all = ["HOME", "SHELL", "LANG", "PS1", "PATH"];
    let missing: Vec<(&str, Option<&str>)> = all.iter().map(|name| (*name, None)).collect();
    let empty: Vec<(&str, Option<&str>)> = all[..4].iter().map(|name| (*name, Some(""))).collect();
    let hostile = [
        ("HOME", Some("/no/such/home")),
        ("SHELL", Some("/no/such/shell")),
        ("LANG", Some("xx_YY.nonsense")),
        ("LC_ALL", Some("../../etc/passwd")),
        ("TERM", Some("\u{1b}[31mred")),
        ("XDG_RUNTIME_DIR", Some("relative/and/not/there")),
        ("TMPDIR", Some("/no/such/directory")),
        ("GIT_DIR", Some("/no/such/repository")),
        ("GIT_CONFIG_GLOBAL", Some("/dev/null")),
        ("ENV", Some("/no/such/file")),
    ];
    let relative = [("SHELL", Some("sh")), ("HOME", Some("."))];
    for environment in [missing.as_slice(), &empty, &hostile, &relative] {
        let house = House::new();
        let repository = Repository::new(house.path(), "project");
        let server = server_without(&house, environment);
        let (session, worker) =
            server.terminal(repository.text(), "printf 'TERM is %s\\n' \"$TERM\"; read x");
        let seen = house.called(worker.id.as_str());
        wait_for("its terminal", || {
            String::from_utf8_lossy(&seen.recorded()).contains("TERM is xterm-256color").then_some(())
        });
        let shell =
            server.post(&format!("/api/sessions/{}/workers", session.id), json!({"type": "terminal"}));
        match environment.contains(&("SHELL", Some("/no/such/shell"))) {
            false => assert_eq!(shell.ok::<WorkerReply>(201).worker.state, api::WorkerState::Live),
            // The user asked for this shell, so the server starts no other.
            true => assert!(shell.problem(ErrorCode::CannotStart).error.message.contains("/no/such/shell")),
        }
        let added: api::Repository =
            server.post("/api/repositories", json!({"path": repository.text()})).ok(201);
        let made: api::Worktree =
            server.post(&format!("/api/repositories/{}/worktrees", added.id), json!({})).ok(201);
        assert!(Path::new(&made.path).join("README.md").exists());
    }
}

#[test]
fn n4_a_server_that_is_started_in_a_directory_that_is_gone_works() {
    let house = House::new();
    let gone = house.path().join("gone");
    fs::create_dir(&gone).unwrap();
    let repository = Repository::new(house.path(), "project");
    let mut command = std::process::Command::new("sh");
    command.args([
        "-c",
        "cd gone && rmdir ../gone && exec \"$0\" serve --listen 127.0.0.1:0",
        crate::house::ABIDE,
    ]);
    house.settle(&mut command);
    let server = Server::run(&house, command);
    assert!(!gone.exists());
    let (_, worker) = server.terminal(repository.text(), "pwd; read x");
    let seen = house.called(worker.id.as_str());
    wait_for("its place", || {
        String::from_utf8_lossy(&seen.recorded()).contains(repository.text()).then_some(())
    });
    server.post("/api/sessions", json!({"type": "quick", "locationPath": gone})).problem(ErrorCode::BadPath);
}
