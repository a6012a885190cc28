//! Hosts that a server finds: from before its start, and while it runs.

use std::io::Write;
use std::process::{Command, Stdio};

use api::{SessionKind, Worker, WorkerKind, WorkerState};
use model::{Epoch, WorkerId};
use protocol::ViewerMessage;
use serde_json::json;
use testkit::Watcher;

use super::{Server, Socket, Workshop};
use crate::house::{self, House, is_alive, signal, wait_for, watching};
use crate::numbers::NUMBERS;

/// What the server knows of a worker.
fn seen(server: &Server, id: WorkerId) -> Worker {
    server.get(&format!("/api/workers/{id}")).ok(200)
}

fn all(server: &Server) -> Vec<Worker> {
    server.get("/api/workers").ok(200)
}

/// Attaches to a worker by a socket, and gives what it shows once this text is there.
fn shows(server: &Server, id: WorkerId, text: &str) {
    let mut socket = Socket::open(server, &format!("/api/workers/{id}/attach"));
    socket.frame(&ViewerMessage::Attach(watching()));
    let mut screen = terminal::Terminal::new(
        model::TermSize::clamped(80, 24),
        terminal::HistoryLimit { lines: 100, bytes: 1 << 20 },
    );
    socket.wait_for_message(text, |message| {
        match message {
            protocol::HostMessage::Snapshot { bytes, .. } | protocol::HostMessage::Output { bytes, .. } => {
                screen.feed(&bytes);
            }
            _ => {}
        }
        screen.text(10).contains(text).then_some(())
    });
}

#[test]
fn p11_a_server_adopts_the_workers_that_were_there_before_it() {
    let house = House::new();
    let living = house.worker_with(&["--name", "living"], &["sh", "-c", "echo I am here; read x"]);
    let ended = house.worker_with(&["--name", "ended"], &["sh", "-c", "echo done; exit 3"]);
    ended.wait_for_exit();
    let lost = house.worker_with(&["--name", "lost"], &["sh", "-c", "echo last words; read x"]);
    Watcher::watch(&lost).wait_for("last words");
    wait_for("the recording", || lost.recorded().ends_with(b"words\r\n").then_some(()));
    lost.kill_host();

    let server = Server::start(&house);
    assert_eq!(all(&server).len(), 3);
    let living = seen(&server, living.dir.id());
    assert_eq!((living.state, living.kind), (WorkerState::Live, WorkerKind::Terminal));
    assert_eq!(living.name, "living");
    let session: api::Session = server.get(&format!("/api/sessions/{}", living.session_id)).ok(200);
    assert_eq!(session.kind, SessionKind::Quick);
    assert_eq!(session.location_path, house.path().to_str().unwrap());
    shows(&server, living.id, "I am here");
    let ended = seen(&server, ended.dir.id());
    assert_eq!(ended.state, WorkerState::Exited { exit_code: 3, signal: None });
    assert!(ended.ended_at.is_some());
    let lost = seen(&server, lost.dir.id());
    let WorkerState::Lost { reason } = &lost.state else { panic!("{lost:?}") };
    assert!(!reason.is_empty());
    wait_for("its words", || {
        let lines = server.get(&format!("/api/workers/{}/recording/lines", lost.id));
        lines.text.contains("last words").then_some(())
    });
}

#[test]
fn p11_workers_that_come_and_go_while_the_server_runs_are_noticed() {
    let house = House::new();
    let server = Server::start(&house);
    let mut dashboard = Socket::open(&server, "/ws/dashboard");
    assert_eq!(dashboard.json()["type"], "state");
    let worker = house.worker_with(&["--name", "newcomer"], &["sh", "-c", "echo hello; read x"]);
    let id = worker.dir.id();
    dashboard.wait_for("the newcomer", |message| {
        message["event"]["kind"] == "worker.changed" && message["event"]["worker"]["id"] == json!(id)
    });
    server.wait_for_worker(id, "a live worker", |worker| worker.state == WorkerState::Live);
    shows(&server, id, "hello");
    // Again and again, since a removal may be quicker than the news of the end before it.
    for round in 0..5 {
        let name = format!("short-{round}");
        let short = house.worker_with(&["--name", &name], &["sh", "-c", "read x"]).dir.id();
        wait_for("the worker", || all(&server).iter().any(|worker| worker.id == short).then_some(()));
        house.output(["rm", "--force", &name]);
        wait_for("its removal", || all(&server).iter().all(|worker| worker.id != short).then_some(()));
    }
    house.output(["rm", "--force", "newcomer"]);
    dashboard.wait_for("its removal", |message| {
        message["event"]["kind"] == "worker.removed" && message["event"]["workerId"] == json!(id)
    });
    assert_eq!(all(&server), Vec::new());
}

#[test]
fn p11_workers_removed_while_no_server_ran_are_forgotten() {
    let house = House::new();
    let worker = house.worker_with(&["--name", "short"], &["sh", "-c", "read x"]);
    let server = Server::start(&house);
    assert_eq!(all(&server).len(), 1);
    server.kill();
    house.output(["rm", "--force", "short"]);
    let server = Server::start(&house);
    assert_eq!(all(&server), Vec::new());
    server.get(&format!("/api/workers/{}", worker.dir.id())).problem(api::ErrorCode::NotFound);
}

/// As if a server had been killed when it had written down a worker and made its directory.
fn cut_short(house: &House, like: &Worker, name: &str, random: u8) -> (WorkerId, home::WorkerDir) {
    let id = WorkerId::from_random([random; 8]);
    let store = store::Database::open(&house.path().join("abide.db")).unwrap().of(model::OwnerId::ONLY);
    let command = vec!["sh".to_owned(), "-c".to_owned(), "echo late; read x".to_owned()];
    let new = store::NewWorker { id, kind: store::WorkerKind::Terminal, name: name.to_owned(), command };
    store.add_worker(like.session_id, &new, jiff::Timestamp::now()).unwrap();
    store.worker_provisioning(id).unwrap();
    let mut meta = house.home().worker(like.id).meta().unwrap();
    (meta.worker, meta.name, meta.command) = (id, name.parse().unwrap(), new.command);
    let dir = house.home().worker(id);
    dir.make().unwrap();
    dir.write_meta(&meta).unwrap();
    (id, dir)
}

#[test]
fn p11_a_worker_whose_start_was_cut_short_leaves_nothing() {
    let house = House::new();
    let server = Server::start(&house);
    let (session, worker) = server.terminal("/", "read x");
    server.kill();
    let (half, dir) = cut_short(&house, &worker, "half", 7);
    let server = Server::start(&house);
    let failed = server.wait_for_worker(half, "a start that failed", |worker| {
        matches!(worker.state, WorkerState::Failed { .. })
    });
    let WorkerState::Failed { reason } = failed.state else { panic!("failed") };
    assert!(reason.contains("before this began"), "{reason}");
    assert!(!dir.path().exists());
    assert_eq!(seen(&server, worker.id).state, WorkerState::Live);
    server.delete(&format!("/api/sessions/{}", session.id)).empty(204);
}

#[test]
fn p11_a_host_that_was_starting_when_the_server_was_killed_is_adopted() {
    let house = House::new();
    let server = Server::start(&house);
    let (session, worker) = server.terminal("/", "read x");
    server.kill();
    let (late, dir) = cut_short(&house, &worker, "late", 9);
    let script = format!("read x; exec {} host \"$0\"", house::ABIDE);
    let mut host = Command::new("sh");
    house.settle(host.args(["-c", &script]).arg(dir.path()));
    let mut host = host.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let server = Server::start(&house);
    assert_eq!(seen(&server, late).state, WorkerState::Provisioning);
    // Here it comes.
    host.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    server.wait_for_worker(late, "a live worker", |worker| worker.state == WorkerState::Live);
    shows(&server, late, "late");
    server.delete(&format!("/api/sessions/{}", session.id)).empty(204);
    host.wait().unwrap();
}

#[test]
fn p1_p2_a_server_that_ends_with_all_its_process_group_leaves_its_hosts_alone() {
    use std::os::unix::process::CommandExt;
    let house = House::new();
    let mut command = house.command(["serve", "--listen", "127.0.0.1:0"]);
    command.process_group(0);
    let server = Server::run(&house, command);
    let (_, worker) = server.terminal("/", NUMBERS);
    let before = house.called(worker.id.as_str()).status();
    let group = rustix::process::Pid::from_raw(server.pid().cast_signed()).unwrap();
    rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
    server.kill();
    let after = house.called(worker.id.as_str()).status();
    assert_eq!((after.child_pid, after.epoch), (before.child_pid, before.epoch));
    let server = Server::start(&house);
    assert_eq!(seen(&server, worker.id).state, WorkerState::Live);
    // The same again, asked to end as a service manager asks.
    server.stop();
    assert!(is_alive(before.child_pid));
    assert!(!house.path().join("server.json").exists(), "the note of a stopped server is gone");
    let server = Server::start(&house);
    assert_eq!(seen(&server, worker.id).state, WorkerState::Live);
}

#[test]
fn p3_a_killed_host_is_followed_to_the_one_that_takes_over() {
    let house = House::with_keeper();
    let server = Server::start(&house);
    let (_, worker) = server.terminal("/", "echo before; while read x; do echo got $x; done");
    let hosted = house.called(worker.id.as_str());
    hosted.wait_for_lease();
    shows(&server, worker.id, "before");
    let child = hosted.status().child_pid;
    hosted.kill_host();
    let status = wait_for("another host", || {
        viewer::status(&hosted.dir.socket()).ok().filter(|status| status.epoch > Epoch(1))
    });
    assert_eq!(status.child_pid, child);
    // Any state in between does not matter: in the end it is live, and the server hears of its end.
    server.wait_for_worker(worker.id, "a live worker", |worker| worker.state == WorkerState::Live);
    hosted.send(b"it\r");
    shows(&server, worker.id, "got it");
    assert_eq!(seen(&server, worker.id).state, WorkerState::Live);
    hosted.send(b"\x04");
    server.wait_for_worker(worker.id, "its end", |worker| matches!(worker.state, WorkerState::Exited { .. }));
}

#[test]
fn p4_a_host_killed_without_a_keeper_is_lost_with_a_reason_and_can_be_started_again() {
    let house = House::new();
    let server = Server::start(&house);
    let (session, worker) = server.terminal("/", "echo famous last words; read x");
    let hosted = house.called(worker.id.as_str());
    Watcher::watch(&hosted).wait_for("famous");
    wait_for("the recording", || hosted.recorded().ends_with(b"words\r\n").then_some(()));
    let child = hosted.status().child_pid;
    hosted.kill_host();
    let lost = server
        .wait_for_worker(worker.id, "its loss", |worker| matches!(worker.state, WorkerState::Lost { .. }));
    let WorkerState::Lost { reason } = lost.state else { panic!("lost") };
    assert!(reason.contains("killed"), "{reason}");
    // The last instant is held back for a moment.
    wait_for("its words", || {
        let lines = server.get(&format!("/api/workers/{}/recording/lines", worker.id));
        lines.text.contains("famous last words").then_some(())
    });
    let path = format!("/api/sessions/{}/workers/{}/restart", session.id, worker.id);
    let again: api::WorkerReply = server.post(&path, json!({})).ok(200);
    shows(&server, again.worker.id, "famous last words");
    wait_for("the child's end", || (!is_alive(child)).then_some(()));
}

#[test]
fn p6_a_host_that_is_stopped_is_not_answering_and_then_live_again() {
    let house = House::new();
    let quick = [("ABIDE_TERMINAL_PING_INTERVAL", "200ms"), ("ABIDE_TERMINAL_PONG_TIMEOUT", "300ms")];
    let server = Server::start_with(&house, &quick);
    let (_, worker) = server.terminal("/", "while read x; do echo got $x; done");
    let hosted = house.called(worker.id.as_str());
    let host = hosted.status().host_pid;
    let is = |server: &Server, what: WorkerState| {
        server.wait_for_worker(worker.id, &format!("{what:?}"), |worker| worker.state == what);
    };
    is(&server, WorkerState::Live);
    signal(host, rustix::process::Signal::STOP);
    is(&server, WorkerState::NotAnswering);
    // A server that starts meanwhile says the same.
    server.kill();
    let server = Server::start_with(&house, &quick);
    is(&server, WorkerState::NotAnswering);
    signal(host, rustix::process::Signal::CONT);
    is(&server, WorkerState::Live);
    hosted.send(b"it\r");
    shows(&server, worker.id, "got it");
}

#[test]
fn p14_after_a_reboot_a_session_is_readable_and_started_again_in_one_step() {
    let workshop = Workshop::new();
    let task = workshop.running("Fix the login");
    let worker = task.worker_id.unwrap();
    workshop.wait_for_output(worker, "told: Fix the login");
    let Workshop { server, repository: _repository, id: _, house } = workshop;
    server.kill();
    // What a reboot leaves: no host, and an identity from another life of the machine.
    let hosted = house.called(worker.as_str());
    let child = hosted.status().child_pid;
    wait_for("the recording", || hosted.recorded().ends_with(b"login\r\n").then_some(()));
    hosted.kill_host();
    let mut identity = hosted.dir.identity().unwrap();
    identity.boot_id = "00000000-0000-0000-0000-000000000000".into();
    let lock = hosted.dir.lock_within(testkit::WAIT).unwrap().expect("no host runs it");
    hosted.dir.write_identity(&lock, &identity).unwrap();
    drop(lock);
    wait_for("the child's end", || (!is_alive(child)).then_some(()));

    let server = Server::start(&house);
    let WorkerState::Lost { reason } = seen(&server, worker).state else {
        panic!("{:?}", seen(&server, worker))
    };
    assert!(reason.contains("the machine was restarted"), "{reason}");
    let failed: api::Task = server.get(&format!("/api/tasks/{}", task.id)).ok(200);
    assert_eq!(failed.session_status, Some(api::SessionStatus::Failed));
    assert_eq!(failed.session_error.as_deref(), Some(reason.as_str()));
    assert_eq!(failed.worktree_path, task.worktree_path, "its worktree is as it was");
    // The last instant is held back for a moment.
    wait_for("its words", || {
        let lines = server.get(&format!("/api/workers/{worker}/recording/lines"));
        lines.text.contains("told: Fix the login").then_some(())
    });
    let screen = server.get(&format!("/api/workers/{worker}/recording/screen"));
    assert!(screen.text.contains("told: Fix the login"), "{}", screen.text);
    // In the same worktree, where it left off.
    let restart = format!("/api/sessions/{}/restart", task.session_id.unwrap());
    let _: api::Session = server.step(&restart).ok(200);
    let running: api::Task = server.get(&format!("/api/tasks/{}", task.id)).ok(200);
    assert_eq!((running.session_id, running.session_error), (task.session_id, None));
    assert_eq!(running.session_status, Some(api::SessionStatus::Running));
    let goes_on = running.worker_id.unwrap();
    assert_ne!(goes_on, worker);
    shows(&server, goes_on, "told: to go on");
    let child = house.called(goes_on.as_str()).status().child_pid;
    let place = std::fs::read_link(format!("/proc/{child}/cwd")).unwrap();
    assert_eq!(place.to_str(), task.worktree_path.as_deref());
}

#[test]
fn u5_a_server_and_hosts_whose_program_was_deleted_run_on() {
    let house = House::new();
    let copy = house.path().join("abide");
    // Copied by another process: the system does not run a program that a process still has open for writing.
    assert!(Command::new("cp").arg(house::ABIDE).arg(&copy).status().unwrap().success());
    let mut command = Command::new(&copy);
    house.settle(command.args(["serve", "--listen", "127.0.0.1:0"]));
    let server = Server::run(&house, command);
    let (session, worker) = server.terminal("/", "while read x; do echo got $x; done");
    std::fs::remove_file(&copy).unwrap();
    house.called(worker.id.as_str()).send(b"it\r");
    shows(&server, worker.id, "got it");
    // Without its program it starts no host, and says so; nothing else suffers.
    let path = format!("/api/sessions/{}/workers", session.id);
    let command = json!({"type": "terminal", "command": ["sh", "-c", "echo also here; read x"]});
    let answer = server.post(&path, command);
    if answer.status == 201 {
        let started: api::WorkerReply = answer.ok(201);
        shows(&server, started.worker.id, "also here");
    } else {
        answer.problem(api::ErrorCode::CannotStart);
        assert_eq!(all(&server).len(), 1);
    }
    // The next release, in the place of the old one.
    server.kill();
    let server = Server::start(&house);
    assert_eq!(seen(&server, worker.id).state, WorkerState::Live);
}

#[test]
fn u3_twenty_hosts_are_all_found_by_each_of_several_servers() {
    let house = House::new();
    let workers: Vec<WorkerId> = (0..20).map(|_| house.script("read x").dir.id()).collect();
    for _ in 0..3 {
        let server = Server::start(&house);
        for &worker in &workers {
            assert_eq!(seen(&server, worker).state, WorkerState::Live);
        }
        server.kill();
    }
}
