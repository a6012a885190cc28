//! Each request: its method, its path, its body and the type of its reply.

use std::fmt::Debug;

use api::{AddRepository, Agree, CreateTask, Session, Task};
use client::{Client, Error, TasksOf};
use model::{RepositoryId, SessionId, TaskId};
use serde_json::{Value, json};

use crate::desk::Desk;

fn repository_id() -> RepositoryId {
    RepositoryId::from_random([1; 8])
}

fn task_id() -> TaskId {
    TaskId::from_random([2; 8])
}

fn session_id() -> SessionId {
    SessionId::from_random([3; 8])
}

fn repository() -> Value {
    json!({"id": repository_id(), "path": "/shop", "name": "shop", "createdAt": "2026-01-01T00:00:00Z"})
}

fn task() -> Value {
    json!({
        "id": task_id(), "projectId": repository_id(), "title": "Fix", "description": null, "pinned": false,
        "status": "active", "agentId": null, "sessionId": null, "workerId": null, "sessionStatus": null,
        "worktreePath": null, "branch": null, "sessionStartedAt": null, "sessionError": null, "position": 0,
        "createdAt": "2026-01-01T00:00:00Z", "keptWorktree": {"path": "/w", "work": ["1 file"]},
    })
}

fn session() -> Value {
    json!({
        "id": session_id(), "type": "quick", "locationPath": "/w", "locationMissing": false, "title": null,
        "status": "active", "taskId": null, "notices": [], "createdAt": "2026-01-01T00:00:00Z", "workers": [],
    })
}

/// Sends a request. The server must get `line` and `body`; its answer is `answer`. Returns the reply.
#[track_caller]
fn check<T: Debug>(
    line: &'static str,
    body: Value,
    answer: Value,
    request: impl FnOnce(&Client) -> Result<T, Error>,
) -> T {
    let answer = if answer.is_null() { String::new() } else { answer.to_string() };
    let desk = Desk::answering(line, if answer.is_empty() { 204 } else { 200 }, &answer);
    let reply = request(&desk.client()).expect(line);
    let asked = desk.only_request();
    assert_eq!(asked.line, line);
    let sent = if asked.body.is_empty() { Value::Null } else { serde_json::from_str(&asked.body).unwrap() };
    assert_eq!(sent, body, "{line}");
    reply
}

#[test]
fn tasks_are_listed_written_down_and_forgotten() {
    let tasks = check("GET /api/tasks", Value::Null, json!([task()]), Client::tasks);
    assert_eq!((tasks[0].id, tasks[0].title.as_str()), (task_id(), "Fix"));
    let one = check("GET /api/tasks/22222222", Value::Null, task(), |client| client.task(task_id()));
    assert_eq!(one, tasks[0]);
    let create = CreateTask {
        project_id: repository_id(),
        title: "Fix".into(),
        description: None,
        agent_id: Some("codex".into()),
        pinned: false,
    };
    let body = json!({
        "projectId": "11111111", "title": "Fix", "description": null, "agentId": "codex", "pinned": false,
    });
    assert_eq!(check("POST /api/tasks", body, task(), |client| client.create_task(&create)), one);
    check("DELETE /api/tasks/22222222", Value::Null, Value::Null, |client| client.delete_task(task_id()));
}

#[test]
fn a_task_goes_through_its_states() {
    type Step = fn(&Client, TaskId) -> Result<Task, Error>;
    let steps: [(&str, Step); 3] = [
        ("POST /api/tasks/22222222/activate", Client::activate_task),
        ("POST /api/tasks/22222222/reopen", Client::reopen_task),
        ("POST /api/tasks/22222222/session/start", Client::start_session),
    ];
    for (line, step) in steps {
        let task = check(line, Value::Null, task(), |client| step(client, task_id()));
        assert_eq!(task.id, task_id(), "{line}");
    }
    type Archive = fn(&Client, TaskId) -> Result<api::ArchivedTask, Error>;
    let archives: [(&str, Archive); 3] = [
        ("POST /api/tasks/22222222/complete", Client::complete_task),
        ("POST /api/tasks/22222222/session/retry", Client::retry_session),
        ("POST /api/tasks/22222222/session/cancel", Client::cancel_session),
    ];
    for (line, archive) in archives {
        let archived = check(line, Value::Null, task(), |client| archive(client, task_id()));
        assert_eq!(archived.kept_worktree.unwrap().path, "/w", "{line}");
    }
    let logs = check("GET /api/tasks/22222222/session-logs", Value::Null, json!([]), |client| {
        client.session_logs(task_id())
    });
    assert!(logs.is_empty());
}

#[test]
fn sessions_are_listed_and_ended() {
    let is_it = |session: &Session| session.id == session_id();
    assert!(check("GET /api/sessions", Value::Null, json!([session()]), Client::sessions).iter().all(is_it));
    let one =
        check("GET /api/sessions/33333333", Value::Null, session(), |client| client.session(session_id()));
    assert!(is_it(&one));
    check("DELETE /api/sessions/33333333", Value::Null, Value::Null, |client| {
        client.delete_session(session_id())
    });
}

#[test]
fn repositories_are_registered_and_forgotten() {
    let all = check("GET /api/repositories", Value::Null, json!([repository()]), Client::repositories);
    assert_eq!(all[0].name, "shop");
    let add = AddRepository { path: "/shop".into() };
    let added = check("POST /api/repositories", json!({"path": "/shop"}), repository(), |client| {
        client.add_repository(&add)
    });
    assert_eq!(added.id, repository_id());
    for (line, tasks) in [
        ("DELETE /api/repositories/11111111", TasksOf::Kept),
        ("DELETE /api/repositories/11111111?tasks=true", TasksOf::Forgotten),
    ] {
        check(line, Value::Null, Value::Null, |client| client.delete_repository(repository_id(), tasks));
    }
    assert!(check("GET /api/worktrees", Value::Null, json!([]), Client::worktrees).is_empty());
}

#[test]
fn commands_are_shown_and_agreed_to() {
    let answer = json!({"setup": ["npm ci"], "teardown": [],
        "commands": [{"runs": "setup", "parts": [{"kind": "text", "text": "npm ci"}]}], "hash": "h", "agreed": true, "warnings": []});
    let shown = check("GET /api/repositories/11111111/provisioning", Value::Null, answer.clone(), |client| {
        client.provisioning(repository_id())
    });
    assert_eq!(shown.setup, ["npm ci"]);
    let agreed =
        check("POST /api/repositories/11111111/provisioning/agree", json!({"hash": "h"}), answer, |client| {
            client.agree(repository_id(), &Agree { hash: "h".into() })
        });
    assert!(agreed.agreed);
}
