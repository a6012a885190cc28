//! Generators of any valid message.

use jiff::Timestamp;
use model::{Epoch, ExitStatus, Offset, SizePolicy, TermSize, WorkerId, WorkerName};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use protocol::{
    Attach, BlockedKind, ChildState, CursorReport, Exited, Form, HostMessage, Leased, ProgramReport,
    ProgressMessage, PromptMessage, RecordingReport, Refusal, Refused, Resized, RowsReport, SignalMessage,
    StatusMessage, StatusReport, StatusState, Upgrade, ViewerId, ViewerMessage, ViewerReport, Viewers,
    Welcome, Withdraw,
};

use crate::frames_fixture::REFUSALS;

/// Any message of a host.
pub(crate) fn host_message() -> impl Strategy<Value = HostMessage> {
    let exited = (exit_status(), time()).prop_map(|(status, at)| Exited { status, at });
    prop_oneof![
        (offset(), any::<bool>(), bytes()).prop_map(|(at, last, bytes)| HostMessage::Snapshot {
            at,
            last,
            bytes
        }),
        (offset(), bytes()).prop_map(|(at, bytes)| HostMessage::Output { at, bytes }),
        exited.prop_map(HostMessage::Exited),
        welcome().prop_map(HostMessage::Welcome),
        (size(), option::of(viewer_id()))
            .prop_map(|(size, owner)| HostMessage::Resized(Resized { size, owner })),
        signal().prop_map(HostMessage::Signal),
        vec(viewer_report(), 0..4).prop_map(|viewers| HostMessage::Viewers(Viewers { viewers })),
        (refusal(), any::<String>())
            .prop_map(|(code, message)| HostMessage::Refused(Refused { code, message })),
        any::<u64>().prop_map(HostMessage::Pong),
        status_report().prop_map(|report| HostMessage::Status(Box::new(report))),
        (worker_id(), any::<u32>(), any::<u32>()).prop_map(|(worker, host_pid, child_pid)| {
            HostMessage::Leased(Leased { worker, host_pid, child_pid })
        }),
        Just(HostMessage::Returned),
        rows_report().prop_map(|rows| HostMessage::Rows(Box::new(rows))),
        offset().prop_map(HostMessage::Printed),
    ]
}

/// Any message of a viewer.
pub(crate) fn viewer_message() -> impl Strategy<Value = ViewerMessage> {
    prop_oneof![
        bytes().prop_map(ViewerMessage::Input),
        size().prop_map(ViewerMessage::Resize),
        Just(ViewerMessage::Shutdown),
        attach().prop_map(ViewerMessage::Attach),
        offset().prop_map(ViewerMessage::Ack),
        Just(ViewerMessage::Focus),
        Just(ViewerMessage::Status),
        any::<u64>().prop_map(ViewerMessage::Ping),
        Just(ViewerMessage::Redraw),
        any::<u8>().prop_map(ViewerMessage::Kill),
        Just(ViewerMessage::Lease),
        any::<String>().prop_map(|program| ViewerMessage::Upgrade(Upgrade { program })),
        any::<String>().prop_map(|principal| ViewerMessage::Withdraw(Withdraw { principal })),
        Just(ViewerMessage::Rows),
    ]
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..300)
}

fn offset() -> impl Strategy<Value = Offset> {
    any::<u64>().prop_map(Offset)
}

fn size() -> impl Strategy<Value = TermSize> {
    any::<(u16, u16)>().prop_map(|(cols, rows)| TermSize::clamped(cols, rows))
}

fn time() -> impl Strategy<Value = Timestamp> {
    let seconds = Timestamp::MIN.as_second()..Timestamp::MAX.as_second();
    (seconds, 0..1_000_000_000).prop_map(|(second, nanosecond)| {
        Timestamp::new(second, nanosecond).unwrap_or_else(|_| Timestamp::new(second, 0).expect("a time"))
    })
}

fn worker_id() -> impl Strategy<Value = WorkerId> {
    any::<[u8; WorkerId::RANDOM_BYTES]>().prop_map(WorkerId::from_random)
}

fn worker_name() -> impl Strategy<Value = WorkerName> {
    any::<String>().prop_map(|text| WorkerName::near(&text))
}

fn viewer_id() -> impl Strategy<Value = ViewerId> {
    any::<u64>().prop_map(ViewerId)
}

fn exit_status() -> impl Strategy<Value = ExitStatus> {
    prop_oneof![
        any::<u8>().prop_map(|code| ExitStatus::Exited { code }),
        any::<u8>().prop_map(|signal| ExitStatus::Killed { signal }),
        Just(ExitStatus::Unknown),
    ]
}

fn state() -> impl Strategy<Value = ChildState> {
    prop_oneof![
        Just(ChildState::Live),
        Just(ChildState::Ending),
        (exit_status(), time()).prop_map(|(status, at)| ChildState::Exited { status, at }),
    ]
}

fn refusal() -> impl Strategy<Value = Refusal> {
    prop::sample::select([&REFUSALS[..], &[Refusal::Other]].concat())
}

fn word() -> impl Strategy<Value = Option<String>> {
    option::of(any::<String>())
}

/// A word that no state has.
fn new_word() -> impl Strategy<Value = String> {
    any::<String>().prop_map(|word| format!("new {word}"))
}

fn prompt() -> impl Strategy<Value = PromptMessage> {
    prop_oneof![
        Just(PromptMessage::Prompt),
        Just(PromptMessage::Input),
        Just(PromptMessage::Output),
        any::<Option<i32>>().prop_map(|code| PromptMessage::Done { code }),
        (new_word(), any::<Option<i32>>()).prop_map(|(mark, code)| PromptMessage::Unknown { mark, code }),
    ]
}

fn progress() -> impl Strategy<Value = ProgressMessage> {
    let percent = any::<Option<u8>>;
    prop_oneof![
        Just(ProgressMessage::None),
        percent().prop_map(|percent| ProgressMessage::Normal { percent }),
        percent().prop_map(|percent| ProgressMessage::Error { percent }),
        Just(ProgressMessage::Indeterminate),
        percent().prop_map(|percent| ProgressMessage::Paused { percent }),
        (new_word(), percent()).prop_map(|(state, percent)| ProgressMessage::Unknown { state, percent }),
    ]
}

fn blocked() -> impl Strategy<Value = BlockedKind> {
    prop_oneof![
        Just(BlockedKind::Permission),
        Just(BlockedKind::Question),
        Just(BlockedKind::Auth),
        new_word().prop_map(BlockedKind::Unknown),
    ]
}

fn status() -> impl Strategy<Value = StatusMessage> {
    let state = prop_oneof![
        Just(StatusState::Idle),
        Just(StatusState::Working),
        option::of(blocked()).prop_map(|on| StatusState::Blocked { on }),
        Just(StatusState::Done),
        Just(StatusState::Error),
        Just(StatusState::Clear),
        (new_word(), word()).prop_map(|(state, blocked)| StatusState::Unknown { state, blocked }),
    ];
    (state, word()).prop_map(|(state, message)| StatusMessage { state, message })
}

fn signal() -> impl Strategy<Value = SignalMessage> {
    prop_oneof![
        any::<String>().prop_map(|text| SignalMessage::Title { text }),
        any::<String>().prop_map(|text| SignalMessage::Cwd { text }),
        prompt().prop_map(SignalMessage::Prompt),
        progress().prop_map(SignalMessage::Progress),
        any::<(String, String)>().prop_map(|(title, text)| SignalMessage::Notification { title, text }),
        (any::<String>(), status()).prop_map(|(id, status)| SignalMessage::Status { id, status }),
        Just(SignalMessage::Bell),
        Just(SignalMessage::Unknown),
    ]
}

fn viewer_report() -> impl Strategy<Value = ViewerReport> {
    let numbers = any::<(u64, u64)>();
    let switches = any::<(bool, bool)>();
    (viewer_id(), any::<String>(), option::of(size()), time(), numbers, switches).prop_map(
        |(id, name, size, since, (behind_bytes, resyncs), (read_only, owns_size))| ViewerReport {
            id,
            name,
            read_only,
            size,
            owns_size,
            since,
            behind_bytes,
            resyncs,
        },
    )
}

fn welcome() -> impl Strategy<Value = Welcome> {
    let numbers = (any::<u32>(), any::<u32>(), offset(), any::<Option<u64>>());
    (numbers, worker_id(), worker_name(), size(), state(), viewer_id()).prop_map(
        |((version, epoch, offset, typed), worker, name, size, state, viewer)| Welcome {
            version,
            worker,
            name,
            epoch: Epoch(epoch),
            offset,
            size,
            state,
            viewer,
            typed,
        },
    )
}

fn program_report() -> impl Strategy<Value = ProgramReport> {
    (any::<(String, String, bool)>(), option::of(status()), vec(signal(), 0..3)).prop_map(
        |((title, cwd, alternate_screen), activity, signals)| ProgramReport {
            title,
            cwd,
            alternate_screen,
            activity,
            signals,
        },
    )
}

fn rows_report() -> impl Strategy<Value = RowsReport> {
    let cursor = any::<(u16, u16, bool)>().prop_map(|(row, col, shown)| CursorReport { row, col, shown });
    (offset(), size(), vec(any::<String>(), 0..4), cursor, any::<(bool, u64)>()).prop_map(
        |(offset, size, rows, cursor, (alternate_screen, quiet_ms))| RowsReport {
            offset,
            size,
            rows,
            cursor,
            alternate_screen,
            quiet_ms,
        },
    )
}

fn status_report() -> impl Strategy<Value = StatusReport> {
    let recording = (offset(), any::<u64>(), word());
    let recording =
        recording.prop_map(|(recorded, gaps, trouble)| RecordingReport { recorded, gaps, trouble });
    let policy = prop::sample::select(vec![SizePolicy::Latest, SizePolicy::Smallest, SizePolicy::Fixed]);
    let people = (program_report(), vec(viewer_report(), 0..3), recording);
    let rest = (any::<(String, u32, u32, bool, u64, bool)>(), policy, option::of(time()));
    (welcome(), time(), people, rest).prop_map(
        |(welcome, started_at, (program, viewers, recording), (numbers, size_policy, printed_at))| {
            let (release, host_pid, child_pid, leased, model_failures, answers_rows) = numbers;
            StatusReport {
                version: welcome.version,
                release,
                worker: welcome.worker,
                name: welcome.name,
                host_pid,
                child_pid,
                epoch: welcome.epoch,
                offset: welcome.offset,
                size: welcome.size,
                size_policy,
                state: welcome.state,
                started_at,
                printed_at,
                leased,
                model_failures,
                answers_rows,
                program,
                viewers,
                recording,
            }
        },
    )
}

fn attach() -> impl Strategy<Value = Attach> {
    let resume = (option::of(any::<u32>().prop_map(Epoch)), option::of(offset()));
    let form = prop::sample::select(vec![Form::Full, Form::Screen]);
    let switches = any::<(bool, bool, bool, bool, bool)>();
    (any::<(u32, u32, String, Option<String>, Option<String>)>(), resume, form, option::of(size()), switches)
        .prop_map(
            |(
                (version, history, name, typist, principal),
                (epoch, since),
                form,
                size,
                (read_only, ack, events, quiet, prints),
            )| {
                Attach {
                    version,
                    epoch,
                    since,
                    history,
                    form,
                    read_only,
                    size,
                    ack,
                    events,
                    quiet,
                    prints,
                    typist,
                    principal,
                    name,
                }
            },
        )
}
