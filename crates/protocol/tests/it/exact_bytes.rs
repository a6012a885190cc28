//! The frames, byte by byte: the six of fixed shape, and one of JSON each way. A host that runs for weeks speaks like
//! this, and stays understood.

use model::{Epoch, ExitStatus, Offset, TermSize};
use protocol::{Attach, Decoder, Exited, Form, HostMessage, Resized, ViewerId, ViewerMessage, output_header};

#[rustfmt::skip]
const SNAPSHOT: &[u8] = &[
    0x01,                                               // type: snapshot
    11, 0, 0, 0,                                        // length of the payload
    0, 1, 0, 0, 0, 0, 0, 0,                             // offset it stands for: 256
    1,                                                  // flags: the last part
    0x1b, b'c',                                         // the part
];

#[rustfmt::skip]
const OUTPUT: &[u8] = &[
    0x02,                                               // type: output
    11, 0, 0, 0,                                        // length of the payload
    0, 1, 0, 0, 0, 0, 0, 0,                             // offset of the first byte: 256
    b'h', b'i', b'\n',                                  // what the child printed
];

#[rustfmt::skip]
const EXITED: [&[u8]; 4] = [
    &[0x03],                                            // type: exited
    &[71, 0, 0, 0],                                     // length of the payload
    &[137, 0, 0, 0],                                    // code: 128 and the signal's number
    br#"{"status":{"kind":"killed","signal":9},"at":"1970-01-01T00:00:01Z"}"#, // how and when
];

#[rustfmt::skip]
const INPUT: &[u8] = &[
    0x10,                                               // type: input
    3, 0, 0, 0,                                         // length of the payload
    b'l', b's', b'\r',                                  // the typed bytes
];

#[rustfmt::skip]
const RESIZE: &[u8] = &[
    0x11,                                               // type: resize
    4, 0, 0, 0,                                         // length of the payload
    44, 1,                                              // columns: 300
    24, 0,                                              // rows
];

#[rustfmt::skip]
const SHUTDOWN: &[u8] = &[
    0x12,                                               // type: shutdown
    0, 0, 0, 0,                                         // length of the payload
];

#[rustfmt::skip]
const RESIZED: [&[u8]; 3] = [
    &[0x05],                                            // type: resized
    &[41, 0, 0, 0],                                     // length of the payload
    br#"{"size":{"cols":300,"rows":24},"owner":2}"#,    // the size, and whose it is
];

#[rustfmt::skip]
const ATTACH: [&[u8]; 5] = [
    &[0x13],                                            // type: attach
    &[154, 0, 0, 0],                                    // length of the payload
    br#"{"version":1,"epoch":1,"since":256,"#,          // what it speaks, what it has
    br#""history":1000,"form":"screen","readOnly":false,"size":{"cols":300,"rows":24},"#, // what it wants
    br#""ack":true,"events":false,"name":"a tab"}"#,    // how it behaves
];

/// An attachment as the smallest viewer writes it.
const SHORT_ATTACH: &[u8] = b"\x13\x0d\0\0\0{\"version\":1}";

#[track_caller]
fn check_host(message: &HostMessage, bytes: &[u8]) {
    assert_eq!(message.to_bytes(), bytes);
    let mut decoder = Decoder::default();
    decoder.push(bytes);
    let frame = decoder.next_frame().unwrap().unwrap();
    assert_eq!(HostMessage::read(frame).unwrap().as_ref(), Some(message));
}

#[track_caller]
fn read_viewer(bytes: &[u8]) -> ViewerMessage {
    let mut decoder = Decoder::default();
    decoder.push(bytes);
    let frame = decoder.next_frame().unwrap().unwrap();
    ViewerMessage::read(frame).unwrap().unwrap()
}

#[track_caller]
fn check_viewer(message: &ViewerMessage, bytes: &[u8]) {
    assert_eq!(message.to_bytes(), bytes);
    assert_eq!(read_viewer(bytes), *message);
}

#[test]
fn a_host_writes_exactly_these_bytes() {
    let snapshot = HostMessage::Snapshot { at: Offset(256), last: true, bytes: b"\x1bc".to_vec() };
    check_host(&snapshot, SNAPSHOT);
    check_host(&HostMessage::Output { at: Offset(256), bytes: b"hi\n".to_vec() }, OUTPUT);
    let at = "1970-01-01T00:00:01Z".parse().unwrap();
    let exited = Exited { status: ExitStatus::Killed { signal: 9 }, at };
    check_host(&HostMessage::Exited(exited), &EXITED.concat());
    let resized = Resized { size: TermSize::clamped(300, 24), owner: Some(ViewerId(2)) };
    check_host(&HostMessage::Resized(resized), &RESIZED.concat());
}

#[test]
fn a_viewer_writes_exactly_these_bytes() {
    check_viewer(&ViewerMessage::Input(b"ls\r".to_vec()), INPUT);
    check_viewer(&ViewerMessage::Resize(TermSize::clamped(300, 24)), RESIZE);
    check_viewer(&ViewerMessage::Shutdown, SHUTDOWN);
    let attach = Attach {
        version: 1,
        epoch: Some(Epoch(1)),
        since: Some(Offset(256)),
        history: 1000,
        form: Form::Screen,
        read_only: false,
        size: Some(TermSize::clamped(300, 24)),
        ack: true,
        events: false,
        quiet: false,
        prints: false,
        typist: None,
        principal: None,
        name: "a tab".into(),
    };
    check_viewer(&ViewerMessage::Attach(attach), &ATTACH.concat());
}

#[test]
fn an_output_header_stands_before_bytes_that_are_elsewhere() {
    let header = output_header(Offset(256), 3);
    assert_eq!([&header[..], b"hi\n"].concat(), OUTPUT);
}

#[test]
fn a_part_of_a_snapshot_that_is_not_the_last_has_no_flag() {
    let part = HostMessage::Snapshot { at: Offset(256), last: false, bytes: b"\x1bc".to_vec() };
    let mut bytes = SNAPSHOT.to_vec();
    bytes[13] = 0;
    check_host(&part, &bytes);
}

#[test]
fn a_viewer_may_send_only_its_version() {
    let ViewerMessage::Attach(attach) = read_viewer(SHORT_ATTACH) else { panic!("no attachment") };
    assert_eq!(attach.version, 1);
    assert_eq!((attach.epoch, attach.since, attach.size), (None, None, None));
    assert_eq!((attach.form, attach.history, attach.name.as_str()), (Form::Full, 0, ""));
    assert!(!attach.read_only && !attach.ack && !attach.events);
}

#[test]
fn s27_a_size_on_the_wire_is_clamped() {
    assert_eq!(read_viewer(b"\x11\x04\0\0\0\0\0\0\0"), ViewerMessage::Resize(TermSize::MIN));
    assert_eq!(read_viewer(b"\x11\x04\0\0\0\xff\xff\xff\xff"), ViewerMessage::Resize(TermSize::MAX));
}
