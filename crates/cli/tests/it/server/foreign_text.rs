//! Text from programs, git and paths: it leaves masked and safe to show, by every way out.

use api::{ErrorCode, Task, Worker, Worktree};
use serde_json::{Value, json};

use super::{Server, Socket, Workshop};
use crate::house::{House, wait_for};
use crate::planted;

/// The value of a variable that only a program in a worker has: no rule knows it by its form.
const OWN: &str = "Zr8mVt3q-own-Hk27wLx";

/// Fails if a secret or a character that steers a terminal is in a text.
fn is_clean(place: &str, text: &str) {
    let planted = planted::secrets();
    for secret in planted.iter().map(String::as_str).chain([OWN]) {
        assert!(!text.contains(secret), "{place} has a secret: {text}");
    }
    let steers = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}');
    assert!(!text.contains(steers), "{place} has a control character: {text:?}");
}

/// All that a server tells of its things.
fn told(server: &Server) -> String {
    let paths =
        ["/api/workers", "/api/sessions", "/api/tasks", "/api/worktrees", "/api/repositories", "/api/audit"];
    paths.iter().map(|path| server.get(path).ok::<Value>(200).to_string()).collect::<Vec<_>>().join("\n")
}

#[test]
fn s38_no_title_directory_or_question_leaves_with_a_secret() {
    let house = House::new();
    let server = Server::start_with(&house, &[("ABIDE_LOG", "trace")]);
    let mut dashboard = Socket::open(&server, "/ws/dashboard");
    let mut seen = dashboard.json().to_string();
    let [_, key, _] = planted::secrets();
    // It is in no command line, because those are shown as they are.
    std::fs::write(house.path().join("own"), format!("export OWN_TOKEN={OWN}\n")).unwrap();
    // Each report has a secret by its form, one of every worker's variables, and one of this program's own.
    let script = format!(
        ". ./own; exec sh -c '\
         all=\"{first}$HALF_B $PLANTED_TOKEN $OWN_TOKEN\"; \
         printf \"\\033]2;title %s\\007\" \"$all\"; \
         printf \"\\033]7;file://localhost/place %s\\007\" \"$all\"; \
         printf \"\\033]9;news %s\\007\" \"$all\"; \
         printf \"\\033]7501;state=blocked:kind=question:msg=%s\\007\" \"$(printf \"asks %s\" \"$all\" | base64 -w0)\"; \
         read x'",
        first = "ghp_$HALF_A",
    );
    let (_, worker) = server.terminal(house.path().to_str().unwrap(), &script);
    let known = wait_for("title, directory and question", || {
        let known: Worker = server.get(&format!("/api/workers/{}", worker.id)).ok(200);
        let is_all = known.title.is_some() && known.asking.is_some();
        (is_all && known.cwd.as_deref().is_some_and(|cwd| cwd.starts_with("/place"))).then_some(known)
    });
    for text in [known.title, known.cwd, known.asking].into_iter().flatten() {
        is_clean("a report", &text);
        assert!(text.contains("REDACTED") || text.contains("***"), "{text}");
    }
    assert!(!key.is_empty());
    is_clean("the API", &told(&server));
    let id = worker.id.to_string();
    dashboard.wait_for("the question", |message| {
        seen += &message.to_string();
        message.to_string().contains("asks ") && message.to_string().contains(&id)
    });
    is_clean("the dashboard", &seen);
    for arguments in [&["ls"][..], &["ls", "--json"], &["session", "ls"], &["doctor"]] {
        let said = house.run(arguments);
        let words = [said.stdout, said.stderr].concat();
        let text = String::from_utf8(words).unwrap().replace("\u{1b}[", "");
        assert!(!text.contains(OWN) && !text.contains(&key), "{arguments:?}: {text}");
    }
    is_clean("the log", &server.words().replace("\u{1b}[", ""));
}

#[test]
fn s38_no_error_of_a_setup_command_leaves_with_a_secret() {
    let shop = Workshop::with(House::new(), &[("ABIDE_LOG", "trace")]);
    let mut dashboard = Socket::open(&shop.server, "/ws/dashboard");
    let mut seen = dashboard.json().to_string();
    let noise = "i=0; while [ $i -lt 300 ]; do echo line $i >&2; i=$((i+1)); done";
    let fails = format!(
        "echo \"ghp_$HALF_A$HALF_B $PLANTED_TOKEN\" >&2; {noise}; \
         printf '\\033[31mkey ghp_%s%s, password=%s%s, %s\\n' $HALF_A $HALF_B $HALF_C $HALF_D $PLANTED_TOKEN >&2; exit 9"
    );
    shop.runs(&[&fails], &[]);
    let worktree = shop.worktree(None);
    let note = worktree.note.expect("it failed");
    is_clean("a note", &note);
    assert!(note.contains("***") && note.contains("key "), "{note}");
    let task = shop.task("Something");
    let reason = shop.fail(task.id);
    is_clean("a reason", &reason);
    assert!(reason.contains("exit 9") && reason.contains("***"), "{reason}");
    let id = task.id.to_string();
    dashboard.wait_for("the failure", |message| {
        seen += &message.to_string();
        message.to_string().contains("exit 9") && message.to_string().contains(&id)
    });
    is_clean("the dashboard", &seen);
    is_clean("the API", &told(&shop.server));
    let _: Task = shop.server.get(&format!("/api/tasks/{}", task.id)).ok(200);
    let Workshop { server, house, .. } = shop;
    is_clean("the log", &server.words().replace("\u{1b}[", ""));
    let [planted, key, password] = planted::secrets();
    for secret in [planted, key, password] {
        assert_eq!(planted::at_rest_with(house.path(), &secret), Vec::<std::path::PathBuf>::new());
    }
}

#[test]
fn s38_no_error_of_git_leaves_with_a_secret() {
    let shop = Workshop::new();
    let [_, key, _] = planted::secrets();
    let base = format!("https://me:{key}@example.org/x");
    let refused = shop
        .server
        .send(
            ureq::http::Method::POST,
            &format!("/api/repositories/{}/worktrees", shop.id),
            Some(json!({ "base": base })),
            Some(&shop.server.token),
        )
        .problem(ErrorCode::BadText);
    is_clean("an error", &refused.error.message);
    assert_eq!(shop.server.get("/api/worktrees").ok::<Vec<Worktree>>(200), []);
}

#[test]
fn n1_errors_of_commands_show_paths_safely() {
    let house = House::new();
    let odd = "no\u{1b}[31m\u{202e}such\u{7}";
    let misused = [&[odd][..], &["ls", odd], &["wait", "x", "--timeout", odd], &["new", "--size", odd]];
    let failing = [&["import", odd][..], &["new", "--cwd", odd], &["repo", "add", odd]];
    for arguments in misused.into_iter().chain(failing) {
        let said = house.run(arguments);
        assert!(!said.status.success(), "{arguments:?}");
        is_clean("an error", &String::from_utf8(said.stderr).unwrap());
    }
}

#[test]
fn n1_paths_are_exact_for_programs_and_safe_for_people() {
    let house = House::new();
    std::fs::write(house.path().join("agents.toml"), "").unwrap();
    let server = Server::start(&house);
    let repository = super::Repository::new(house.path(), "odd\u{1b}[31m\u{202e}\nname");
    let added: api::Repository = server.post("/api/repositories", json!({"path": repository.text()})).ok(201);
    assert_eq!(std::path::Path::new(&added.path), repository.path().canonicalize().unwrap());
    assert_eq!(added.shown_path, model::display_safe(&added.path));
    assert!(added.shown_path.ends_with("odd\u{fffd}[31m\u{fffd}\u{fffd}name"), "{}", added.shown_path);
    let quick = json!({"type": "quick", "locationPath": repository.text()});
    let session = server.post("/api/sessions", quick).ok::<api::SessionReply>(201).session;
    assert_eq!(session.location_path, repository.text());
    assert_eq!(session.shown_location, model::display_safe(repository.text()));
    // The audit trail is for people.
    let trail = server.get("/api/audit").ok::<Vec<api::AuditEntry>>(200);
    let detail =
        trail.into_iter().find(|entry| entry.action == "repository.add").and_then(|entry| entry.detail);
    is_clean("the audit trail", &detail.expect("the path"));
    let again = server.post("/api/repositories", json!({"path": repository.text()}));
    let problem = again.problem(ErrorCode::KnownRepository);
    is_clean("a problem", &problem.error.message);
    for arguments in [&["repo", "ls"][..], &["session", "ls"]] {
        let said = house.run(arguments);
        is_clean("a list", &String::from_utf8(said.stdout).unwrap());
    }
}
