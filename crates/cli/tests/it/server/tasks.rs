//! `/api/tasks`: written down, started, retried, finished.

use std::fs;
use std::time::Duration;

use api::{ArchivedTask, ErrorCode, LogExit, SessionLog, SessionStatus, Task, TaskState, WorkerState};
use model::{TaskId, WorkerId};
use serde_json::{Value, json};
use tungstenite::Message;

use super::{Socket, Workshop, place};
use crate::house::{is_alive, wait_for};

fn path(id: TaskId) -> String {
    format!("/api/tasks/{id}")
}

#[test]
fn tasks_are_written_down_changed_and_struck_out() {
    let shop = Workshop::new();
    let server = &shop.server;
    let write = |task: Value| server.post("/api/tasks", task);
    let first: Task = write(json!({"projectId": shop.id, "title": "  First "})).ok(201);
    assert_eq!((first.title.as_str(), first.status, first.pinned), ("First", TaskState::Backlog, false));
    assert_eq!((first.session_id, first.session_status, first.agent_id.clone()), (None, None, None));
    let mut second = json!({"projectId": shop.id, "title": "Second", "description": "at\nlength"});
    second["agentId"] = json!("fake");
    second["pinned"] = json!(true);
    let second: Task = write(second).ok(201);
    assert_eq!(second.description.as_deref(), Some("at\nlength"));
    assert_eq!((second.agent_id.as_deref(), second.pinned), (Some("fake"), true));
    assert_eq!(server.get(&path(second.id)).ok::<Task>(200), second);

    let change = |change: Value| server.patch(&path(second.id), change);
    assert_eq!(change(json!({})).ok::<Task>(200), second, "what is left out stays");
    let changed: Task =
        change(json!({"title": "Zeroth", "description": "", "agentId": "", "pinned": false, "position": 0}))
            .ok(200);
    assert_eq!((changed.title.as_str(), changed.description, changed.agent_id), ("Zeroth", None, None));
    assert_eq!((changed.pinned, changed.position), (false, 0));
    let listed = |query: &str| {
        let tasks: Vec<Task> = server.get(&format!("/api/tasks{query}")).ok(200);
        tasks.into_iter().map(|task| task.title).collect::<Vec<_>>()
    };
    assert_eq!(listed(""), ["Zeroth", "First"]);
    shop.step(first.id, "activate");
    assert_eq!(listed("?status=active"), ["First"]);
    assert_eq!(listed("?status=backlog"), ["Zeroth"]);
    assert_eq!(listed(&format!("?projectId={}&status=done", shop.id)), Vec::<String>::new());
    assert_eq!(listed("?projectId=00000000"), Vec::<String>::new());
    for position in [-5, i64::MIN, 1_000_000, i64::MAX] {
        let moved: Task = change(json!({ "position": position })).ok(200);
        assert_eq!(moved.position, i64::from(position > 0));
    }

    server.delete(&path(second.id)).empty(204);
    server.get(&path(second.id)).problem(ErrorCode::NotFound);
    server.delete(&path(second.id)).problem(ErrorCode::NotFound);
}

#[test]
fn invalid_tasks_are_refused() {
    let shop = Workshop::new();
    let server = &shop.server;
    let task = shop.task("Something");
    for (wrong, code) in [
        (json!({"title": ""}), ErrorCode::BadText),
        (json!({"title": "two\nlines"}), ErrorCode::BadText),
        (json!({"description": "\u{1b}[2J"}), ErrorCode::BadText),
        (json!({"description": "x".repeat(200 << 10)}), ErrorCode::BadText),
        (json!({"agentId": "nobody"}), ErrorCode::UnknownAgent),
        (json!({"agentId": "../../bin/sh"}), ErrorCode::UnknownAgent),
        (json!({"pinned": "yes"}), ErrorCode::InvalidBody),
    ] {
        server.patch(&path(task.id), wrong.clone()).problem(code);
        let mut new = json!({"projectId": shop.id, "title": "New"});
        new.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        server.post("/api/tasks", new).problem(code);
    }
    server.post("/api/tasks", json!({"projectId": "00000000", "title": "New"})).problem(ErrorCode::NotFound);
    server.post("/api/tasks", json!({"projectId": "no id", "title": "New"})).problem(ErrorCode::InvalidBody);
    server.post("/api/tasks", json!({"projectId": shop.id})).problem(ErrorCode::InvalidBody);
    assert_eq!(server.get("/api/tasks").ok::<Vec<Task>>(200), [task], "nothing was changed or added");
}

#[test]
fn a_task_refuses_steps_that_its_state_does_not_allow() {
    let shop = Workshop::new();
    let server = &shop.server;
    let new: Task = server.post("/api/tasks", json!({"projectId": shop.id, "title": "New"})).ok(201);
    let refused = |steps: &[(&str, ErrorCode)]| {
        for (step, code) in steps {
            server.step(&format!("{}/{step}", path(new.id))).problem(*code);
        }
    };
    let not_active =
        [("session/start", ErrorCode::TaskNotActive), ("session/retry", ErrorCode::TaskNotActive)];
    refused(&[("complete", ErrorCode::WrongState), ("reopen", ErrorCode::WrongState)]);
    refused(&not_active);
    assert_eq!(shop.step(new.id, "activate").status, TaskState::Active);
    refused(&[("activate", ErrorCode::WrongState), ("reopen", ErrorCode::WrongState)]);
    assert_eq!(shop.complete(new.id).task.status, TaskState::Done, "it may be done without a session");
    refused(&[("activate", ErrorCode::WrongState), ("complete", ErrorCode::WrongState)]);
    refused(&not_active);
    assert_eq!(shop.step(new.id, "reopen").status, TaskState::Active);
    let logs: Vec<SessionLog> = server.get(&format!("{}/session-logs", path(new.id))).ok(200);
    assert_eq!(logs, []);
}

#[test]
fn a_task_starts_one_session_and_neither_can_be_deleted_while_it_runs() {
    let shop = Workshop::new();
    let server = &shop.server;
    let task = shop.running("Fix the login!");
    let session = task.session_id.unwrap();
    let worker = task.worker_id.unwrap();
    assert_eq!(task.branch.as_deref(), Some("abide/fix-the-login"));
    assert_eq!(task.session_error, None);
    assert!(task.session_started_at.unwrap() >= task.created_at);
    assert!(place(&task).join("README.md").exists());
    shop.wait_for_output(worker, "told: Fix the login!");

    let problem = server.step(&format!("{}/session/start", path(task.id))).problem(ErrorCode::HasSession);
    assert_eq!(problem.error.detail, Some(json!({"sessionId": session})));
    let problem = server.delete(&path(task.id)).problem(ErrorCode::HasSession);
    assert_eq!(problem.error.detail, Some(json!({"sessionId": session})));
    let own = format!("/api/sessions/{session}/workers/{worker}");
    for refused in [
        server.delete(&format!("/api/sessions/{session}")),
        server.delete(&own),
        server.step(&format!("{own}/restart")),
        server.step(&format!("/api/sessions/{session}/restart")),
    ] {
        let problem = refused.problem(ErrorCode::InUse);
        assert_eq!(problem.error.detail, Some(json!({"taskId": task.id})));
    }
    let still: Task = server.get(&path(task.id)).ok(200);
    assert_eq!((still.session_id, still.session_status), (Some(session), Some(SessionStatus::Running)));
}

#[test]
fn an_agent_that_has_ended_is_started_again_for_its_task() {
    let shop = Workshop::new();
    let server = &shop.server;
    let task = shop.running("Something");
    let (session, first) = (task.session_id.unwrap(), task.worker_id.unwrap());
    let restart =
        |worker: WorkerId| server.step(&format!("/api/sessions/{session}/workers/{worker}/restart"));
    shop.house.called(first.as_str()).send(b"\r");
    shop.wait_for_status(task.id, SessionStatus::Done);
    let again: api::WorkerReply = restart(first).ok(200);
    let second = again.worker.id;
    let running = shop.wait_for_status(task.id, SessionStatus::Running);
    assert_eq!((running.session_id, running.worker_id), (Some(session), Some(second)));
    shop.wait_for_output(second, "told: to go on");
    // Its terminal is the new one's, and so is all that only the task may do.
    let mut terminal = Socket::open(server, &format!("{}/terminal", path(task.id)));
    let mut shown = Vec::new();
    wait_for("its screen", || {
        if let Some(Message::Binary(bytes)) = terminal.next_within(Duration::from_millis(50)) {
            shown.extend(bytes);
        }
        String::from_utf8_lossy(&shown).contains("told: to go on").then_some(())
    });
    restart(second).problem(ErrorCode::InUse);
    let of_session = format!("/api/sessions/{session}");
    server.step(&format!("{of_session}/restart")).problem(ErrorCode::InUse);
    let seen: api::Session = server.get(&of_session).ok(200);
    let names: Vec<_> = seen.workers.iter().map(|worker| (worker.id, worker.name.as_str())).collect();
    assert_eq!(names, [(second, "Fake"), (first, "Fake (earlier)")]);

    // However it is called, the earlier one is not started with the session.
    let renamed: api::WorkerReply =
        server.patch(&format!("{of_session}/workers/{first}"), json!({"name": "Mine"})).ok(200);
    assert_eq!(renamed.worker.name, "Mine");
    shop.house.called(second.as_str()).send(b"\r");
    shop.wait_for_status(task.id, SessionStatus::Done);
    let restarted: api::Session = server.step(&format!("{of_session}/restart")).ok(200);
    assert_eq!(restarted.workers.len(), 3);
    let running = shop.wait_for_status(task.id, SessionStatus::Running);
    assert_eq!(running.worker_id, Some(restarted.workers[0].id));
    server.delete(&format!("{of_session}/workers/{first}")).empty(204);
    assert_eq!(shop.complete(task.id).task.status, TaskState::Done);
}

#[test]
fn an_agent_that_never_ran_is_started_with_its_prompt() {
    let shop = Workshop::new();
    shop.runs(&["[ -e \"$HOME/network\" ]"], &[]);
    let task = shop.task("Do something");
    shop.fail(task.id);
    let failed: Task = shop.server.get(&path(task.id)).ok(200);
    let (session, worker) = (failed.session_id.unwrap(), failed.worker_id.unwrap());
    let restart = format!("/api/sessions/{session}/workers/{worker}/restart");
    let started: api::WorkerReply = shop.server.step(&restart).ok(200);
    shop.wait_for_output(started.worker.id, "told: Do something");
    assert_eq!(shop.wait_for_status(task.id, SessionStatus::Running).worker_id, Some(started.worker.id));
}

#[test]
fn the_terminal_of_a_task_is_resized_while_it_runs() {
    let shop = Workshop::new();
    let server = &shop.server;
    let task = shop.task("Something");
    let resize = |body: Value| server.post(&format!("{}/terminal/resize", path(task.id)), body);
    resize(json!({"cols": 100, "rows": 30})).problem(ErrorCode::NoSession);
    let running = shop.start(task.id);
    let worker = shop.house.called(running.worker_id.unwrap().as_str());
    resize(json!({"cols": 100, "rows": 31})).empty(204);
    wait_for("the size", || (worker.status().size == model::TermSize::clamped(100, 31)).then_some(()));
    resize(json!({"cols": 0, "rows": 65535})).empty(204);
    wait_for("the size", || (worker.status().size == model::TermSize::clamped(2, 1000)).then_some(()));
    for wrong in [json!({"cols": 100}), json!({"cols": -1, "rows": 1}), json!({"cols": 65536, "rows": 1})] {
        resize(wrong).problem(ErrorCode::InvalidBody);
    }
    worker.send(b"\r");
    shop.wait_for_status(task.id, SessionStatus::Done);
    resize(json!({"cols": 100, "rows": 30})).problem(ErrorCode::NotLive);
}

#[test]
fn a_retry_ends_the_session_and_starts_another() {
    let shop = Workshop::new();
    let task = shop.running("Something");
    let child = shop.house.called(task.worker_id.unwrap().as_str()).status().child_pid;
    let retried: ArchivedTask = shop.server.step(&format!("{}/session/retry", path(task.id))).ok(202);
    assert_eq!(retried.kept_worktree, None);
    assert_ne!(retried.task.session_id, task.session_id);
    assert!(!is_alive(child), "its agent ended first");
    assert!(!place(&task).exists());
    let again = shop.wait_for_status(task.id, SessionStatus::Running);
    assert_ne!(again.worktree_path, task.worktree_path);
    assert_eq!(again.branch.as_deref(), Some("abide/something-2"), "the first one's branch is still there");
    let logs: Vec<SessionLog> = shop.server.get(&format!("{}/session-logs", path(task.id))).ok(200);
    let [log] = logs.as_slice() else { panic!("{logs:?}") };
    assert_eq!((log.task_id, log.worker_id, log.kept_worktree.as_ref()), (task.id, task.worker_id, None));
    assert_eq!(log.started_at, task.session_started_at.unwrap());
    let recording = format!("/api/workers/{}/recording", log.worker_id.unwrap());
    let _: api::RecordingInfo = shop.server.get(&recording).ok(200);
    shop.complete(task.id);
    let logs: Vec<SessionLog> = shop.server.get(&format!("{}/session-logs", path(task.id))).ok(200);
    assert_eq!(
        logs.iter().map(|log| log.worker_id).collect::<Vec<_>>(),
        [again.worker_id, task.worker_id],
        "newest first"
    );
}

#[test]
fn a_task_whose_texts_are_as_long_as_they_may_be_can_be_started() {
    let shop = Workshop::new();
    // Four bytes each, and as many as there may be.
    let (title, description) = ("\u{1f44d}".repeat(500), "x".repeat(100 << 10));
    let longer = json!({"title": "x", "description": format!("{description}x"), "projectId": shop.id});
    shop.server.post("/api/tasks", longer).problem(ErrorCode::BadText);
    let task = shop.task_of(json!({"title": title, "description": description, "agentId": "witness"}));
    shop.start(task.id);
    let arguments = shop.house.path().join("arguments");
    let heard = wait_for("what it is told", || fs::read_to_string(&arguments).ok());
    assert_eq!(heard, format!("{title}\n\n{description}\0"));
}

#[test]
fn a_session_ends_as_its_agent_ended() {
    let shop = Workshop::new();
    for (agent, status, exit, error) in [
        ("ends", SessionStatus::Done, LogExit::Done, None),
        ("breaks", SessionStatus::Failed, LogExit::Failed, Some("exited 7")),
    ] {
        let task = shop.task_of(json!({"title": agent, "agentId": agent}));
        let _: Task = shop.server.step(&format!("{}/session/start", path(task.id))).ok(202);
        let ended = shop.server.wait_for_task(task.id, "its end", |task| task.session_status == Some(status));
        assert_eq!(ended.session_error.as_deref(), error);
        assert_eq!(ended.status, TaskState::Active, "whether it is done is for a person to say");
        shop.complete(task.id);
        let logs: Vec<SessionLog> = shop.server.get(&format!("{}/session-logs", path(task.id))).ok(200);
        assert_eq!(logs[0].exit_status, exit);
        assert_eq!(logs[0].error.as_deref(), error);
    }
}

#[test]
fn an_agent_that_is_not_installed_ends_in_failed_with_the_reason_and_the_way_on() {
    let shop = Workshop::new();
    let task = shop.task_of(json!({"title": "Something", "agentId": "absent"}));
    let reason = shop.fail(task.id);
    let problem = "there is no command `abide-has-no-such-agent`";
    let way_on = "check that it is installed and in the PATH of your login shell";
    assert_eq!(reason, format!("{problem}; {way_on}"));
    let failed: Task = shop.server.get(&path(task.id)).ok(200);
    assert!(place(&failed).exists(), "the place is there to look at");
    let _: Task = shop.server.patch(&path(task.id), json!({"agentId": "fake"})).ok(200);
    let _: ArchivedTask = shop.server.step(&format!("{}/session/retry", path(task.id))).ok(202);
    shop.wait_for_status(task.id, SessionStatus::Running);
    assert_eq!(shop.linked().len(), 1, "the other place is in the trash");
    let logs: Vec<SessionLog> = shop.server.get(&format!("{}/session-logs", path(task.id))).ok(200);
    assert_eq!(logs[0].error.as_deref(), Some(reason.as_str()));
    assert_eq!(logs[0].worker_id, None, "what never ran cannot be watched");
}

#[test]
fn w6_a_worktree_with_work_is_kept_and_the_answer_says_so() {
    let shop = Workshop::new();
    let uncommitted = shop.running("Uncommitted");
    fs::write(place(&uncommitted).join("new"), "new\n").unwrap();
    fs::write(place(&uncommitted).join("README.md"), "changed\n").unwrap();
    let committed = shop.running("Committed");
    fs::write(place(&committed).join("new"), "new\n").unwrap();
    shop.repository.git_in(place(&committed), &["add", "new"]);
    shop.repository.git_in(place(&committed), &["commit", "--quiet", "-m", "only here"]);
    let uncommitted_work = ["1 file with uncommitted changes", "1 file that git does not track"];
    for (task, work) in
        [(&uncommitted, &uncommitted_work[..]), (&committed, &["1 commit that is nowhere else"])]
    {
        let done = shop.complete(task.id);
        assert_eq!((done.task.status, done.task.session_id), (TaskState::Done, None));
        let kept = done.kept_worktree.expect("it is kept");
        assert_eq!(
            (kept.path.as_str(), kept.work.as_slice()),
            (
                task.worktree_path.as_deref().unwrap(),
                &work.iter().map(ToString::to_string).collect::<Vec<_>>()[..]
            )
        );
        assert_eq!(fs::read_to_string(place(task).join("new")).unwrap(), "new\n");
        let logs: Vec<SessionLog> = shop.server.get(&format!("{}/session-logs", path(task.id))).ok(200);
        assert_eq!(logs[0].kept_worktree, task.worktree_path);
        let worktree =
            shop.worktrees().into_iter().find(|worktree| Some(&worktree.path) == task.worktree_path.as_ref());
        let worktree = worktree.expect("it is listed");
        assert_eq!((worktree.state, worktree.note), (api::WorktreeState::Kept, Some(work.join(", "))));
        assert_eq!(worktree.session_ids, []);
    }
    // A person can open a session in the kept worktree.
    let kept = shop.worktrees().into_iter().find(|worktree| worktree.branch == "abide/committed").unwrap();
    let session = json!({"type": "worktree", "repositoryId": shop.id, "worktreeId": kept.id});
    let session: api::SessionReply = shop.server.post("/api/sessions", session).ok(201);
    assert_eq!(session.session.location_path, kept.path);
}

#[test]
fn further_workers_join_a_tasks_session_and_end_with_it() {
    let shop = Workshop::new();
    let task = shop.running("Something");
    let workers = format!("/api/sessions/{}/workers", task.session_id.unwrap());
    let terminal = json!({"type": "terminal", "command": ["sh", "-c", "pwd; read x"]});
    let terminal: api::WorkerReply = shop.server.post(&workers, terminal).ok(201);
    let agent = json!({"type": "agent", "agentId": "fake", "name": "Reviewer", "prompt": "look at it"});
    let agent: api::WorkerReply = shop.server.post(&workers, agent).ok(201);
    shop.wait_for_output(terminal.worker.id, task.worktree_path.as_deref().unwrap());
    shop.wait_for_output(agent.worker.id, "told: look at it");
    let listed: Vec<api::Worker> = shop.server.get(&workers).ok(200);
    let names: Vec<&str> = listed.iter().map(|worker| worker.name.as_str()).collect();
    assert_eq!(names, ["Fake", "Terminal 1", "Reviewer"]);
    let children: Vec<u32> =
        listed.iter().map(|worker| shop.house.called(worker.id.as_str()).status().child_pid).collect();

    // The status is that of the agent that the session was started for.
    shop.house.called(agent.worker.id.as_str()).send(b"\r");
    shop.server.wait_for_worker(agent.worker.id, "its end", |worker| {
        worker.state == WorkerState::Exited { exit_code: 0, signal: None }
    });
    let still: Task = shop.server.get(&path(task.id)).ok(200);
    assert_eq!(still.session_status, Some(SessionStatus::Running));
    shop.server.delete(&format!("{workers}/{}", agent.worker.id)).empty(204);
    shop.complete(task.id);
    assert_eq!(children.into_iter().filter(|child| is_alive(*child)).count(), 0);
    let refused = json!({"type": "terminal"});
    shop.server.post(&workers, refused).problem(ErrorCode::WrongState);
    assert_eq!(shop.server.get("/api/sessions").ok::<Vec<api::Session>>(200), []);
}

#[test]
fn a_session_that_is_being_started_is_not_started_twice() {
    let shop = Workshop::new();
    shop.runs(&["while ! [ -e \"$HOME/go\" ]; do sleep 0.05; done"], &[]);
    let task = shop.task("Something");
    let _: Task = shop.server.step(&format!("{}/session/start", path(task.id))).ok(202);
    let made = shop.wait_for_status(task.id, SessionStatus::Provisioning);
    shop.server.step(&format!("{}/session/start", path(task.id))).problem(ErrorCode::HasSession);
    let session = format!("/api/sessions/{}", made.session_id.unwrap());
    shop.server.delete(&session).problem(ErrorCode::InUse);
    fs::write(shop.house.path().join("go"), "").unwrap();
    let running = shop.wait_for_status(task.id, SessionStatus::Running);
    assert_eq!(running.session_id, made.session_id);
}

/// The arguments that `witness` got for a task.
fn heard(shop: &Workshop, task: Value) -> Vec<String> {
    let file = shop.house.path().join("arguments");
    let _ = fs::remove_file(&file);
    let task = shop.task_of(task);
    shop.start(task.id);
    let bytes = wait_for("its arguments", || fs::read(&file).ok());
    let words = String::from_utf8(bytes).unwrap();
    shop.complete(task.id);
    words.strip_suffix('\0').unwrap_or_default().split('\0').map(str::to_owned).collect()
}

#[test]
fn s35_a_prompt_is_one_argument_and_is_never_typed() {
    let shop = Workshop::new();
    for title in
        ["$(touch \"$HOME/ran\") `id`; rm -rf * && \"quotes\" 'and' \\", "Größe 日本 👍 100% {prompt}"]
    {
        assert_eq!(heard(&shop, json!({"title": title, "agentId": "witness"})), [title]);
    }
    let description = "- first\n\t- second\n\n--help\n$(touch \"$HOME/ran\")";
    let told = heard(&shop, json!({"title": "Do it", "description": description, "agentId": "witness"}));
    assert_eq!(told, [format!("Do it\n\n{description}")]);
    let told = heard(&shop, json!({"title": "--version", "agentId": "witness"}));
    assert_eq!(told, [" --version"], "an option is none");
    let told = heard(&shop, json!({"title": "update", "agentId": "witness"}));
    assert_eq!(told, [" update"], "a command is none");
    assert!(!shop.house.path().join("ran").exists());
}
