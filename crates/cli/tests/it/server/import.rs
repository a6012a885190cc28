//! `/api/sessions/import`: sessions of agent-console, old format and new.

use std::fs;
use std::path::Path;

use api::{ErrorCode, ImportReply, Session, SessionActivity, SessionKind, WorkerKind, WorkerState};
use serde_json::{Value, json};

use super::{Server, Workshop, raw};
use crate::house::House;

/// When everything there was made.
const CREATED: &str = "2025-01-01T00:00:00.000Z";

fn import(server: &Server, sessions: Value) -> ImportReply {
    server.post("/api/sessions/import", sessions).ok(200)
}

fn session(server: &Server, id: model::SessionId) -> Session {
    server.get(&format!("/api/sessions/{id}")).ok(200)
}

#[test]
fn sessions_of_the_new_format_come_with_their_workers_and_go_on_when_wanted() {
    let shop = Workshop::new();
    let place = shop.house.path().join("place");
    fs::create_dir(&place).unwrap();
    let worker = |id: &str, kind: &str, name: &str, agent: Option<&str>| {
        let mut worker = json!({"id": id, "type": kind, "name": name, "pid": 1, "createdAt": CREATED});
        if let Some(agent) = agent {
            worker["agentId"] = json!(agent);
        }
        worker
    };
    let sessions = json!([
        {
            "id": "session-abc-123", "type": "worktree", "locationPath": shop.repository.text(),
            "repositoryId": "repo-1", "worktreeId": "wt-feature-branch", "serverPid": 1, "createdAt": CREATED,
            "workers": [
                worker("worker-1", "agent", "Claude", Some("claude-code-builtin")),
                worker("worker-2", "terminal", "Terminal 1", None),
            ],
        },
        {
            "id": "session-def-456", "type": "quick", "locationPath": place, "serverPid": 1, "createdAt": CREATED,
            "workers": [worker("worker-3", "agent", "Mine", Some("fake"))],
        },
    ]);
    let reply = import(&shop.server, sessions.clone());
    assert_eq!((reply.imported.len(), reply.skipped.as_slice()), (2, &[][..]));
    let first = session(&shop.server, reply.imported[0]);
    let SessionKind::Worktree { repository_id, branch, worktree_id } = &first.kind else {
        panic!("{first:?}")
    };
    assert_eq!((*repository_id, branch.as_str()), (shop.id, "main"));
    assert_eq!(
        (first.location_path.as_str(), first.status),
        (shop.repository.text(), SessionActivity::Inactive)
    );
    assert!(first.notices[0].contains("session-abc-123"));
    let created: jiff::Timestamp = CREATED.parse().unwrap();
    assert_eq!(first.created_at, created);
    assert!(first.workers.iter().all(|worker| worker.created_at == created), "{:?}", first.workers);
    let names: Vec<&str> = first.workers.iter().map(|worker| worker.name.as_str()).collect();
    assert_eq!(names, ["Claude", "Terminal 1"]);
    assert_eq!(first.workers[0].kind, WorkerKind::Agent { agent_id: "claude".into() });
    assert!(first.workers.iter().all(|worker| worker.state == WorkerState::Paused), "{:?}", first.workers);
    // The pids in the file belong to processes that are not ours. The repository's first worktree is not ours either.
    shop.server.delete(&format!("/api/sessions/{}", first.id)).empty(204);
    let forgotten: api::RemovedWorktree =
        shop.server.delete(&format!("/api/worktrees/{worktree_id}")).ok(200);
    assert!(forgotten.worktree.note.is_some_and(|note| note.contains("left the files alone")));
    assert!(shop.repository.path().join("README.md").exists());
    assert_eq!(shop.worktrees(), []);

    let second = session(&shop.server, reply.imported[1]);
    assert_eq!(second.kind, SessionKind::Quick);
    let shop = shop.kill_and_start();
    assert_eq!(session(&shop.server, second.id), second, "it stays paused");
    let restarted: Session = shop.server.step(&format!("/api/sessions/{}/restart", second.id)).ok(200);
    let [worker] = restarted.workers.as_slice() else { panic!("{:?}", restarted.workers) };
    assert_eq!((worker.name.as_str(), restarted.status), ("Mine", SessionActivity::Active));
    shop.wait_for_output(worker.id, "told: to go on");

    let again = import(&shop.server, sessions);
    assert_eq!(again.imported.len(), 1, "the one that was deleted");
    assert_eq!(
        (again.skipped[0].id.as_str(), again.skipped[0].reason.as_str()),
        ("session-def-456", "it is imported already")
    );
}

#[test]
fn w6_a_worktree_that_abide_did_not_make_is_forgotten_and_never_touched() {
    let shop = Workshop::new();
    let own = shop.house.path().join("own");
    let add = ["worktree", "add", "--quiet", "-b", "own", own.to_str().unwrap()];
    shop.repository.git(&add);
    fs::write(own.join(".env"), "SECRET=1").unwrap();
    let session = json!([{
        "id": "session-1", "type": "worktree", "locationPath": own, "repositoryId": "repo-1", "worktreeId": "own",
        "serverPid": 1, "createdAt": CREATED,
        "workers": [{"id": "worker-1", "type": "agent", "name": "Mine", "agentId": "fake", "pid": 1, "createdAt": CREATED}],
    }]);
    let imported = import(&shop.server, session).imported[0];
    let restarted: Session = shop.server.step(&format!("/api/sessions/{imported}/restart")).ok(200);
    shop.wait_for_output(restarted.workers[0].id, "told: to go on");
    let forget = |server: &Server| {
        let worktrees: Vec<api::Worktree> = server.get("/api/worktrees").ok(200);
        let [worktree] = worktrees.as_slice() else { panic!("{worktrees:?}") };
        let path = format!("/api/worktrees/{}", worktree.id);
        let problem = server.delete(&path).problem(ErrorCode::InUse);
        assert_eq!(problem.error.detail, Some(json!({"sessionIds": [imported]})));
        server.delete(&format!("/api/sessions/{imported}")).empty(204);
        let _: api::RemovedWorktree = server.delete(&path).ok(200);
        server.get(&path).problem(ErrorCode::NotFound);
        assert_eq!(fs::read_to_string(own.join(".env")).unwrap(), "SECRET=1");
        let repositories: Vec<api::Repository> = server.get("/api/repositories").ok(200);
        server.delete(&format!("/api/repositories/{}", repositories[0].id)).empty(204);
    };
    // Nor is it ours for a server that knows of it from its worker alone.
    let Workshop { server, repository: _repository, id: _, house } = shop;
    server.kill();
    for file in ["abide.db", "abide.db-wal", "abide.db-shm"] {
        let _ = fs::remove_file(house.path().join(file));
    }
    let server = Server::start(&house);
    forget(&server);
}

#[test]
fn sessions_of_the_old_format_get_the_agent_that_they_had() {
    let shop = Workshop::new();
    let place = shop.house.path().join("place");
    fs::create_dir(&place).unwrap();
    let old = |id: &str, path: &Path, repository: Option<&str>| {
        let about = json!({"pid": 1, "serverPid": 1, "createdAt": CREATED});
        let mut old = json!({"id": id, "worktreePath": path, "repositoryId": repository});
        old.as_object_mut().unwrap().extend(about.as_object().unwrap().clone());
        old
    };
    let repository = shop.repository.path();
    let sessions = json!([
        old("a", &place, Some("default")),
        old("b", repository, Some("repo-1")),
        old("c", repository, None),
        old("d", &place, Some("repo-1")),
    ]);
    let reply = import(&shop.server, sessions);
    assert_eq!(reply.skipped, []);
    let kinds: Vec<bool> = reply
        .imported
        .iter()
        .map(|id| {
            let session = session(&shop.server, *id);
            let [worker] = session.workers.as_slice() else { panic!("{session:?}") };
            assert_eq!(worker.kind, WorkerKind::Agent { agent_id: "claude".into() });
            assert_eq!((worker.name.as_str(), worker.state.clone()), ("Claude", WorkerState::Paused));
            session.kind == SessionKind::Quick
        })
        .collect();
    // Without a repository's name it was in one, and what is in none is a place all the same.
    assert_eq!(kinds, [true, false, false, true]);
}

#[test]
fn s39_an_import_names_what_it_skipped_and_harms_nothing() {
    let house = House::new();
    let server = Server::start(&house);
    let here = house.path();
    let worker =
        |worker: Value| json!({"id": "x", "type": "quick", "locationPath": here, "workers": [worker]});
    let sessions = json!([
        42,
        {"type": "quick"},
        {"id": "gone", "type": "quick", "locationPath": "/no/such/place", "workers": []},
        {"id": "relative", "type": "quick", "locationPath": "here", "workers": []},
        {"id": "nowhere", "type": "quick", "workers": []},
        worker(json!({"type": "diff", "name": "Diff"})),
        worker(json!({"type": "agent", "name": "Agent", "agentId": "nobody"})),
        worker(json!({"type": "terminal", "name": "\u{1b}[31mred"})),
        {"id": "\u{202e}fine", "type": "quick", "locationPath": here, "workers": []},
    ]);
    let reply = import(&server, sessions);
    assert_eq!(reply.imported.len(), 1);
    let skipped: Vec<&str> = reply.skipped.iter().map(|skipped| skipped.id.as_str()).collect();
    assert_eq!(skipped, ["?", "?", "gone", "relative", "nowhere", "x", "x", "x"]);
    assert!(reply.skipped.iter().all(|skipped| !skipped.reason.contains('\u{1b}')));
    let listed: Vec<Session> = server.get("/api/sessions").ok(200);
    assert_eq!(listed.len(), 1);
    assert!(!listed[0].notices[0].contains('\u{202e}'));
    for wrong in [json!({}), json!("x"), json!(null)] {
        server.post("/api/sessions/import", wrong).problem(ErrorCode::InvalidBody);
    }
    // JSON that is nested too deeply is refused.
    let deep = "[".repeat(100_000);
    raw::post(&server, "/api/sessions/import", "application/json", deep.as_bytes())
        .problem(ErrorCode::BadJson);
}
