//! Strangers and guests who do all that they can, while the owner types.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use api::NewToken;
use model::WorkerId;
use protocol::{Attach, ViewerMessage};
use rustix::process::geteuid;
use testkit::server::Socket;

use super::line::Line;
use super::strangers::Stranger;
use super::{Server, chatty, guest, revoke};
use crate::house::{House, SetAtEnd, wait_for};

/// How many keys are timed each time.
const KEYS: usize = 500;

/// So many connections a second are opened by strangers who leave again.
const STRANGERS_A_SECOND: usize = 700;

/// So many connections one process of a stranger holds.
const HELD_EACH: usize = 200;

/// The owner's p99 may become this much worse.
const MOST_TIMES_SLOWER: f64 = 2.0;

/// A p99 below this is as good as any: a person does not notice it, and the machine's own noise is as much.
const UNNOTICED: Duration = Duration::from_millis(5);

/// So many times the keys are timed while the others do what they can.
const ROUNDS: usize = 6;

/// For each guest, the server's memory may grow by this much.
const MOST_KB_EACH: u64 = 10 * 1024;

/// Between two keys of a person who types fast.
const PAUSE: Duration = Duration::from_millis(10);

/// So many strangers hold or open connections, and so many guests ask, watch and type without an end. The owner's echo stays
/// as quick, the server stays as small, and all that the guests had ends with their tokens.
pub(crate) fn hostility(strangers: usize, guests: usize) {
    let house = House::new();
    let server = Server::start(&house);
    let worker = chatty(&house, &server);
    let (_, desk) = server.terminal(house.path().to_str().unwrap(), "stty raw -echo; printf ready; exec cat");
    let path = format!("/api/workers/{}/attach", desk.id);
    let mut owner = Socket::open(&server, &path);
    owner.frame(&ViewerMessage::Attach(Attach::full("the owner")));
    owner.wait_for_output("ready");
    let quiet = echo_p99(&mut owner);
    let before_kb = testkit::resident_kb(server.pid());

    let tokens: Vec<NewToken> =
        (0..guests).map(|number| guest(&server, worker, number.is_multiple_of(2))).collect();
    let (stop, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
    let loud: Vec<(Duration, u64)> = thread::scope(|scope| {
        let _end = SetAtEnd(&stop);
        for token in &tokens {
            scope.spawn(|| torment(&server, worker, &token.secret, &stop, &asked));
        }
        let port = server.authority().rsplit(':').next().expect("a port");
        let _held: Vec<Stranger> = if geteuid().is_root() {
            (0..strangers / HELD_EACH).map(|_| Stranger::with_connections(port, HELD_EACH)).collect()
        } else {
            Vec::new()
        };
        scope.spawn(|| come_and_go(&server, &stop));
        // By then each guest has begun everything at least once.
        wait_for("the guests to be at work", || (asked.load(Ordering::Relaxed) > guests * 20).then_some(()));
        (0..ROUNDS).map(|_| (echo_p99(&mut owner), testkit::resident_kb(server.pid()))).collect()
    });
    println!(
        "echo p99 {quiet:?} and {before_kb} KiB quiet; with {strangers} strangers and {guests} guests, who asked {} times: \
         {loud:?}",
        asked.into_inner()
    );
    let bound = quiet.mul_f64(MOST_TIMES_SLOWER).max(UNNOTICED);
    for (p99, kb) in loud {
        assert!(p99 <= bound, "the owner waited {p99:?}, {quiet:?} before");
        assert!(kb < before_kb + MOST_KB_EACH * guests as u64, "{before_kb} KiB before, {kb} KiB with them");
    }
    for token in &tokens {
        revoke(&server, token);
    }
    let mut late = Line::open(&server);
    late.ask("/api/health", &tokens[0].secret);
    assert_eq!(late.status(), 401);
}

/// The time that all but one in a hundred keys take to be echoed.
fn echo_p99(owner: &mut Socket) -> Duration {
    let mut times: Vec<Duration> = (0..KEYS)
        .map(|number| {
            let key = format!("<{number}>");
            let begun = Instant::now();
            owner.frame(&ViewerMessage::Input(key.clone().into_bytes()));
            owner.wait_for_output(&key);
            let took = begun.elapsed();
            thread::sleep(PAUSE);
            took
        })
        .collect();
    times.sort_unstable();
    times[KEYS * 99 / 100]
}

/// Everything that a guest may do, again and again, without reading what comes.
fn torment(server: &Server, worker: WorkerId, secret: &str, stop: &AtomicBool, asked: &AtomicUsize) {
    let base = format!("/api/workers/{worker}");
    let paths = [
        "",
        "/recording",
        "/recording/export?format=asciicast",
        "/recording/lines",
        "/recording/marks",
        "/activity",
    ]
    .map(|rest| format!("{base}{rest}"));
    let mut held = Vec::new();
    let mut sockets = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        for path in &paths {
            let mut line = Line::open(server);
            line.ask(path, secret);
            held.push(line);
            asked.fetch_add(1, Ordering::Relaxed);
        }
        if let Ok(mut socket) = Socket::open_as(server, &format!("{base}/attach"), secret) {
            socket.frame(&ViewerMessage::Attach(Attach::full("a guest")));
            socket.frame(&ViewerMessage::Input(vec![b'x'; 64 << 10]));
            sockets.push(socket);
        }
        // More than a guest may have open: the oldest leave.
        if held.len() > 60 {
            held.drain(..30);
        }
        if sockets.len() > 8 {
            sockets.drain(..4);
        }
        // Guests are elsewhere, and their requests come over a network.
        thread::sleep(Duration::from_millis(100));
    }
}

/// Connections that say nothing and leave.
fn come_and_go(server: &Server, stop: &AtomicBool) {
    let pause = Duration::from_millis(10);
    while !stop.load(Ordering::Relaxed) {
        let lines: Vec<Line> = (0..STRANGERS_A_SECOND / 100).map(|_| Line::open(server)).collect();
        thread::sleep(pause);
        drop(lines);
    }
}
