//! What a worker is doing, from its signals.

use agents::{AskedFor, Evidence, Tracker};
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

/// What a tracker says at each of these signals; and that it says so exactly when it is news.
fn check(signals: impl IntoIterator<Item = (SignalMessage, Activity)>) -> Tracker {
    let mut tracker = Tracker::default();
    assert_eq!(tracker.activity(), Unknown);
    for (signal, expected) in signals {
        let (was, asked) = (tracker.activity(), tracker.asking().cloned());
        let said = tracker.hear(&signal);
        assert_eq!(tracker.activity(), expected, "{signal:?}");
        let is_news = was != expected || asked != tracker.asking().cloned();
        assert_eq!(said, is_news.then_some(expected), "{signal:?}");
    }
    tracker
}

#[test]
fn program_status_decides_the_activity() {
    // What Codex 0.166 sends in a session with a permission, an answer and an interruption.
    let tracker = check([
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
    assert_eq!(tracker.evidence(), None);
}

#[test]
fn a_question_is_kept_until_it_is_answered() {
    let mut tracker = check([(blocked("", "question", "Which\u{1b}[2J one?\u{202e}"), Asking)]);
    let asking = tracker.asking().expect("a question").clone();
    assert_eq!(asking.kind, Some(AskedFor::Question));
    assert_eq!(asking.message.as_deref(), Some("Which\u{fffd}[2J one?\u{fffd}"));
    assert_eq!(tracker.hear(&blocked("", "auth", "log in")), Some(Asking), "another question is news");
    assert_eq!(tracker.hear(&blocked("", "auth", "log in")), None, "the same is none");
    assert_eq!(tracker.hear(&blocked("", "riddle", "what now")), Some(Asking));
    assert_eq!(tracker.asking().expect("a question").kind, None);
    tracker.hear(&status("", "working"));
    assert_eq!(tracker.asking(), None);
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
    let tracker = check([
        (status("a", "idle"), Idle),
        (status("a/b", "working"), Active),
        (blocked("c", "question", "first?"), Asking),
        (blocked("ab", "question", "second?"), Asking),
        (status("a", "done"), Asking),
        (status("c", "clear"), Asking),
        (status("a", "clear"), Asking),
    ]);
    assert_eq!(tracker.asking().expect("`ab` is no part of `a`").message.as_deref(), Some("second?"));
}

#[test]
fn the_number_of_remembered_parts_is_bounded() {
    let mut tracker = Tracker::default();
    tracker.hear(&blocked("first", "question", "?"));
    for number in 0..64 {
        assert_eq!(tracker.activity(), Asking, "{number}");
        tracker.hear(&status(&format!("part/{number}"), "working"));
    }
    assert_eq!(tracker.activity(), Active);
}

#[test]
fn a_shell_is_known_by_its_marks() {
    let tracker = check([
        (mark("prompt"), Idle),
        (mark("input"), Idle),
        (mark("output"), Active),
        (mark("done"), Idle),
        (mark("prompt"), Idle),
        (mark("novel"), Idle),
    ]);
    assert_eq!(tracker.evidence(), Some(Evidence::PromptMark));
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
            SignalMessage::Progress(ProgressMessage::Indeterminate),
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
    let mut tracker = check([(mark("output"), Active), (blocked("", "permission", "?"), Asking)]);
    assert_eq!(tracker.exited(), Some(Unknown));
    assert_eq!(tracker.exited(), None);
    assert_eq!((tracker.activity(), tracker.asking()), (Unknown, None));
}

#[test]
fn a_report_replaces_everything_the_tracker_knew() {
    let report = |state: StatusState| ProgramReport {
        activity: Some(StatusMessage { state, message: Some("approve Bash".into()) }),
        ..ProgramReport::default()
    };
    let blocked_on_permission = StatusState::Blocked { on: Some(BlockedKind::Permission) };
    let mut tracker = check([(mark("output"), Active), (blocked("part", "question", "?"), Asking)]);
    assert_eq!(tracker.of_report(&ProgramReport::default()), Some(Unknown));
    assert_eq!(tracker.of_report(&report(StatusState::Working)), Some(Active));
    assert_eq!(tracker.of_report(&report(StatusState::Working)), None);
    assert_eq!(tracker.of_report(&report(blocked_on_permission)), Some(Asking));
    assert_eq!(tracker.asking().expect("a question").message.as_deref(), Some("approve Bash"));
}

#[test]
fn stronger_evidence_overrides_weaker_evidence() {
    let mut tracker = check([(mark("output"), Active)]);
    assert_eq!(tracker.learn(Evidence::Screen, Some(Idle)), Some(Idle));
    assert_eq!(tracker.learn(Evidence::Hook, Some(Asking)), Some(Asking));
    assert_eq!(tracker.learn(Evidence::Title, Some(Idle)), None);
    assert_eq!((tracker.evidence(), tracker.asking()), (Some(Evidence::Hook), None));
    assert_eq!(tracker.hear(&status("", "working")), Some(Active));
    assert_eq!(tracker.learn(Evidence::Hook, None), None);
    assert_eq!(tracker.hear(&status("", "clear")), Some(Idle));
    assert_eq!(tracker.evidence(), Some(Evidence::Title));
}
