//! What a newer peer may say to an older one.

use model::{Offset, TermSize};
use protocol::{
    BlockedKind, Decoder, Frame, HostMessage, ProgramReport, ProgressMessage, PromptMessage, Refusal,
    SignalMessage, StatusMessage, StatusState, ViewerMessage,
};

fn host(kind: u8, payload: &str) -> HostMessage {
    HostMessage::read(Frame { kind, payload: payload.as_bytes() }).unwrap().unwrap()
}

fn viewer(kind: u8, payload: &str) -> ViewerMessage {
    ViewerMessage::read(Frame { kind, payload: payload.as_bytes() }).unwrap().unwrap()
}

#[test]
fn u2_unknown_types_are_skipped_by_their_length() {
    let mut bytes = Vec::new();
    for kind in [0x00, 0x0f, 0x1f, 0x7f, 0xff] {
        Frame { kind, payload: b"whatever it is" }.write(&mut bytes);
    }
    bytes.extend(ViewerMessage::Ping(1).to_bytes());
    let mut decoder = Decoder::default();
    decoder.push(&bytes);
    let mut understood = Vec::new();
    while let Some(frame) = decoder.next_frame().unwrap() {
        assert_eq!(HostMessage::read(frame).unwrap(), None);
        understood.extend(ViewerMessage::read(frame).unwrap());
    }
    assert_eq!(understood, [ViewerMessage::Ping(1)]);
}

#[test]
fn u2_unknown_fields_are_ignored() {
    assert_eq!(host(0x09, r#"{"token":1,"took":{"us":[12]}}"#), HostMessage::Pong(1));
    assert_eq!(viewer(0x14, r#"{"why":null,"offset":7}"#), ViewerMessage::Ack(Offset(7)));
    let ViewerMessage::Attach(attach) = viewer(0x13, r#"{"version":9,"colour":"red"}"#) else {
        panic!("no attachment")
    };
    assert_eq!(attach.version, 9);
    let HostMessage::Resized(resized) = host(0x05, r#"{"size":{"cols":80,"rows":24,"px":9}}"#) else {
        panic!("no size")
    };
    assert_eq!((resized.size, resized.owner), (TermSize::clamped(80, 24), None));
}

#[test]
fn u2_bytes_behind_a_fixed_payload_are_ignored() {
    let resize = ViewerMessage::read(Frame { kind: 0x11, payload: &[80, 0, 24, 0, 1, 2, 3] });
    assert_eq!(resize.unwrap(), Some(ViewerMessage::Resize(TermSize::clamped(80, 24))));
    assert_eq!(viewer(0x12, r#"{"graceMs":5}"#), ViewerMessage::Shutdown);
    assert_eq!(viewer(0x16, "{}"), ViewerMessage::Status);
}

#[test]
fn u2_unknown_signals_and_reasons_are_read_as_unknown() {
    let signal = host(0x06, r#"{"kind":"smell","strength":11}"#);
    assert_eq!(signal, HostMessage::Signal(SignalMessage::Unknown));
    let HostMessage::Refused(refused) = host(0x08, r#"{"code":"out-of-tea","message":"no tea"}"#) else {
        panic!("no refusal")
    };
    assert_eq!(refused.code, Refusal::Other);
}

#[test]
fn u2_unknown_words_in_a_signal_are_kept_as_they_came() {
    for (signal, expected) in [
        (
            r#"{"kind":"prompt","mark":"pondering","code":3}"#,
            SignalMessage::Prompt(PromptMessage::Unknown { mark: "pondering".into(), code: Some(3) }),
        ),
        (
            r#"{"kind":"progress","state":"sideways","percent":40}"#,
            SignalMessage::Progress(ProgressMessage::Unknown { state: "sideways".into(), percent: Some(40) }),
        ),
        (
            r#"{"kind":"status","id":"a/b","state":"dreaming","blocked":"tea","message":"words"}"#,
            status(StatusState::Unknown { state: "dreaming".into(), blocked: Some("tea".into()) }),
        ),
        (
            r#"{"kind":"status","id":"a/b","state":"blocked","blocked":"tea","message":"words"}"#,
            status(StatusState::Blocked { on: Some(BlockedKind::Unknown("tea".into())) }),
        ),
    ] {
        let read = host(0x06, signal);
        assert_eq!(read, HostMessage::Signal(expected));
        let HostMessage::Signal(read) = read else { panic!("no signal") };
        assert_eq!(serde_json::to_string(&read).unwrap(), signal);
    }
}

fn status(state: StatusState) -> SignalMessage {
    let status = StatusMessage { state, message: Some("words".into()) };
    SignalMessage::Status { id: "a/b".into(), status }
}

#[test]
fn u2_unknown_words_in_a_report_are_kept_as_they_came() {
    for activity in [
        r#"{"state":"dreaming","kind":"tea","message":"words"}"#,
        r#"{"state":"blocked","kind":"tea"}"#,
        r#"{"state":"dreaming"}"#,
    ] {
        let report = format!(r#"{{"title":"","cwd":"","alternateScreen":false,"activity":{activity}}}"#);
        let read: ProgramReport = serde_json::from_str(&report).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), report);
    }
    let without: ProgramReport = serde_json::from_str("{}").unwrap();
    assert_eq!(without.activity, None);
}
