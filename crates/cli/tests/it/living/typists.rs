//! Bytes typed by viewers that leave, and by viewers that come back.

use protocol::{Attach, HostMessage, ViewerMessage, Welcome};
use testkit::{Random, Watcher};
use viewer::Connection;

use crate::house::{House, Worker, receive, wait_for, watching};

fn attach(worker: &Worker, typist: Option<&str>) -> (Connection, Welcome) {
    let attach = Attach { read_only: false, typist: typist.map(str::to_owned), ..watching() };
    viewer::attach(&worker.dir.socket(), attach).expect("a host")
}

#[test]
fn bytes_that_a_viewer_sent_before_it_left_reach_the_child() {
    let house = House::new();
    let worker = house.script("while read line; do echo \"<$line>\"; done");
    let mut watcher = Watcher::watch(&worker);
    for number in 0..200 {
        let (mut connection, _) = attach(&worker, None);
        connection.send(&ViewerMessage::Input(format!("{number}\r").into_bytes())).unwrap();
        // It goes without having looked at its screen, which the host may be about to send.
    }
    watcher.wait_for("<199>");
    let recorded = wait_for("all of it on disk", || {
        let recorded = String::from_utf8(worker.recorded()).unwrap();
        recorded.contains("<199>").then_some(recorded)
    });
    let lost: Vec<u32> = (0..200).filter(|number| !recorded.contains(&format!("<{number}>"))).collect();
    assert_eq!(lost, Vec::<u32>::new());
}

#[test]
fn p1_a_typist_whose_connections_break_loses_no_byte_and_types_none_twice() {
    let house = House::new();
    let worker = house.script("stty raw -echo; printf ready; exec cat");
    Watcher::watch(&worker).wait_for("ready");
    let mut random = Random::new(8);
    let text: Vec<u8> = (0..3000).flat_map(|number| format!("{number} ").into_bytes()).collect();
    let mut connections = 0;
    loop {
        let (mut connection, welcome) = attach(&worker, Some("a tab"));
        connections += 1;
        let mut at = usize::try_from(welcome.typed.expect("it is counted")).unwrap();
        if at == text.len() {
            break;
        }
        for _ in 0..=random.below(4) {
            let end = text.len().min(at + 1 + random.below(200));
            connection.send(&ViewerMessage::Input(text[at..end].to_vec())).unwrap();
            at = end;
        }
        // Sometimes the earlier connection is still open when the next one comes, as it is behind a dead network.
        if random.percent(30) {
            std::mem::forget(connection);
        }
    }
    assert!(connections > 20, "{connections} connections");
    let expected = [b"ready", text.as_slice()].concat();
    let recorded = wait_for("all of it on disk", || {
        let recorded = worker.recorded();
        (recorded.len() >= expected.len()).then_some(recorded)
    });
    assert!(recorded == expected, "{}", String::from_utf8_lossy(&recorded));
}

#[test]
fn a_typist_has_one_connection_and_a_read_only_viewer_is_no_typist() {
    let house = House::new();
    let worker = house.script("stty -echo; exec cat");
    let (mut first, welcome) = attach(&worker, Some("a tab"));
    assert_eq!(welcome.typed, Some(0));
    let (mut other, welcome) = attach(&worker, Some("another"));
    assert_eq!(welcome.typed, Some(0));
    let (mut second, _) = attach(&worker, Some("a tab"));
    wait_for("the end of the first", || {
        first.receive().ok().is_none_or(|message| message.is_none()).then_some(())
    });
    for connection in [&mut other, &mut second] {
        connection.send(&ViewerMessage::Ping(1)).unwrap();
        while receive(connection) != HostMessage::Pong(1) {}
    }
    let watcher = Attach { typist: Some("a tab".into()), ..watching() };
    let (_, welcome) = viewer::attach(&worker.dir.socket(), watcher).unwrap();
    assert_eq!(welcome.typed, None, "it types nothing");
    let (_, welcome) = attach(&worker, Some(&"x".repeat(257)));
    assert_eq!(welcome.typed, None, "that is no name");
    second.send(&ViewerMessage::Ping(2)).unwrap();
    while receive(&mut second) != HostMessage::Pong(2) {}
}

#[test]
fn p5_an_upgraded_host_knows_how_much_a_typist_typed() {
    let house = House::new();
    let worker = house.script("stty -echo; exec cat");
    let (mut connection, _) = attach(&worker, Some("a tab"));
    connection.send(&ViewerMessage::Input(b"abc".to_vec())).unwrap();
    connection.send(&ViewerMessage::Ping(1)).unwrap();
    while receive(&mut connection) != HostMessage::Pong(1) {}
    drop(connection);
    house.output(["upgrade", "--force", worker.dir.id().as_str()]);
    assert_eq!(attach(&worker, Some("a tab")).1.typed, Some(3));
    assert_eq!(attach(&worker, Some("another")).1.typed, Some(0));
}
