//! `/api/workers`, `/api/pty-stats` and `/api/agents`: lists of workers and agents, and statistics.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::thread;

use api::{Activity, Agent, ErrorCode, PtyStat, Upload, Worker, WorkerKind, WorkerState};
use model::WorkerId;
use rustix::process::Signal;
use serde_json::json;

use super::{Server, Workshop, raw};
use crate::house::{House, signal, wait_for};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nand so on";

fn workers(server: &Server) -> Vec<Worker> {
    server.get("/api/workers").ok(200)
}

#[test]
fn workers_of_all_sessions_are_listed() {
    let shop = Workshop::new();
    let task = shop.running("Something");
    let (session, terminal) =
        shop.server.terminal(shop.repository.text(), "printf '\\033]2;a title\\007'; read x; kill -9 $$");
    let listed = workers(&shop.server);
    let ids: Vec<WorkerId> = listed.iter().map(|worker| worker.id).collect();
    assert_eq!(ids, [task.worker_id.unwrap(), terminal.id]);
    assert_eq!(listed[0].kind, WorkerKind::Agent { agent_id: "fake".into() });
    assert_eq!((listed[1].kind.clone(), listed[1].session_id), (WorkerKind::Terminal, session.id));
    let seen = shop.server.wait_for_worker(terminal.id, "its title", |worker| worker.title.is_some());
    assert_eq!((seen.title.as_deref(), seen.state.clone()), (Some("a title"), WorkerState::Live));
    assert_eq!((seen.activity, seen.viewers, seen.ended_at), (Activity::Unknown, 0, None));
    assert!(seen.handle.is_some() && seen.started_at.is_some());
    shop.house.called(terminal.id.as_str()).send(b"\r");
    let ended = shop.server.wait_for_worker(terminal.id, "its end", |worker| worker.ended_at.is_some());
    assert_eq!(ended.state, WorkerState::Exited { exit_code: 137, signal: Some(9) });
    assert_eq!(workers(&shop.server).len(), 2, "ended workers are listed too");
}

#[test]
fn running_workers_have_statistics() {
    let house = House::new();
    let server = Server::start(&house);
    assert_eq!(server.get("/api/pty-stats").ok::<Vec<PtyStat>>(200), []);
    let (session, worker) = server.terminal(house.path().to_str().unwrap(), "printf 12345; read x");
    let stat = wait_for("five bytes", || {
        let stats: Vec<PtyStat> = server.get("/api/pty-stats").ok(200);
        stats.into_iter().find(|stat| stat.output_bytes == 5)
    });
    assert_eq!((stat.session_id, stat.worker_id), (session.id, worker.id));
    assert!(stat.last_activity.unwrap() >= worker.created_at);
    house.called(worker.id.as_str()).send(b"\r");
    wait_for("nothing that runs", || {
        server.get("/api/pty-stats").ok::<Vec<PtyStat>>(200).is_empty().then_some(())
    });
}

#[test]
fn a_host_that_does_not_answer_does_not_delay_the_statistics_of_others() {
    let house = House::new();
    let server = Server::start(&house);
    // Two hosts that do not answer: listeners of ours, who take a question and keep it.
    let silent: Vec<UnixListener> = (0..2)
        .map(|_| {
            let (_, worker) = server.terminal("/", "read x");
            let hosted = house.called(worker.id.as_str());
            signal(hosted.status().host_pid, Signal::STOP);
            fs::remove_file(hosted.dir.socket()).unwrap();
            let listener = UnixListener::bind(hosted.dir.socket()).unwrap();
            listener.set_nonblocking(true).unwrap();
            listener
        })
        .collect();
    thread::scope(|scope| {
        let stats = scope.spawn(|| server.get("/api/pty-stats").ok::<Vec<PtyStat>>(200));
        let asked: Vec<UnixStream> = silent
            .iter()
            .map(|silent| wait_for("a question", || silent.accept().ok().map(|(asked, _)| asked)))
            .collect();
        for mut asked in asked {
            // If the server had given up on a host, it would have closed this connection.
            asked.set_nonblocking(true).unwrap();
            let left = std::io::copy(&mut asked, &mut std::io::sink());
            let error = left.expect_err("every host is still waited for");
            assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock);
        }
        assert_eq!(stats.join().unwrap(), []);
    });
}

#[test]
fn agents_are_listed_with_whether_they_are_installed() {
    let shop = Workshop::new();
    let agents: Vec<Agent> = shop.server.get("/api/agents").ok(200);
    let of = |id: &str| agents.iter().find(|agent| agent.id == id).unwrap_or_else(|| panic!("{id}"));
    for id in ["claude", "codex", "gemini", "opencode", "qwen", "copilot"] {
        assert!(!of(id).command.is_empty());
    }
    assert!(of("shell").installed && of("fake").installed);
    assert!(!of("absent").installed);
    assert_eq!((of("ends").name.as_str(), of("ends").command.as_slice()), ("Ends", &["true".to_owned()][..]));
}

#[test]
fn the_directory_of_a_worker_comes_from_its_program_or_from_the_kernel() {
    let house = House::new();
    let server = Server::start(&house);
    let there = house.path().join("a place");
    fs::create_dir(&there).unwrap();
    let script =
        "cd 'a place'; echo there; read x; printf '\\033]7;file://localhost/my%%20place\\007'; read x";
    let (_, worker) = server.terminal(house.path().to_str().unwrap(), script);
    let is_at = |place: &str| {
        wait_for(place, || {
            let worker: Worker = server.get(&format!("/api/workers/{}", worker.id)).ok(200);
            (worker.cwd.as_deref() == Some(place)).then_some(())
        });
    };
    is_at(there.to_str().unwrap());
    house.called(worker.id.as_str()).send(b"\r");
    is_at("/my place");
}

#[test]
fn s16_files_are_kept_beside_the_worker_under_names_of_ours() {
    let house = House::new();
    let server = Server::start(&house);
    let (_, worker) = server.terminal(house.path().to_str().unwrap(), "read x; echo \"got <$x>\"; read x");
    let path = format!("/api/workers/{}/uploads", worker.id);
    let upload: Upload = raw::post(&server, &path, "image/png", PNG).ok(201);
    assert_eq!(fs::read(&upload.path).unwrap(), PNG);
    assert!(Path::new(&upload.path).starts_with(house.home().worker(worker.id).path()));
    assert_eq!(fs::metadata(&upload.path).unwrap().permissions().mode() & 0o777, 0o600);
    // What is no picture is kept too, with nothing of its name but a plain ending.
    for (query, ending) in
        [("?name=..%2F..%2Fevil%20run.sh", ".sh"), ("?name=a.s%0Ah", ""), ("?name=x.$(id)", ""), ("", "")]
    {
        let script = b"#!/bin/sh\necho ran\n";
        let kept: Upload =
            raw::post(&server, &format!("{path}{query}"), "application/octet-stream", script).ok(201);
        assert_eq!(fs::read(&kept.path).unwrap(), script);
        assert_eq!(fs::metadata(&kept.path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(Path::new(&kept.path).parent(), Path::new(&upload.path).parent());
        let name = Path::new(&kept.path).file_name().unwrap().to_str().unwrap();
        let ours = name.strip_suffix(ending).unwrap();
        assert!(ours.bytes().all(|letter| letter.is_ascii_hexdigit() || letter == b'-'), "{name}");
    }
    for (kind, body) in [
        ("image/png", &b"<svg/>"[..]),
        ("image/png", b""),
        ("image/jpeg", PNG),
        ("image/svg+xml", b"<svg/>"),
        ("application/json", b"{}"),
        ("text/html", PNG),
    ] {
        raw::post(&server, &path, kind, body).problem(ErrorCode::UnsupportedMediaType);
    }
    raw::post(&server, "/api/workers/00000000/uploads", "image/png", PNG).problem(ErrorCode::NotFound);
    let kept = fs::read_dir(Path::new(&upload.path).parent().unwrap()).unwrap().count();
    assert_eq!(kept, 5);
    // Nothing was typed before we do.
    house.called(worker.id.as_str()).send(b"\r");
    wait_for("its answer", || {
        let lines: api::RecordedLines =
            server.get(&format!("/api/workers/{}/recording/lines", worker.id)).ok(200);
        lines.lines.iter().any(|line| line.text == "got <>").then_some(())
    });
}

#[test]
fn an_ended_worker_stays_in_its_session_with_its_recording() {
    let house = House::new();
    let server = Server::start(&house);
    let (session, worker) = server.terminal(house.path().to_str().unwrap(), "echo before; read x");
    let lines = || -> api::RecordedLines {
        server.get(&format!("/api/workers/{}/recording/lines", worker.id)).ok(200)
    };
    wait_for("its output", || lines().lines.iter().any(|line| line.text == "before").then_some(()));
    let path = format!("/api/sessions/{}/workers/{}/end", session.id, worker.id);
    server.post(&path, json!(null)).empty(204);
    let ended: Worker = server.get(&format!("/api/workers/{}", worker.id)).ok(200);
    assert!(matches!(ended.state, api::WorkerState::Exited { .. }), "{:?}", ended.state);
    assert!(lines().lines.iter().any(|line| line.text == "before"));
    assert_eq!(server.get("/api/inbox").ok::<Vec<api::InboxItem>>(200), []);
    // It has ended already.
    server.post(&path, json!(null)).empty(204);
    let audit: Vec<api::AuditEntry> = server.get("/api/audit").ok(200);
    assert!(audit.iter().any(|entry| entry.action == "worker.end" && entry.object == worker.id.as_str()));
}

#[test]
fn a_closed_worker_is_not_found_and_its_tokens_are_revoked() {
    let house = House::new();
    let server = Server::start(&house);
    let (session, worker) = server.terminal(house.path().to_str().unwrap(), "read x");
    let scoped = json!({"name": "one", "scope": {"kind": "worker", "workerId": worker.id}});
    let scoped: api::NewToken = server.post("/api/tokens", scoped).ok(201);
    let path = format!("/api/workers/{}", worker.id);
    let get = |path: &str| server.send(ureq::http::Method::GET, path, None, Some(&scoped.secret));
    assert_eq!(get(&path).ok::<Worker>(200).id, worker.id);
    server.delete(&format!("/api/sessions/{}", session.id)).empty(204);
    get(&path).problem(ErrorCode::Unauthenticated);
    server.get(&path).problem(ErrorCode::NotFound);
}
