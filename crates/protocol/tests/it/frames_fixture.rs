//! The fixture of frames that the web UI's tests read too: every message, its exact bytes and its meaning. A field that
//! changes on one side alone fails a test on the other.

use std::fs;
use std::path::Path;

use jiff::Timestamp;
use model::{Epoch, ExitStatus, Offset, SizePolicy, TermSize, WorkerId};
use protocol::{
    Attach, ChildState, CursorReport, Exited, Frame, HostMessage, Leased, ProgramReport, PromptMessage,
    RecordingReport, Refusal, Refused, Resized, RowsReport, SignalMessage, StatusMessage, StatusReport,
    StatusState, Upgrade, VERSION, ViewerId, ViewerMessage, ViewerReport, Viewers, Welcome, Withdraw,
};
use serde_json::{Value, json, to_value};

/// Every refusal that has a word of its own.
pub(crate) const REFUSALS: [Refusal; 8] = [
    Refusal::Version,
    Refusal::BadMessage,
    Refusal::ReadOnly,
    Refusal::InputFull,
    Refusal::Exited,
    Refusal::Full,
    Refusal::Upgrade,
    Refusal::Signal,
];

fn size() -> TermSize {
    TermSize::clamped(100, 258)
}

fn at() -> Timestamp {
    "2026-01-31T03:00:00.5Z".parse().expect("a time")
}

fn worker() -> WorkerId {
    WorkerId::from_random([1, 2, 3, 4, 5, 6, 7, 8])
}

fn viewers() -> Vec<ViewerReport> {
    let viewer = ViewerReport {
        id: ViewerId(3),
        name: "a tab".into(),
        read_only: false,
        size: Some(size()),
        owns_size: true,
        since: at(),
        behind_bytes: 7,
        resyncs: 1,
    };
    let watcher =
        ViewerReport { id: ViewerId(4), read_only: true, owns_size: false, size: None, ..viewer.clone() };
    vec![viewer, watcher]
}

fn host_messages() -> Vec<HostMessage> {
    let welcome = Welcome {
        version: VERSION,
        worker: worker(),
        name: "demo".parse().expect("a name"),
        epoch: Epoch(2),
        offset: Offset(259),
        size: size(),
        state: ChildState::Live,
        viewer: ViewerId(3),
        typed: Some(12),
    };
    let exited = |status| HostMessage::Exited(Exited { status, at: at() });
    let mut messages = vec![
        HostMessage::Snapshot { at: Offset(258), last: true, bytes: b"\x1bc".to_vec() },
        HostMessage::Snapshot { at: Offset(258), last: false, bytes: Vec::new() },
        HostMessage::Output { at: Offset(1 << 40), bytes: vec![0, 0xff, b'\n'] },
        exited(ExitStatus::Exited { code: 3 }),
        exited(ExitStatus::Killed { signal: 9 }),
        exited(ExitStatus::Unknown),
        HostMessage::Welcome(Welcome { typed: None, state: ChildState::Ending, ..welcome.clone() }),
        HostMessage::Welcome(welcome),
        HostMessage::Resized(Resized { size: size(), owner: Some(ViewerId(3)) }),
        HostMessage::Resized(Resized { size: size(), owner: None }),
        HostMessage::Viewers(Viewers { viewers: viewers() }),
        HostMessage::Pong(77),
        HostMessage::Status(Box::new(status())),
        HostMessage::Leased(Leased { worker: worker(), host_pid: 10, child_pid: 11 }),
        HostMessage::Returned,
        HostMessage::Rows(Box::new(rows())),
        HostMessage::Printed(Offset(259)),
    ];
    messages.extend(REFUSALS.map(|code| HostMessage::Refused(Refused { code, message: "words".into() })));
    let signals = [
        json!({ "kind": "title", "text": "words" }),
        json!({ "kind": "cwd", "text": "/tmp" }),
        json!({ "kind": "prompt", "mark": "done", "code": 1 }),
        json!({ "kind": "progress", "state": "normal", "percent": 40 }),
        json!({ "kind": "notification", "title": "a title", "text": "words" }),
        json!({ "kind": "status", "id": "", "state": "blocked", "blocked": "question", "message": "words" }),
        json!({ "kind": "bell" }),
    ];
    for signal in signals {
        let read: SignalMessage = serde_json::from_value(signal.clone()).expect("a signal");
        assert_eq!(value(&read), signal, "nothing of it is lost");
        messages.push(HostMessage::Signal(read));
    }
    messages
}

fn rows() -> RowsReport {
    RowsReport {
        offset: Offset(259),
        size: size(),
        rows: vec!["Do you \"trust\" it?".into(), String::new(), "❯ 1. Yes".into()],
        cursor: CursorReport { row: 2, col: 8, shown: true },
        alternate_screen: true,
        quiet_ms: 120,
    }
}

fn status() -> StatusReport {
    StatusReport {
        version: VERSION,
        release: "0.1.0".into(),
        worker: worker(),
        name: "demo".parse().expect("a name"),
        host_pid: 10,
        child_pid: 11,
        epoch: Epoch(2),
        offset: Offset(259),
        size: size(),
        size_policy: SizePolicy::default(),
        state: ChildState::Exited { status: ExitStatus::Exited { code: 0 }, at: at() },
        started_at: at(),
        printed_at: Some(at()),
        leased: true,
        model_failures: 1,
        answers_rows: true,
        program: ProgramReport {
            title: "a title".into(),
            cwd: "/tmp".into(),
            alternate_screen: true,
            activity: Some(StatusMessage { state: StatusState::Working, message: Some("words".into()) }),
            signals: vec![SignalMessage::Prompt(PromptMessage::Output)],
        },
        viewers: viewers(),
        recording: RecordingReport { recorded: Offset(259), gaps: 1, trouble: Some("no room".into()) },
    }
}

fn viewer_messages() -> Vec<ViewerMessage> {
    let browser = Attach { history: 5, ack: true, events: true, ..Attach::full("a tab") };
    let back = Attach {
        epoch: Some(Epoch(2)),
        since: Some(Offset(259)),
        size: Some(size()),
        typist: Some("k7f2".into()),
        ..browser.clone()
    };
    vec![
        ViewerMessage::Input(b"ls\r\xff".to_vec()),
        ViewerMessage::Resize(size()),
        ViewerMessage::Shutdown,
        ViewerMessage::Attach(back),
        ViewerMessage::Attach(Attach { read_only: true, ..browser }),
        ViewerMessage::Ack(Offset(259)),
        ViewerMessage::Focus,
        ViewerMessage::Status,
        ViewerMessage::Ping(77),
        ViewerMessage::Redraw,
        ViewerMessage::Kill(15),
        ViewerMessage::Lease,
        ViewerMessage::Upgrade(Upgrade { program: "/usr/bin/abide-host".into() }),
        ViewerMessage::Withdraw(Withdraw { principal: "qpqzdtks".into() }),
        ViewerMessage::Rows,
    ]
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A message's name and its fields.
fn host_meaning(message: &HostMessage) -> (&'static str, Value) {
    match message {
        HostMessage::Snapshot { at, last, bytes } => {
            ("snapshot", json!({ "at": at, "last": last, "bytes": hex(bytes) }))
        }
        HostMessage::Output { at, bytes } => ("output", json!({ "at": at, "bytes": hex(bytes) })),
        HostMessage::Exited(Exited { status, at }) => {
            ("exited", json!({ "code": status.code(), "status": status, "at": at }))
        }
        HostMessage::Welcome(welcome) => ("welcome", value(welcome)),
        HostMessage::Resized(resized) => ("resized", value(resized)),
        HostMessage::Signal(signal) => {
            let mut fields = value(signal);
            let kind = fields.as_object_mut().and_then(|fields| fields.remove("kind"));
            fields["signal"] = kind.expect("every signal has a kind");
            ("signal", fields)
        }
        HostMessage::Viewers(viewers) => ("viewers", value(viewers)),
        HostMessage::Refused(refused) => ("refused", value(refused)),
        HostMessage::Pong(token) => ("pong", json!({ "token": token })),
        HostMessage::Status(report) => ("status", value(report)),
        HostMessage::Leased(leased) => ("leased", value(leased)),
        HostMessage::Returned => ("returned", json!({})),
        HostMessage::Rows(rows) => ("rows", value(rows)),
        HostMessage::Printed(offset) => ("printed", json!({ "offset": offset })),
    }
}

/// A message's name and its fields.
fn viewer_meaning(message: &ViewerMessage) -> (&'static str, Value) {
    match message {
        ViewerMessage::Input(bytes) => ("input", json!({ "bytes": hex(bytes) })),
        ViewerMessage::Resize(size) => ("resize", value(size)),
        ViewerMessage::Shutdown => ("shutdown", json!({})),
        ViewerMessage::Attach(attach) => ("attach", value(attach)),
        ViewerMessage::Ack(offset) => ("ack", json!({ "offset": offset })),
        ViewerMessage::Focus => ("focus", json!({})),
        ViewerMessage::Status => ("status", json!({})),
        ViewerMessage::Ping(token) => ("ping", json!({ "token": token })),
        ViewerMessage::Redraw => ("redraw", json!({})),
        ViewerMessage::Kill(signal) => ("kill", json!({ "signal": signal })),
        ViewerMessage::Lease => ("lease", json!({})),
        ViewerMessage::Upgrade(upgrade) => ("upgrade", value(upgrade)),
        ViewerMessage::Withdraw(withdraw) => ("withdraw", value(withdraw)),
        ViewerMessage::Rows => ("rows", json!({})),
    }
}

fn value(fields: &impl serde::Serialize) -> Value {
    to_value(fields).expect("our messages are JSON")
}

fn entry(bytes: &[u8], (kind, fields): (&'static str, Value)) -> Value {
    json!({ "kind": kind, "frame": hex(bytes), "fields": fields })
}

#[test]
fn the_fixture_holds_every_message_with_its_bytes_and_its_meaning() {
    let host =
        host_messages().iter().map(|message| entry(&message.to_bytes(), host_meaning(message))).collect();
    let viewer =
        viewer_messages().iter().map(|message| entry(&message.to_bytes(), viewer_meaning(message))).collect();
    let fixture = json!({ "host": Value::Array(host), "viewer": Value::Array(viewer) });
    let text = serde_json::to_string_pretty(&fixture).expect("JSON") + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/frames.json");
    if std::env::var_os("ABIDE_UPDATE").is_some() {
        fs::write(&path, &text).expect("the file can be written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == text,
        "fixtures/frames.json is not that of the code; if the change is meant, write it anew with `ABIDE_UPDATE=1 cargo test -p protocol frames_fixture`, and run the web's tests"
    );
}

#[test]
fn every_frame_of_the_fixture_is_read_back() {
    for message in host_messages() {
        let bytes = message.to_bytes();
        let frame = Frame { kind: bytes[0], payload: &bytes[protocol::HEADER_BYTES..] };
        assert_eq!(HostMessage::read(frame).expect("a message"), Some(message));
    }
    for message in viewer_messages() {
        let bytes = message.to_bytes();
        let frame = Frame { kind: bytes[0], payload: &bytes[protocol::HEADER_BYTES..] };
        assert_eq!(ViewerMessage::read(frame).expect("a message"), Some(message));
    }
}

#[test]
fn no_kind_of_frame_is_missing_in_the_fixture() {
    let host: Vec<u8> = host_messages().iter().map(|message| message.to_bytes()[0]).collect();
    let viewer: Vec<u8> = viewer_messages().iter().map(|message| message.to_bytes()[0]).collect();
    for kind in 0..=u8::MAX {
        let frame = Frame { kind, payload: b"" };
        let is_host = !matches!(HostMessage::read(frame), Ok(None));
        let is_viewer = !matches!(ViewerMessage::read(frame), Ok(None));
        assert_eq!((is_host, is_viewer), (host.contains(&kind), viewer.contains(&kind)), "{kind:#04x}");
    }
}
