//! `/api/workers/{id}/attach`: our own frames.

use model::{ExitStatus, TermSize};
use protocol::{Attach, HostMessage, Refusal, Upgrade, ViewerMessage};
use tungstenite::Message;

use crate::house::{House, wanting_all};

#[test]
fn a_browser_sees_and_types() {
    let house = House::new();
    let worker = house.script("echo ready; exec cat");
    let mut socket = house.attach(&worker, wanting_all());
    let welcome = socket.until("a welcome", |message| match message {
        HostMessage::Welcome(welcome) => Some(welcome),
        _ => None,
    });
    assert_eq!(welcome.worker.to_string(), worker.id);
    socket.until_shown("ready");
    socket.frame(&ViewerMessage::Input(b"typed\r".to_vec()));
    socket.until_shown("typed\r\ntyped");
    let viewers = worker.status().viewers;
    let named = |name: &str| name.starts_with("owner") && name.ends_with(": test");
    assert!(viewers.iter().any(|viewer| named(&viewer.name)), "{viewers:?}");
}

#[test]
fn s9_whoever_may_only_watch_changes_nothing_whatever_it_sends() {
    let house = House::new();
    let worker = house.script("echo ready; exec cat");
    let (secret, _) = house.token_for(&worker, false);
    let size = TermSize::clamped(33, 11);
    let mut watcher = house.attach_as(&worker, &secret, Attach { size: Some(size), ..wanting_all() });
    watcher.until_shown("ready");
    let before = worker.status();
    watcher.frame(&ViewerMessage::Input(b"typed\r".to_vec()));
    let refused = watcher.until("a refusal", |message| match message {
        HostMessage::Refused(refused) => Some(refused.code),
        _ => None,
    });
    assert_eq!(refused, Refusal::ReadOnly);
    watcher.frame(&ViewerMessage::Resize(size));
    watcher.frame(&ViewerMessage::Focus);
    watcher.frame(&ViewerMessage::Ping(7));
    watcher
        .until("the answer to what was said last", |message| (message == HostMessage::Pong(7)).then_some(()));
    let after = worker.status();
    assert_eq!((after.offset, after.size), (before.offset, before.size));
    assert!(after.viewers.iter().all(|viewer| viewer.read_only), "{:?}", after.viewers);
}

#[test]
fn s8_a_token_for_one_worker_opens_no_other() {
    let house = House::new();
    let (one, other) = (house.script("exec cat"), house.script("exec cat"));
    let (secret, _) = house.token_for(&one, true);
    let refused = house.try_socket(&format!("/api/workers/{}/attach", other.id), &secret);
    assert_eq!(refused.err(), Some(404));
    let nobody = house.try_socket("/api/workers/00000000/attach", &house.token());
    assert_eq!(nobody.err(), Some(404));
}

#[test]
fn what_no_viewer_needs_is_refused_aloud_and_goes_no_further() {
    let house = House::new();
    let worker = house.script("echo ready; exec cat");
    let mut socket = house.attach(&worker, wanting_all());
    socket.until_shown("ready");
    for message in [
        ViewerMessage::Shutdown,
        ViewerMessage::Kill(9),
        ViewerMessage::Lease,
        ViewerMessage::Upgrade(Upgrade { program: "/bin/true".into() }),
        ViewerMessage::Status,
        ViewerMessage::Attach(wanting_all()),
    ] {
        socket.frame(&message);
        let refused = socket.until("a refusal", |message| match message {
            HostMessage::Refused(refused) => Some(refused.code),
            _ => None,
        });
        assert_eq!(refused, Refusal::BadMessage, "{message:?}");
    }
    socket.frame(&ViewerMessage::Input(b"alive\r".to_vec()));
    socket.until_shown("alive\r\nalive");
}

#[test]
fn v3_what_is_no_frame_closes_that_socket_only() {
    let house = House::new();
    let worker = house.script("echo ready; exec cat");
    let mut other = house.attach(&worker, wanting_all());
    other.until_shown("ready");
    for (message, code) in [
        (Message::text("hello"), 1008),
        (Message::binary(b"\x10\x05\0\0\0shor".to_vec()), 1008),
        (Message::binary(vec![0x10, 0xff, 0xff, 0xff, 0xff]), 1009),
        (Message::binary(vec![b'x'; 2 << 20]), 1009),
    ] {
        let mut socket = house.attach(&worker, wanting_all());
        socket.until_shown("ready");
        socket.send(message);
        assert_eq!(socket.until_closed().0, code);
    }
    other.frame(&ViewerMessage::Input(b"alive\r".to_vec()));
    other.until_shown("alive\r\nalive");
}

#[test]
fn c4_every_byte_comes_then_the_end_and_later_comers_are_told_too() {
    let house = House::new();
    let worker = house.script("read line; seq 1000; exit 3");
    let mut socket = house.attach(&worker, wanting_all());
    socket.frame(&ViewerMessage::Input(b"\r".to_vec()));
    socket.until_shown("999\r\n1000\r\n");
    let end = |message: HostMessage| match message {
        HostMessage::Exited(exited) => Some(exited.status),
        _ => None,
    };
    assert_eq!(socket.until("the end", end), ExitStatus::Exited { code: 3 });
    assert_eq!(socket.until_closed(), (1000, "exited".into()));
    crate::house::wait_for("the host's leaving", || (!worker.dir.socket().exists()).then_some(()));
    let mut late = house.attach(&worker, wanting_all());
    assert_eq!(late.until("the end", end), ExitStatus::Exited { code: 3 });
    assert_eq!(late.until_closed(), (1000, "exited".into()));
}
