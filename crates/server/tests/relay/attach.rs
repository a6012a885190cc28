//! `/api/workers/{id}/attach`: our own frames.

use model::{ExitStatus, TermSize};
use protocol::{Attach, HostMessage, Refusal, Upgrade, ViewerMessage};
use testkit::wait_for;
use tungstenite::Message;

use crate::house::{House, wanting_all};

#[test]
fn a_browser_sees_the_output_and_types() {
    let house = House::new();
    let worker = house.script("echo ready; exec cat");
    let mut socket = house.attach(&worker, wanting_all());
    let welcome = socket.wait_for_message("a welcome", |message| match message {
        HostMessage::Welcome(welcome) => Some(welcome),
        _ => None,
    });
    assert_eq!(welcome.worker.to_string(), worker.id);
    socket.wait_for_output("ready");
    socket.frame(&ViewerMessage::Input(b"typed\r".to_vec()));
    socket.wait_for_output("typed\r\ntyped");
    let viewers = worker.status().viewers;
    let named = |name: &str| name.starts_with("owner") && name.ends_with(": test");
    assert!(viewers.iter().any(|viewer| named(&viewer.name)), "{viewers:?}");
}

#[test]
fn s9_a_viewer_that_may_only_watch_cannot_change_a_worker() {
    let house = House::new();
    let worker = house.script("echo ready; exec cat");
    let (secret, _) = house.token_for(&worker, false);
    let size = TermSize::clamped(33, 11);
    let mut watcher = house.attach_as(&worker, &secret, Attach { size: Some(size), ..wanting_all() });
    watcher.wait_for_output("ready");
    let before = worker.status();
    watcher.frame(&ViewerMessage::Input(b"typed\r".to_vec()));
    let refused = watcher.wait_for_message("a refusal", |message| match message {
        HostMessage::Refused(refused) => Some(refused.code),
        _ => None,
    });
    assert_eq!(refused, Refusal::ReadOnly);
    watcher.frame(&ViewerMessage::Resize(size));
    watcher.frame(&ViewerMessage::Focus);
    watcher.frame(&ViewerMessage::Ping(7));
    watcher.wait_for_message("the answer to the ping", |message| {
        (message == HostMessage::Pong(7)).then_some(())
    });
    let after = worker.status();
    assert_eq!((after.offset, after.size), (before.offset, before.size));
    assert!(after.viewers.iter().all(|viewer| viewer.read_only), "{:?}", after.viewers);
}

#[test]
fn s8_a_token_for_one_worker_cannot_attach_to_another() {
    let house = House::new();
    let (one, other) = (house.script("exec cat"), house.script("exec cat"));
    let (secret, _) = house.token_for(&one, true);
    let refused = house.try_socket(&format!("/api/workers/{}/attach", other.id), &secret);
    assert_eq!(refused.err(), Some(404));
    let unknown = house.try_socket("/api/workers/00000000/attach", house.token());
    assert_eq!(unknown.err(), Some(404));
}

#[test]
fn messages_that_no_viewer_needs_are_refused_and_do_not_reach_the_host() {
    let house = House::new();
    let worker = house.script("echo ready; exec cat");
    let mut socket = house.attach(&worker, wanting_all());
    socket.wait_for_output("ready");
    for message in [
        ViewerMessage::Shutdown,
        ViewerMessage::Kill(9),
        ViewerMessage::Lease,
        ViewerMessage::Upgrade(Upgrade { program: "/bin/true".into() }),
        ViewerMessage::Status,
        ViewerMessage::Attach(wanting_all()),
    ] {
        socket.frame(&message);
        let refused = socket.wait_for_message("a refusal", |message| match message {
            HostMessage::Refused(refused) => Some(refused.code),
            _ => None,
        });
        assert_eq!(refused, Refusal::BadMessage, "{message:?}");
    }
    socket.frame(&ViewerMessage::Input(b"alive\r".to_vec()));
    socket.wait_for_output("alive\r\nalive");
}

#[test]
fn v3_a_message_that_is_no_frame_closes_only_its_socket() {
    let house = House::new();
    let worker = house.script("echo ready; exec cat");
    let mut other = house.attach(&worker, wanting_all());
    other.wait_for_output("ready");
    for (message, code) in [
        (Message::text("hello"), 1008),
        (Message::binary(b"\x10\x05\0\0\0shor".to_vec()), 1008),
        (Message::binary(vec![0x10, 0xff, 0xff, 0xff, 0xff]), 1009),
        (Message::binary(vec![b'x'; 2 << 20]), 1009),
    ] {
        let mut socket = house.attach(&worker, wanting_all());
        socket.wait_for_output("ready");
        socket.try_send(message);
        assert_eq!(socket.wait_for_close().0, code);
    }
    other.frame(&ViewerMessage::Input(b"alive\r".to_vec()));
    other.wait_for_output("alive\r\nalive");
}

#[test]
fn c4_a_viewer_gets_every_byte_then_the_end_and_later_viewers_get_the_end() {
    let house = House::new();
    let worker = house.script("read line; seq 1000; exit 3");
    let mut socket = house.attach(&worker, wanting_all());
    socket.frame(&ViewerMessage::Input(b"\r".to_vec()));
    socket.wait_for_output("999\r\n1000\r\n");
    let end = |message: HostMessage| match message {
        HostMessage::Exited(exited) => Some(exited.status),
        _ => None,
    };
    assert_eq!(socket.wait_for_message("the end", end), ExitStatus::Exited { code: 3 });
    assert_eq!(socket.wait_for_close(), (1000, "exited".into()));
    wait_for("the host's end", || (!worker.dir.socket().exists()).then_some(()));
    let mut late = house.attach(&worker, wanting_all());
    assert_eq!(late.wait_for_message("the end", end), ExitStatus::Exited { code: 3 });
    assert_eq!(late.wait_for_close(), (1000, "exited".into()));
}
