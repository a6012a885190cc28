//! Keys of a token that is revoked while the program does not read.

use std::fs;

use protocol::{Attach, HostMessage, ViewerMessage};
use testkit::server::Socket;

use super::{Server, guest, revoke};
use crate::house::{House, wait_for};

/// More than a terminal holds for a program that does not read, and less than the host does.
const KEYS: usize = 600_000;

/// What the kernel may hold of it. Nothing takes that back.
const IN_THE_TERMINAL: usize = 200_000;

/// How many of a guest's keys a program gets that reads only after the guest's token was revoked.
fn typed_later(leave: impl FnOnce(Socket) -> Option<Socket>) -> usize {
    let house = House::new();
    let server = Server::start(&house);
    // It counts what it reads before the owner's key.
    let script = "stty raw -echo; printf ready; while [ ! -e go ]; do sleep 0.02; done; \
                  bash -c 'IFS= read -r -d Z x; printf \"got %d.\" ${#x}'; read x";
    let (_, worker) = server.terminal(house.path().to_str().unwrap(), script);
    let guest = guest(&server, worker.id, true);
    let path = format!("/api/workers/{}/attach", worker.id);
    let mut typist = Socket::open_as(&server, &path, &guest.secret).expect("it may");
    typist.frame(&ViewerMessage::Attach(Attach::full("a guest")));
    typist.wait_for_output("ready");
    for _ in 0..KEYS / 100_000 {
        typist.frame(&ViewerMessage::Input(vec![b'x'; 100_000]));
    }
    typist.frame(&ViewerMessage::Ping(7));
    typist.wait_for_message("the host has taken all keys", |message| match message {
        HostMessage::Pong(7) => Some(()),
        HostMessage::Refused(refused) => panic!("{refused:?}"),
        _ => None,
    });
    let socket = leave(typist);
    revoke(&server, &guest);
    if let Some(mut socket) = socket {
        assert_eq!(socket.wait_for_close(), (4401, "revoked".into()));
    }
    let mut owner = Socket::open(&server, &path);
    owner.frame(&ViewerMessage::Attach(Attach::full("the owner")));
    owner.frame(&ViewerMessage::Input(b"Z".to_vec()));
    owner.frame(&ViewerMessage::Ping(8));
    owner.wait_for_message("the owner's key is taken", |message| {
        matches!(message, HostMessage::Pong(8)).then_some(())
    });
    fs::write(house.path().join("go"), "").expect("a file");
    let lines = format!("/api/workers/{}/recording/output", worker.id);
    wait_for("the count", || {
        let text = super::raw::get(&server, &lines).text();
        let count = text.split_once("got ")?.1;
        count.split_once('.')?.0.parse().ok()
    })
}

#[test]
fn s19_keys_that_wait_for_the_program_are_dropped_when_their_typist_is_revoked() {
    let typed = typed_later(Some);
    assert!(typed < IN_THE_TERMINAL, "{typed} of {KEYS} keys were typed");
}

#[test]
fn s19_keys_of_a_typist_that_has_left_are_dropped_when_its_token_is_revoked() {
    let typed = typed_later(|socket| {
        drop(socket);
        None
    });
    assert!(typed < IN_THE_TERMINAL, "{typed} of {KEYS} keys were typed");
}
