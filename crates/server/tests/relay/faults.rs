//! What happens to sockets when something goes wrong.

use model::{Epoch, Offset};
use protocol::{Attach, HostMessage, ViewerMessage};

use crate::house::{House, Socket, Worker, wait_for, wanting_all};

/// Prints numbered lines without end, once it is told to.
const LINES: &str = "echo ready; read line; exec seq 1000000000";

fn epoch_of(socket: &mut Socket) -> Epoch {
    socket.until("a welcome", |message| match message {
        HostMessage::Welcome(welcome) => Some(welcome.epoch),
        _ => None,
    })
}

/// Attaches, again and again until there is somebody to attach to.
fn attach_at_last(house: &House, worker: &Worker) -> Epoch {
    wait_for("another host", || {
        let mut socket = house.attach(worker, wanting_all());
        match socket.host() {
            Ok(HostMessage::Welcome(welcome)) => Some(welcome.epoch),
            Ok(other) => panic!("{other:?}"),
            Err(closed) => {
                assert_eq!(closed, (4001, "host-gone".into()));
                None
            }
        }
    })
}

#[test]
fn p3_a_viewer_of_a_killed_host_is_told_to_come_again() {
    let house = House::with(["30000", "10000", "true"]);
    let worker = house.script("echo ready; exec cat");
    let mut socket = house.attach(&worker, wanting_all());
    let epoch = epoch_of(&mut socket);
    socket.until_shown("ready");
    wait_for("the lease", || worker.status().leased.then_some(()));
    worker.kill_host();
    assert_eq!(socket.until_closed(), (4001, "host-gone".into()));
    assert_eq!(attach_at_last(&house, &worker), epoch.next());
}

#[test]
fn p1_a_viewer_goes_on_from_its_offset_when_the_server_was_killed() {
    let mut house = House::new();
    // Stops until it is told to go on, so that what was missed is still in the host's memory.
    let worker = house.script("for i in 1 2 3; do seq $((i*1000)) $((i*1000+999)); read line; done; exit 0");
    let mut shown = Vec::new();
    let mut since = Some(Offset(0));
    let mut epoch = Some(Epoch(1));
    for part in 1..=3 {
        let mut socket = house.attach(&worker, Attach { since, epoch, ..wanting_all() });
        epoch = Some(epoch_of(&mut socket));
        let last = format!("{}\r\n", part * 1000 + 999);
        while !shown.ends_with(last.as_bytes()) {
            match socket.host().expect("the server is there") {
                HostMessage::Output { at, bytes } => {
                    assert_eq!(at, Offset(shown.len() as u64), "nothing is missing or doubled");
                    shown.extend(bytes);
                }
                HostMessage::Snapshot { .. } => panic!("what was missed is sent as it is"),
                _ => {}
            }
        }
        since = Some(Offset(shown.len() as u64));
        house.kill_server();
        assert_eq!(socket.until_closed().0, 1006);
        // Somebody else goes on meanwhile.
        let mut other = viewer::Connection::open(&worker.dir.socket()).expect("the host lives");
        other.send(&ViewerMessage::Input(b"\r".to_vec())).expect("it listens");
        other.send(&ViewerMessage::Ping(1)).expect("it listens");
        other.receive().expect("it answers");
    }
}

#[test]
fn a_server_that_leaves_says_so() {
    let mut house = House::new();
    let worker = house.script("echo ready; exec cat");
    let mut socket = house.attach(&worker, wanting_all());
    socket.until_shown("ready");
    let reading = std::thread::spawn(move || socket.until_closed());
    house.stop_server();
    assert_eq!(reading.join().unwrap(), (1012, "server-restart".into()));
    assert!(worker.status().viewers.is_empty(), "the worker lives, and nobody watches");
}

#[test]
fn s10_a_revoked_token_closes_its_sockets_at_once() {
    let house = House::new();
    let worker = house.script("echo ready; exec cat");
    let (secret, id) = house.token_for(&worker, true);
    let mut socket = house.attach_as(&worker, &secret, wanting_all());
    let mut owner = house.attach(&worker, wanting_all());
    socket.until_shown("ready");
    house.delete(&format!("/api/tokens/{id}"));
    assert_eq!(socket.until_closed(), (4401, "revoked".into()));
    owner.frame(&ViewerMessage::Input(b"alive\r".to_vec()));
    owner.until_shown("alive\r\nalive");
}

#[test]
fn v2_a_viewer_that_answers_no_ping_is_gone() {
    let house = House::with(["300", "300", "false"]);
    let worker = house.script("echo ready; exec cat");
    // A peer that reads nothing answers nothing.
    let mut socket = house.attach(&worker, wanting_all());
    socket.until_shown("ready");
    wait_for("its end", || worker.status().viewers.is_empty().then_some(()));
    assert_eq!(socket.until_closed(), (4004, "silent".into()));
}

#[test]
fn v1_a_viewer_that_does_not_read_gets_a_snapshot_later_and_costs_little() {
    let house = House::with(["300000", "100000", "false"]);
    let worker = house.script(LINES);
    let mut slow = house.attach(&worker, wanting_all());
    slow.until_shown("ready");
    let before = house.server_memory();
    // Another one reads on, far beyond what anybody keeps for the first.
    let mut quick = house.attach(&worker, wanting_all());
    quick.frame(&ViewerMessage::Input(b"\r".to_vec()));
    let mut end = Offset(0);
    while end < Offset(24 << 20) {
        end = match quick.host().expect("it goes on") {
            HostMessage::Output { at, bytes } => at + bytes.len(),
            HostMessage::Snapshot { at, .. } => at,
            _ => end,
        };
    }
    let grown = house.server_memory().saturating_sub(before);
    assert!(grown < 8 << 10, "the server has grown by {grown} KiB");
    slow.frame(&ViewerMessage::Input(b"\x03".to_vec()));
    let mut at = Offset(0);
    let skipped = loop {
        match slow.host() {
            Ok(HostMessage::Output { at: from, bytes }) => at = from + bytes.len(),
            Ok(HostMessage::Snapshot { at: from, .. }) if at > Offset(0) => break from - at,
            Ok(HostMessage::Exited(_)) => panic!("all of it was kept"),
            Ok(_) => {}
            Err(closed) => panic!("{closed:?}"),
        }
    };
    assert!(skipped > 1 << 20, "{skipped}");
}
