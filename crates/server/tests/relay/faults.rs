//! Sockets when a host or a server fails.

use model::{Epoch, Offset};
use protocol::{Attach, HostMessage, ViewerMessage};
use testkit::server::Socket;
use testkit::wait_for;

use crate::house::{House, Worker, wanting_all};

/// Prints numbered lines without end, after the first input.
const LINES: &str = "echo ready; read line; exec seq 1000000000";

fn epoch_of(socket: &mut Socket) -> Epoch {
    socket.wait_for_message("a welcome", |message| match message {
        HostMessage::Welcome(welcome) => Some(welcome.epoch),
        _ => None,
    })
}

/// Attaches again and again until there is a host.
fn attach_at_last(house: &House, worker: &Worker) -> Epoch {
    wait_for("another host", || {
        let mut socket = house.attach(worker, wanting_all());
        match socket.host_message() {
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
fn p3_a_viewer_of_a_killed_host_can_attach_to_the_next_one() {
    let house = House::with(["30000", "10000", "true"]);
    let worker = house.script("echo ready; exec cat");
    let mut socket = house.attach(&worker, wanting_all());
    let epoch = epoch_of(&mut socket);
    socket.wait_for_output("ready");
    worker.wait_for_lease();
    worker.kill_host();
    assert_eq!(socket.wait_for_close(), (4001, "host-gone".into()));
    assert_eq!(attach_at_last(&house, &worker), epoch.next());
}

#[test]
fn p1_a_viewer_resumes_from_its_offset_after_the_server_was_killed() {
    let mut house = House::new();
    // Waits for input after each part, so that the missed output is still in the host's memory.
    let worker = house.script("for i in 1 2 3; do seq $((i*1000)) $((i*1000+999)); read line; done; exit 0");
    let mut shown = Vec::new();
    let mut since = Some(Offset(0));
    let mut epoch = Some(Epoch(1));
    for part in 1..=3 {
        let mut socket = house.attach(&worker, Attach { since, epoch, ..wanting_all() });
        epoch = Some(epoch_of(&mut socket));
        let last = format!("{}\r\n", part * 1000 + 999);
        while !shown.ends_with(last.as_bytes()) {
            match socket.host_message().expect("the server is there") {
                HostMessage::Output { at, bytes } => {
                    assert_eq!(at, Offset(shown.len() as u64), "no byte is missing or doubled");
                    shown.extend(bytes);
                }
                HostMessage::Snapshot { .. } => panic!("missed output is sent as output"),
                _ => {}
            }
        }
        since = Some(Offset(shown.len() as u64));
        house.kill_server();
        assert_eq!(socket.wait_for_close().0, 1006);
        // Another viewer sends the input meanwhile.
        worker.send(b"\r");
    }
}

#[test]
fn a_server_that_stops_closes_its_sockets_with_a_reason() {
    let mut house = House::new();
    let worker = house.script("echo ready; exec cat");
    let mut socket = house.attach(&worker, wanting_all());
    socket.wait_for_output("ready");
    let reading = std::thread::spawn(move || socket.wait_for_close());
    house.stop_server();
    assert_eq!(reading.join().unwrap(), (1012, "server-restart".into()));
    assert!(worker.status().viewers.is_empty(), "the worker runs without viewers");
}

#[test]
fn s10_a_revoked_token_closes_its_sockets_at_once() {
    let house = House::new();
    let worker = house.script("echo ready; exec cat");
    let (secret, id) = house.token_for(&worker, true);
    let mut socket = house.attach_as(&worker, &secret, wanting_all());
    let mut owner = house.attach(&worker, wanting_all());
    socket.wait_for_output("ready");
    house.delete(&format!("/api/tokens/{id}"));
    assert_eq!(socket.wait_for_close(), (4401, "revoked".into()));
    owner.frame(&ViewerMessage::Input(b"alive\r".to_vec()));
    owner.wait_for_output("alive\r\nalive");
}

#[test]
fn v2_a_viewer_that_answers_no_ping_is_detached() {
    let house = House::with(["300", "300", "false"]);
    let worker = house.script("echo ready; exec cat");
    // The test reads nothing, so it answers no ping.
    let mut socket = house.attach(&worker, wanting_all());
    socket.wait_for_output("ready");
    wait_for("the viewer's end", || worker.status().viewers.is_empty().then_some(()));
    assert_eq!(socket.wait_for_close(), (4004, "silent".into()));
}

#[test]
fn v1_a_viewer_that_does_not_read_gets_a_snapshot_and_needs_little_memory() {
    let house = House::with(["300000", "100000", "false"]);
    let worker = house.script(LINES);
    let mut slow = house.attach(&worker, wanting_all());
    slow.wait_for_output("ready");
    let before = house.server_memory();
    // Another viewer reads far more than the host and the server keep for the first one.
    let mut quick = house.attach(&worker, wanting_all());
    quick.frame(&ViewerMessage::Input(b"\r".to_vec()));
    let mut end = Offset(0);
    while end < Offset(24 << 20) {
        end = match quick.host_message().expect("it goes on") {
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
        match slow.host_message() {
            Ok(HostMessage::Output { at: from, bytes }) => at = from + bytes.len(),
            Ok(HostMessage::Snapshot { at: from, .. }) if at > Offset(0) => break from - at,
            Ok(HostMessage::Exited(_)) => panic!("the server kept all output for the slow viewer"),
            Ok(_) => {}
            Err(closed) => panic!("{closed:?}"),
        }
    };
    assert!(skipped > 1 << 20, "{skipped}");
}
