//! The first things that a person does with a server.

use serde_json::json;

use super::{Repository, Server, Socket};
use crate::house::House;

#[test]
fn a_quick_session_with_a_terminal_is_made_listed_and_ended() {
    let house = House::new();
    let server = Server::start(&house);
    let (session, worker) = server.terminal(house.path().to_str().unwrap(), "echo hello; read x; exit 3");
    assert_eq!(worker.name, "Terminal 1");
    let mut dashboard = Socket::open(&server, "/ws/dashboard");
    let state = dashboard.json();
    assert_eq!(state["type"], "state");
    assert_eq!(state["sessions"][0]["workers"][0]["id"], json!(worker.id));
    server.wait_for_worker(worker.id, "its handle", |worker| worker.handle.is_some());
    house.called(&worker.id.to_string()).send(b"\r");
    let ended = server.wait_for_worker(worker.id, "its end", |worker| {
        worker.state == api::WorkerState::Exited { exit_code: 3, signal: None }
    });
    assert!(ended.ended_at.is_some());
    dashboard.wait_for("the end", |message| {
        message["event"]["kind"] == "terminal.process_exited" && message["event"]["exitCode"] == 3
    });
    server.delete(&format!("/api/sessions/{}", session.id)).empty(204);
    dashboard.wait_for("the session's end", |message| message["event"]["kind"] == "session.removed");
}

#[test]
fn a_task_goes_from_the_backlog_to_done() {
    let house = House::new();
    let repository = Repository::new(house.path(), "project");
    std::fs::write(
        house.path().join("agents.toml"),
        "[[agent]]\nid = \"fake\"\nname = \"Fake\"\ncommand = [\"sh\", \"-c\", \"echo told: \\\"$0\\\"; read x\"]\nprompt = [\"{prompt}\"]\n",
    )
    .unwrap();
    let server = Server::start(&house);
    let added: api::Repository = server.post("/api/repositories", json!({"path": repository.text()})).ok(201);
    let task = json!({"projectId": added.id, "title": "Fix the login", "agentId": "fake"});
    let task: api::Task = server.post("/api/tasks", task).ok(201);
    server.step(&format!("/api/tasks/{}/session/start", task.id)).problem(api::ErrorCode::TaskNotActive);
    let _: api::Task = server.step(&format!("/api/tasks/{}/activate", task.id)).ok(200);
    let _: api::Task = server.step(&format!("/api/tasks/{}/session/start", task.id)).ok(202);
    let running = server.wait_for_task(task.id, "a running session", |task| {
        task.session_status == Some(api::SessionStatus::Running)
    });
    assert_eq!(running.branch.as_deref(), Some("abide/fix-the-login"));
    let worktree = running.worktree_path.clone().unwrap();
    assert!(std::path::Path::new(&worktree).join("README.md").exists());
    let done: api::ArchivedTask = server.step(&format!("/api/tasks/{}/complete", task.id)).ok(200);
    assert_eq!(done.task.status, api::TaskState::Done);
    assert_eq!(done.kept_worktree, None);
    assert!(!std::path::Path::new(&worktree).exists());
    let logs: Vec<api::SessionLog> = server.get(&format!("/api/tasks/{}/session-logs", task.id)).ok(200);
    assert_eq!(logs.len(), 1);
}
