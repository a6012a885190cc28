//! `/api/sessions`: places of work, and the workers in them.

use std::fs;
use std::path::PathBuf;

use api::{ErrorCode, Session, SessionActivity, SessionKind, SessionReply, Worker, WorkerReply, WorkerState};
use model::SessionId;
use serde_json::{Value, json};

use super::{Server, Workshop};
use crate::house::{House, is_alive};

fn path(id: SessionId) -> String {
    format!("/api/sessions/{id}")
}

/// A directory of this name in the house.
fn directory(house: &House, name: &str) -> PathBuf {
    let directory = house.path().join(name);
    fs::create_dir_all(&directory).unwrap();
    directory
}

fn quick(server: &Server, directory: &std::path::Path) -> Session {
    let session = json!({"type": "quick", "locationPath": directory});
    server.post("/api/sessions", session).ok::<SessionReply>(201).session
}

fn add(server: &Server, session: &Session, worker: Value) -> Worker {
    server.post(&format!("{}/workers", path(session.id)), worker).ok::<WorkerReply>(201).worker
}

fn sessions(server: &Server) -> Vec<Session> {
    server.get("/api/sessions").ok(200)
}

#[test]
fn a_session_is_made_named_ordered_and_ended() {
    let house = House::new();
    let server = Server::start(&house);
    let place = directory(&house, "place");
    let session = quick(&server, &place);
    assert_eq!((session.kind.clone(), session.status), (SessionKind::Quick, SessionActivity::Inactive));
    assert_eq!((session.location_path.as_str(), session.location_missing), (place.to_str().unwrap(), false));
    let shell = add(&server, &session, json!({"type": "terminal"}));
    assert_eq!((shell.name.as_str(), shell.session_id), ("Terminal 1", session.id));
    let other = add(&server, &session, json!({"type": "terminal", "name": "Other", "command": ["cat"]}));
    let third = add(&server, &session, json!({"type": "terminal", "command": []}));
    assert_eq!(third.name, "Terminal 2");

    let update = |change: Value| server.patch(&path(session.id), change);
    let changed: Session =
        update(json!({"title": " Mine ", "workerIds": [other.id, third.id, shell.id]})).ok(200);
    assert_eq!((changed.title.as_deref(), changed.status), (Some("Mine"), SessionActivity::Active));
    let ids = |workers: &[Worker]| workers.iter().map(|worker| worker.id).collect::<Vec<_>>();
    assert_eq!(ids(&changed.workers), [other.id, third.id, shell.id]);
    assert_eq!(
        ids(&server.get(&format!("{}/workers", path(session.id))).ok::<Vec<Worker>>(200)),
        ids(&changed.workers)
    );
    for wrong in [
        json!([shell.id]),
        json!([shell.id, shell.id, other.id]),
        json!([shell.id, other.id, third.id, "00000000"]),
    ] {
        update(json!({ "workerIds": wrong })).problem(ErrorCode::InvalidBody);
    }
    update(json!({"title": "two\nlines"})).problem(ErrorCode::BadText);
    assert_eq!(update(json!({"title": ""})).ok::<Session>(200).title, None);
    assert_eq!(ids(&server.get(&path(session.id)).ok::<Session>(200).workers), ids(&changed.workers));
    assert_eq!(sessions(&server).len(), 1);

    let child = house.called(other.id.as_str()).status().child_pid;
    server.delete(&path(session.id)).empty(204);
    assert!(!is_alive(child));
    server.get(&path(session.id)).problem(ErrorCode::NotFound);
    server.delete(&path(session.id)).problem(ErrorCode::NotFound);
    server.get(&format!("/api/workers/{}", shell.id)).problem(ErrorCode::NotFound);
    assert_eq!(house.home().worker_dirs().unwrap().len(), 0, "nothing of its workers is left");
    assert!(place.exists(), "the place is not ours");
}

#[test]
fn a_session_begins_with_an_agent_if_the_request_names_one() {
    let shop = Workshop::new();
    let place = directory(&shop.house, "place");
    let begin = |more: Value| {
        let mut session = json!({"type": "quick", "locationPath": place});
        session.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        shop.server.post("/api/sessions", session)
    };
    let session = begin(json!({"agentId": "fake", "prompt": "do it"})).ok::<SessionReply>(201).session;
    shop.wait_for_output(session.workers[0].id, "told: do it");
    let session =
        begin(json!({"agentId": "fake", "continueConversation": true})).ok::<SessionReply>(201).session;
    shop.wait_for_output(session.workers[0].id, "told: to go on");

    let before = sessions(&shop.server).len();
    begin(json!({"agentId": "nobody"})).problem(ErrorCode::UnknownAgent);
    let problem = begin(json!({"agentId": "absent"})).problem(ErrorCode::CannotStart);
    assert!(problem.error.message.contains("abide-has-no-such-agent"), "{problem:?}");
    begin(json!({"agentId": "fake", "prompt": "\u{1b}[2J"})).problem(ErrorCode::BadText);
    assert_eq!(sessions(&shop.server).len(), before, "there is no session without its agent");
    assert_eq!(shop.house.home().worker_dirs().unwrap().len(), 2);
}

#[test]
fn a_session_in_a_worktree_is_in_that_worktree() {
    let shop = Workshop::new();
    let worktree = shop.worktree(Some("branch"));
    let begin = |more: Value| {
        let mut session = json!({"type": "worktree", "repositoryId": shop.id, "worktreeId": worktree.id});
        session.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        shop.server.post("/api/sessions", session)
    };
    let session = begin(json!({"locationPath": worktree.path})).ok::<SessionReply>(201).session;
    let kind =
        SessionKind::Worktree { repository_id: shop.id, worktree_id: worktree.id, branch: "branch".into() };
    assert_eq!((session.kind.clone(), session.location_path.as_str()), (kind, worktree.path.as_str()));
    let worker = add(
        &shop.server,
        &session,
        json!({"type": "terminal", "command": ["sh", "-c", "pwd; echo \"$COMPOSE_PROJECT_NAME\"; read x"]}),
    );
    shop.wait_for_output(worker.id, &worktree.path);
    shop.wait_for_output(worker.id, &format!("abide-{}", worktree.id));

    begin(json!({"locationPath": "/tmp"})).problem(ErrorCode::BadPath);
    begin(json!({"worktreeId": "00000000"})).problem(ErrorCode::NotFound);
    begin(json!({"repositoryId": "00000000"})).problem(ErrorCode::NotFound);
    shop.server.delete(&path(session.id)).empty(204);
    assert!(std::path::Path::new(&worktree.path).exists(), "its worktree stays");
    let _: api::RemovedWorktree = shop.server.delete(&format!("/api/worktrees/{}", worktree.id)).ok(200);
    begin(json!({})).problem(ErrorCode::WrongState);
    assert_eq!(sessions(&shop.server), []);
}

#[test]
fn invalid_sessions_and_workers_are_refused() {
    let house = House::new();
    let server = Server::start(&house);
    let place = directory(&house, "place");
    let text = place.to_str().unwrap();
    for (session, code) in [
        (json!({"type": "quick", "locationPath": "place"}), ErrorCode::BadPath),
        (json!({"type": "quick", "locationPath": format!("{text}/..")}), ErrorCode::BadPath),
        (json!({"type": "quick", "locationPath": "/no/such/place"}), ErrorCode::BadPath),
        (json!({"type": "quick", "locationPath": "/dev/null"}), ErrorCode::BadPath),
        (json!({"type": "slow", "locationPath": text}), ErrorCode::InvalidBody),
        (json!({"type": "quick"}), ErrorCode::InvalidBody),
        (json!({"type": "worktree", "locationPath": text}), ErrorCode::InvalidBody),
    ] {
        server.post("/api/sessions", session).problem(code);
    }
    assert_eq!(sessions(&server), []);
    let session = quick(&server, &place);
    let workers = format!("{}/workers", path(session.id));
    for (worker, code) in [
        (json!({"type": "terminal", "command": ["abide-has-no-such-program"]}), ErrorCode::CannotStart),
        (json!({"type": "terminal", "command": [text]}), ErrorCode::CannotStart),
        (json!({"type": "terminal", "command": [""]}), ErrorCode::BadText),
        (json!({"type": "terminal", "command": ["echo", "a\0b"]}), ErrorCode::BadText),
        (json!({"type": "terminal", "name": ""}), ErrorCode::BadText),
        (json!({"type": "terminal", "name": "\u{202e}x"}), ErrorCode::BadText),
        (json!({"type": "agent", "agentId": "nobody"}), ErrorCode::UnknownAgent),
        (json!({"type": "agent"}), ErrorCode::InvalidBody),
        (json!({"type": "diff"}), ErrorCode::InvalidBody),
        (json!({"type": "terminal", "command": "ls"}), ErrorCode::InvalidBody),
    ] {
        server.post(&workers, worker).problem(code);
    }
    assert_eq!(server.get(&workers).ok::<Vec<Worker>>(200), [], "a refused worker is not listed");
    assert_eq!(house.home().worker_dirs().unwrap().len(), 0);
    server.step(&format!("{}/restart", path(session.id))).problem(ErrorCode::WrongState);
}

#[test]
fn a_worker_is_renamed_restarted_and_closed_in_its_own_session_alone() {
    let shop = Workshop::new();
    let server = &shop.server;
    let (first, second) =
        (quick(server, &directory(&shop.house, "a")), quick(server, &directory(&shop.house, "b")));
    let worker = add(
        server,
        &first,
        json!({"type": "terminal", "command": ["sh", "-c", "echo here; read x; exit 3"]}),
    );
    let own = format!("{}/workers/{}", path(first.id), worker.id);
    let foreign = format!("{}/workers/{}", path(second.id), worker.id);
    server.patch(&foreign, json!({"name": "Mine"})).problem(ErrorCode::NotFound);
    server.step(&format!("{foreign}/restart")).problem(ErrorCode::NotFound);
    server.delete(&foreign).problem(ErrorCode::NotFound);
    server.patch(&own, json!({"name": " "})).problem(ErrorCode::BadText);
    let renamed: WorkerReply = server.patch(&own, json!({"name": " Mine "})).ok(200);
    assert_eq!(renamed.worker.name, "Mine");

    let child = shop.house.called(worker.id.as_str()).status().child_pid;
    let after = add(server, &first, json!({"type": "terminal", "command": ["cat"]}));
    let again = server.step(&format!("{own}/restart")).ok::<WorkerReply>(200).worker;
    assert!(!is_alive(child), "one child at a time");
    assert_ne!(again.id, worker.id);
    shop.wait_for_output(again.id, "here");
    let listed: Vec<Worker> = server.get(&format!("{}/workers", path(first.id))).ok(200);
    let shown: Vec<_> = listed.iter().map(|worker| (worker.id, worker.name.as_str())).collect();
    assert_eq!(shown, [(again.id, "Mine"), (worker.id, "Mine (earlier)"), (after.id, "Terminal 1")]);
    server.wait_for_worker(worker.id, "its end", |worker| matches!(worker.state, WorkerState::Exited { .. }));

    server.delete(&own).empty(204);
    server.get(&format!("/api/workers/{}", worker.id)).problem(ErrorCode::NotFound);
    server.delete(&own).problem(ErrorCode::NotFound);
    assert!(!shop.house.home().worker(worker.id).path().exists());
}

#[test]
fn restarting_a_session_continues_its_agents() {
    let shop = Workshop::new();
    let place = directory(&shop.house, "place");
    let session = json!({"type": "quick", "locationPath": place, "agentId": "fake", "prompt": "do it"});
    let session = shop.server.post("/api/sessions", session).ok::<SessionReply>(201).session;
    add(&shop.server, &session, json!({"type": "terminal", "command": ["cat"]}));
    let mut last = session.workers[0].id;
    for _ in 0..2 {
        let restarted: Session = shop.server.step(&format!("{}/restart", path(session.id))).ok(200);
        let fakes: Vec<&Worker> = restarted.workers.iter().filter(|worker| worker.name == "Fake").collect();
        assert_eq!(fakes.len(), 1, "{:?}", restarted.workers);
        assert_ne!(fakes[0].id, last);
        last = fakes[0].id;
        shop.wait_for_output(last, "told: to go on");
    }
    let workers = shop.server.get(&path(session.id)).ok::<Session>(200).workers;
    let live = workers.iter().filter(|worker| worker.state == WorkerState::Live).count();
    assert_eq!((workers.len(), live), (4, 2), "{workers:?}");
}

#[test]
fn n4_a_missing_directory_is_an_error_and_never_replaced_by_another() {
    let shop = Workshop::new();
    let place = directory(&shop.house, "place");
    let session = json!({"type": "quick", "locationPath": place, "agentId": "fake"});
    let session = shop.server.post("/api/sessions", session).ok::<SessionReply>(201).session;
    let worker = session.workers[0].id;
    fs::remove_dir(&place).unwrap();
    let seen: Session = shop.server.get(&path(session.id)).ok(200);
    assert!(seen.location_missing);
    let workers = format!("{}/workers", path(session.id));
    shop.server.post(&workers, json!({"type": "terminal", "command": ["pwd"]})).problem(ErrorCode::Missing);
    for restart in [format!("{workers}/{worker}/restart"), format!("{}/restart", path(session.id))] {
        shop.server.step(&restart).problem(ErrorCode::Missing);
    }
    assert!(!place.exists(), "nothing is made in its place");
    let seen: Session = shop.server.get(&path(session.id)).ok(200);
    let [still] = seen.workers.as_slice() else { panic!("{:?}", seen.workers) };
    assert_eq!((still.id, still.name.as_str()), (worker, "Fake"));
    assert_eq!(still.state, WorkerState::Live, "the running agent is left alone");
    // Once the directory is back, the agent can be restarted.
    fs::create_dir(&place).unwrap();
    let restarted: Session = shop.server.step(&format!("{}/restart", path(session.id))).ok(200);
    assert!(!restarted.location_missing);
    shop.wait_for_output(restarted.workers[0].id, "told: to go on");
}
