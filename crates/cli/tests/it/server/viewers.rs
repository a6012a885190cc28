//! Viewers that are slow, many, or more than there is room for.

use std::fs;
use std::process::Command;
use std::time::Duration;

use model::{Offset, TermSize, WorkerId};
use protocol::{HostMessage, ViewerMessage};
use serde_json::json;
use terminal::{HistoryLimit, Terminal};
use testkit::resident_kb;
use tungstenite::Message;
use ureq::http::Method;

use super::{Server, Socket};
use crate::hardships::no_process_is_left;
use crate::house::{self, House, signal, wait_for, watching};

/// The memory that a server may take for a hundred workers with five viewers each.
const MOST_RESIDENT_KB: u64 = 200 << 10;

/// A viewer through the server, with a terminal of its own.
struct Viewer {
    socket: Socket,
    terminal: Terminal,
    at: Offset,
    snapshots: usize,
}

impl Viewer {
    fn attach(server: &Server, worker: &api::Worker) -> Viewer {
        let mut socket = Socket::open(server, &format!("/api/workers/{}/attach", worker.id));
        socket.frame(&ViewerMessage::Attach(watching()));
        Viewer { socket, terminal: fresh(TermSize::clamped(80, 24)), at: Offset(0), snapshots: 0 }
    }

    /// Takes in one message, if one comes soon.
    fn step(&mut self) {
        let Some(message) = self.socket.host_message_within(Duration::from_millis(50)) else {
            assert_eq!(self.socket.closed, None, "it is still welcome");
            return;
        };
        match message {
            HostMessage::Welcome(welcome) => self.terminal = fresh(welcome.size),
            HostMessage::Snapshot { at, last, bytes } => {
                self.terminal.feed(&bytes);
                self.snapshots += usize::from(last);
                self.at = at;
            }
            HostMessage::Output { at, bytes } => {
                assert_eq!(at, self.at, "output follows the shown bytes");
                self.at += bytes.len();
                self.terminal.feed(&bytes);
            }
            _ => {}
        }
    }

    fn wait_for_first_screen(&mut self) {
        wait_for("the first screen", || {
            self.step();
            (self.snapshots > 0).then_some(())
        });
    }

    fn wait_for(&mut self, text: &str) {
        wait_for(text, || {
            self.step();
            self.terminal.text(100).contains(text).then_some(())
        });
    }
}

fn fresh(size: TermSize) -> Terminal {
    Terminal::new(size, HistoryLimit { lines: 1000, bytes: 4 << 20 })
}

/// How long each thread of a process has run so far, in nanoseconds, if all of them sleep. Two equal answers, one after
/// the other: it did nothing in between. A thread that spins is never asleep, also where it gets no core.
fn at_rest(pid: u32) -> Option<Vec<String>> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).expect("the server runs");
    let threads = tasks.map(|task| {
        let task = task.expect("a thread").path();
        let stat = fs::read_to_string(task.join("stat")).ok()?;
        let state = stat.rsplit(')').next()?.split_whitespace().next()?;
        (state == "S").then(|| fs::read_to_string(task.join("schedstat")).ok())?
    });
    threads.collect()
}

#[test]
fn v1_a_stalled_viewer_slows_no_other_viewer_and_gets_the_screen_when_it_reads_again() {
    let house = House::new();
    let server = Server::start(&house);
    let (_, worker) = server.terminal("/", "read x; seq 1 3000000; echo the end; read x");
    let mut stalled = Viewer::attach(&server, &worker);
    stalled.wait_for_first_screen();
    let before = resident_kb(server.pid());
    house.called(worker.id.as_str()).send(b"\r");
    // Twenty megabytes pass it by, and others see them.
    let mut other = Viewer::attach(&server, &worker);
    other.wait_for("the end");
    let growth = resident_kb(server.pid()).saturating_sub(before);
    assert!(growth < 16 << 10, "grew by {growth} kB for one that does not read");
    stalled.wait_for("the end");
    assert!(stalled.snapshots > 1, "it was not sent everything");
    assert_eq!(stalled.at, other.at);
    assert_eq!(stalled.terminal.text(0), other.terminal.text(0));
}

#[test]
fn v4_twenty_workers_with_five_viewers_each_are_all_shown_and_cost_little() {
    crowd(20, 5);
}

/// So many workers with so many viewers each, all through one server: all see what they should, the server's memory is
/// bounded, and when they go nothing is left.
pub(crate) fn crowd(workers: usize, viewers_each: usize) {
    let house = House::new();
    let server = Server::start(&house);
    let workers: Vec<api::Worker> =
        (0..workers).map(|_| server.terminal("/", "while read x; do echo got $x; done").1).collect();
    let mut viewers: Vec<Vec<Viewer>> = workers
        .iter()
        .map(|worker| (0..viewers_each).map(|_| Viewer::attach(&server, worker)).collect())
        .collect();
    for round in 0..3 {
        for (number, worker) in workers.iter().enumerate() {
            house.called(worker.id.as_str()).send(format!("{number} in round {round}\r").as_bytes());
        }
        for (number, viewers) in viewers.iter_mut().enumerate() {
            for viewer in viewers {
                viewer.wait_for(&format!("got {number} in round {round}"));
            }
        }
    }
    let resident = resident_kb(server.pid());
    println!("{} workers, {} viewers: {resident} kB", workers.len(), workers.len() * viewers_each);
    assert!(resident < MOST_RESIDENT_KB, "{resident} kB");
    let listed: Vec<api::Worker> = server.get("/api/workers").ok(200);
    assert!(listed.iter().all(|worker| worker.viewers as usize == viewers_each), "{listed:#?}");
    drop(viewers);
    wait_for("the viewers' going", || {
        let listed: Vec<api::Worker> = server.get("/api/workers").ok(200);
        listed.iter().all(|worker| worker.viewers == 0).then_some(())
    });
    for worker in workers {
        server.delete(&format!("/api/sessions/{}", worker.session_id)).empty(204);
    }
    server.stop();
    no_process_is_left(&house);
}

#[test]
fn v2_a_viewer_that_vanished_without_a_close_is_noticed() {
    let house = House::new();
    let quick = [("ABIDE_TERMINAL_PING_INTERVAL", "200ms"), ("ABIDE_TERMINAL_PONG_TIMEOUT", "5s")];
    let server = Server::start_with(&house, &quick);
    let (_, worker) = server.terminal("/", "while :; do echo tick; sleep 0.05; done");
    let mut gone = Viewer::attach(&server, &worker);
    gone.wait_for("tick");
    wait_for("one viewer", || {
        gone.step();
        let worker: api::Worker = server.get(&format!("/api/workers/{}", worker.id)).ok(200);
        (worker.viewers == 1).then_some(())
    });
    // It reads no more, so that it answers no ping either.
    server.wait_for_worker(worker.id, "no viewer", |worker| worker.viewers == 0);
    drop(gone);
}

#[test]
fn r1_without_descriptors_viewers_stay_and_new_ones_get_an_error() {
    let house = House::new();
    let script = format!("ulimit -n 96; exec {} serve --listen 127.0.0.1:0", house::ABIDE);
    let mut command = Command::new("sh");
    house.settle(command.args(["-c", &script]));
    let server = Server::run(&house, command);
    let (_, worker) = server.terminal("/", "while read x; do echo got $x; done");
    let mut first = Viewer::attach(&server, &worker);
    first.wait_for_first_screen();
    let path = format!("/api/workers/{}/attach", worker.id);
    let mut others = Vec::new();
    let refused = (0..120).find_map(|_| match Socket::open_as(&server, &path, &server.token) {
        Ok(mut socket) => {
            socket.try_send(Message::binary(ViewerMessage::Attach(watching()).to_bytes()));
            others.push(socket);
            None
        }
        Err(status) => Some(status),
    });
    assert_eq!(refused, Some(503), "there were {}", others.len());
    // Who is there stays, and is served.
    house.called(worker.id.as_str()).send(b"it\r");
    first.wait_for("got it");
    let mut before = None;
    wait_for("the server's rest", || {
        let now = at_rest(server.pid());
        let is_at_rest = now.is_some() && now == before;
        before = now;
        is_at_rest.then_some(())
    });
    drop(others);
    // And when there is room again, there is room.
    wait_for("room", || {
        let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            server.send(Method::GET, "/api/workers", None, Some(&server.token)).status
        }));
        answer.is_ok_and(|status| status == 200).then_some(())
    });
    let mut late = Viewer::attach(&server, &worker);
    late.wait_for("got it");
    signal(server.pid(), rustix::process::Signal::TERM);
}

#[test]
fn s8_attaching_without_a_token_does_not_tell_which_workers_there_are() {
    let house = House::new();
    let server = Server::start(&house);
    let (_, worker) = server.terminal(house.path().to_str().unwrap(), "read x");
    let unknown = WorkerId::from_random([7; 8]);
    let answers = [worker.id, unknown].map(|id| {
        let path = format!("/api/workers/{id}/attach");
        let mut socket = Socket::try_open(&server, &path, &[]).map_err(|status| (path, status)).unwrap();
        socket.say(&json!({"type": "auth", "token": "abide_wrong"}));
        socket.wait_for_close()
    });
    assert_eq!(answers[0], answers[1]);
    // With the token, the owner learns it.
    let mut socket = Socket::try_open(&server, &format!("/api/workers/{unknown}/attach"), &[]).unwrap();
    socket.say(&json!({"type": "auth", "token": server.token}));
    assert_eq!(socket.wait_for_close(), (4403, "there is no such worker".to_owned()));
}
