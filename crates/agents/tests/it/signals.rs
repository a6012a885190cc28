//! What a worker is doing, from its signals alone.

use std::time::Duration;

use agents::{Agents, AskedFor, Detector, Evidence, Heard, Question};
use model::Activity::{self, Active, Asking, Idle, Unknown};
use protocol::{BlockedKind, ProgramReport, ProgressMessage, SignalMessage, StatusMessage, StatusState};
use serde_json::json;

fn status(id: &str, state: &str) -> SignalMessage {
    read(json!({ "kind": "status", "id": id, "state": state }))
}

fn blocked(id: &str, kind: &str, message: &str) -> SignalMessage {
    read(json!({ "kind": "status", "id": id, "state": "blocked", "blocked": kind, "message": message }))
}

fn mark(mark: &str) -> SignalMessage {
    read(json!({ "kind": "prompt", "mark": mark }))
}

/// A signal as a host sends it.
fn read(signal: serde_json::Value) -> SignalMessage {
    serde_json::from_value(signal).expect("a signal")
}

/// What a detector says at each of these signals, without a screen.
fn check(signals: impl IntoIterator<Item = (SignalMessage, Activity)>) -> Detector {
    let agents = Agents::builtin();
    let mut detector = Detector::new(agents.generic(), None);
    assert_eq!(detector.state().activity, Unknown);
    for (signal, expected) in signals {
        hear(&mut detector, &signal);
        assert_eq!(detector.state().activity, expected, "{signal:?}");
    }
    detector
}

fn hear(detector: &mut Detector, signal: &SignalMessage) -> Activity {
    if let Some(heard) = Heard::of_message(signal) {
        detector.hear(Duration::ZERO, &heard);
    }
    detector.state().activity
}

fn asked(detector: &Detector) -> Question {
    detector.state().question.clone().expect("a question")
}

#[test]
fn program_status_decides_the_activity() {
    // What Codex 0.166 sends in a session with a permission, an answer and an interruption.
    let detector = check([
        (status("", "idle"), Idle),
        (status("", "working"), Active),
        (status("", "working"), Active),
        (blocked("", "permission", "run `date`?"), Asking),
        (status("", "working"), Active),
        (status("", "done"), Idle),
        (status("", "idle"), Idle),
        (status("", "working"), Active),
        (status("", "error"), Idle),
        (status("", "clear"), Unknown),
    ]);
    assert_eq!(detector.state().source, None);
}

#[test]
fn a_question_is_kept_until_it_is_answered() {
    let mut detector = check([(blocked("", "question", "Which\u{1b}[2J one?\u{202e}"), Asking)]);
    assert_eq!(asked(&detector).kind, Some(AskedFor::Question));
    assert_eq!(asked(&detector).text.as_deref(), Some("Which\u{fffd}[2J one?\u{fffd}"));
    hear(&mut detector, &blocked("", "auth", "log in"));
    assert_eq!(
        (asked(&detector).kind, asked(&detector).text.as_deref()),
        (Some(AskedFor::Auth), Some("log in"))
    );
    hear(&mut detector, &blocked("", "riddle", "what now"));
    assert_eq!(asked(&detector).kind, None);
    hear(&mut detector, &status("", "working"));
    assert_eq!(detector.state().question, None);
}

#[test]
fn the_status_of_the_whole_program_overrides_its_parts() {
    check([
        (status("", "working"), Active),
        (blocked("a", "permission", "?"), Active),
        (status("", "idle"), Idle),
        (status("a/b", "working"), Idle),
        (status("", "clear"), Unknown),
    ]);
}

#[test]
fn without_a_status_of_the_whole_program_the_most_urgent_part_decides() {
    let detector = check([
        (status("a", "idle"), Idle),
        (status("a/b", "working"), Active),
        (blocked("c", "question", "first?"), Asking),
        (blocked("ab", "question", "second?"), Asking),
        (status("a", "done"), Asking),
        (status("c", "clear"), Asking),
        (status("a", "clear"), Asking),
    ]);
    assert_eq!(asked(&detector).text.as_deref(), Some("second?"), "`ab` is no part of `a`");
}

#[test]
fn the_number_of_remembered_parts_is_bounded() {
    let mut detector = check([(blocked("first", "question", "?"), Asking)]);
    for number in 0..64 {
        assert_eq!(detector.state().activity, Asking, "{number}");
        hear(&mut detector, &status(&format!("part/{number}"), "working"));
    }
    assert_eq!(detector.state().activity, Active);
}

#[test]
fn a_shell_is_known_by_its_marks() {
    let detector = check([
        (mark("prompt"), Idle),
        (mark("input"), Idle),
        (mark("output"), Active),
        (mark("done"), Idle),
        (mark("prompt"), Idle),
        (mark("novel"), Idle),
    ]);
    assert_eq!(detector.state().source, Some(Evidence::PromptMark));
}

#[test]
fn program_status_overrides_prompt_marks_until_the_next_prompt() {
    check([
        (mark("prompt"), Idle),
        (mark("output"), Active),
        (status("", "idle"), Idle),
        (blocked("", "permission", "?"), Asking),
        (mark("output"), Asking),
        (status("", "clear"), Active),
        (status("", "working"), Active),
        (mark("done"), Active),
        // It was killed and cleared nothing.
        (mark("prompt"), Idle),
    ]);
}

#[test]
fn other_signals_do_not_change_the_activity() {
    let signals = || {
        [
            SignalMessage::Title { text: "✳ idle".into() },
            SignalMessage::Cwd { text: "file:///".into() },
            SignalMessage::Progress(ProgressMessage::Paused { percent: None }),
            SignalMessage::Notification { title: "Claude".into(), text: "needs you".into() },
            SignalMessage::Bell,
            SignalMessage::Unknown,
            status("", "tired"),
        ]
    };
    check(signals().map(|signal| (signal, Unknown)));
    let working = std::iter::once((status("", "working"), Active));
    check(working.chain(signals().map(|signal| (signal, Active))));
}

#[test]
fn after_an_exit_the_activity_is_unknown() {
    let mut detector = check([(mark("output"), Active), (blocked("", "permission", "?"), Asking)]);
    detector.exited(Duration::ZERO);
    assert_eq!((detector.state().activity, &detector.state().question), (Unknown, &None));
}

#[test]
fn a_report_replaces_what_the_program_said_of_itself() {
    let report = |state: StatusState| ProgramReport {
        activity: Some(StatusMessage { state, message: Some("approve Bash".into()) }),
        ..ProgramReport::default()
    };
    let blocked_on_permission = StatusState::Blocked { on: Some(BlockedKind::Permission) };
    let mut detector = check([(blocked("part", "question", "?"), Asking)]);
    let mut learn = |report: &ProgramReport| {
        detector.learn(Duration::ZERO, report);
        detector.state().clone()
    };
    assert_eq!(learn(&ProgramReport::default()).activity, Unknown);
    assert_eq!(learn(&report(StatusState::Working)).activity, Active);
    let asking = learn(&report(blocked_on_permission));
    assert_eq!(
        (asking.activity, asking.question.expect("one").text.as_deref()),
        (Asking, Some("approve Bash"))
    );
    let failed = learn(&report(StatusState::Error));
    assert_eq!((failed.activity, failed.error.as_deref()), (Idle, Some("approve Bash")));
}
