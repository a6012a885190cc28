//! A live detector beside a replayed one: it knows the same, although it looks at the screen only now and then.

use std::time::Duration;

use agents::{Agents, Change, Detector, Evidence, Heard, KnownBy, LiveDetector, Replay, State};
use export::import::{self, EventKind, Limits};
use model::{Activity, Epoch, Offset, SizePolicy, TermSize, WorkerId};
use protocol::{
    ChildState, CursorReport, ProgramReport, RecordingReport, RowsReport, SignalMessage, StatusMessage,
    StatusReport, StatusState, VERSION,
};
use terminal::{HistoryLimit, Terminal};

use crate::judge::{Recording, verdict};
use crate::recordings::{all, recording};

/// What a host reports of a program that says nothing.
fn report(program: ProgramReport) -> StatusReport {
    StatusReport {
        version: VERSION,
        release: "0".into(),
        worker: WorkerId::from_random([7; 8]),
        name: "worker".parse().expect("a name"),
        host_pid: 1,
        child_pid: 2,
        epoch: Epoch(1),
        offset: Offset(0),
        size: TermSize::clamped(80, 24),
        size_policy: SizePolicy::default(),
        state: ChildState::Live,
        started_at: jiff::Timestamp::UNIX_EPOCH,
        printed_at: None,
        leased: false,
        model_failures: 0,
        answers_rows: true,
        program,
        viewers: Vec::new(),
        recording: RecordingReport::default(),
    }
}

fn rows(text: &str) -> RowsReport {
    RowsReport {
        offset: Offset(0),
        size: TermSize::clamped(80, 24),
        rows: text.lines().map(str::to_owned).collect(),
        cursor: CursorReport::default(),
        alternate_screen: false,
        quiet_ms: 5000,
    }
}

/// A host and a server in one: the terminal, and the detector that looks at it.
struct Live {
    agents: Agents,
    terminal: Terminal,
    detector: LiveDetector,
    /// Whether the detector was told of output since it looked.
    told: bool,
    now: Duration,
    last_print: Duration,
    looks: Vec<Duration>,
    said: State,
    changes: Vec<Change>,
}

impl Live {
    fn new(agent: &str, size: TermSize) -> Live {
        let agents = Agents::builtin();
        let mut detector = LiveDetector::new(&agents, Some(agent), &[]);
        detector.begin(Duration::ZERO, &agents, &report(ProgramReport::default()), Duration::ZERO);
        Live {
            agents,
            terminal: Terminal::new(size, HistoryLimit { lines: 0, bytes: 0 }),
            detector,
            told: false,
            now: Duration::ZERO,
            last_print: Duration::ZERO,
            looks: Vec::new(),
            said: State::default(),
            changes: Vec::new(),
        }
    }

    fn output(&mut self, at: Duration, bytes: &[u8]) {
        self.until(at);
        self.terminal.feed(bytes);
        self.terminal.take_replies();
        self.last_print = at;
        for heard in self.terminal.take_signals().into_iter().filter_map(Heard::of_signal) {
            self.detector.hear(at, &self.agents, &heard);
            self.note(at);
        }
        if !std::mem::replace(&mut self.told, true) {
            self.detector.printed(at);
        }
        self.note(at);
    }

    fn resize(&mut self, at: Duration, size: TermSize) {
        self.until(at);
        self.terminal.resize(size);
        self.detector.resized(at);
    }

    fn until(&mut self, at: Duration) {
        while let Some(due) = self.detector.due().filter(|&due| due < at) {
            // What is due may be so since before it was heard.
            let due = due.max(self.now);
            if self.detector.wake(due) {
                self.look(due);
            }
            self.note(due);
        }
        if self.detector.wake(at) {
            self.look(at);
        }
        self.now = at;
        self.note(at);
    }

    fn look(&mut self, at: Duration) {
        self.looks.push(at);
        self.told = false;
        let cursor = self.terminal.cursor();
        let quiet = at.saturating_sub(self.last_print);
        let report = RowsReport {
            rows: self.terminal.text_rows().map(|row| row.text).collect(),
            cursor: CursorReport { row: cursor.row, col: cursor.col, shown: cursor.visible },
            quiet_ms: u64::try_from(quiet.as_millis()).expect("a short time"),
            ..rows("")
        };
        self.detector.saw(at, report);
    }

    fn note(&mut self, at: Duration) {
        let turn = self.detector.take_turn();
        if *self.detector.state() != self.said || turn.is_some() {
            self.said.clone_from(self.detector.state());
            self.changes.push(Change { at, state: self.said.clone(), turn });
        }
    }
}

/// Plays a recording to a live detector, and to a replayed one.
fn played(name: &str, agent: &str) -> (Live, Replay, Vec<(Duration, String)>, Duration) {
    let Recording { cast, hooks } = recording(name);
    let events = import::import(cast.as_slice(), Limits::default()).expect("a recording");
    let size = events.header().size;
    let agents = Agents::builtin();
    let definition = agents.get(&agent.parse().expect("an id")).expect("it comes with abide");
    let mut live = Live::new(agent, size);
    let mut replay = Replay::new(Detector::new(definition, None), size);
    let mut hooks = hooks.iter().peekable();
    let (mut markers, mut end) = (Vec::new(), Duration::ZERO);
    for event in events {
        let event = event.expect("an event");
        let at = Duration::from_micros(event.time_us);
        end = at;
        while let Some((time, hook)) = hooks.next_if(|(time, _)| *time <= at) {
            live.until(*time);
            live.detector.hook(*time, hook);
            live.note(*time);
            replay.hook(*time, hook);
        }
        match event.kind {
            EventKind::Output(text) => {
                live.output(at, text.as_bytes());
                replay.output(at, text.as_bytes());
            }
            EventKind::Resize(size) => {
                live.resize(at, size);
                replay.resize(at, size);
            }
            EventKind::Marker(marker) => markers.push((at, marker)),
            EventKind::Exit(_) => {}
        }
    }
    live.until(end);
    replay.until(end);
    (live, replay, markers, end)
}

#[test]
fn a_live_detector_knows_what_a_replayed_one_knows() {
    let (mut right, mut judged) = (Duration::ZERO, Duration::ZERO);
    for (agent, name) in all() {
        let (live, mut replay, markers, end) = played(&name, &agent);
        let replayed = replay.take_changes();
        let known = |state: &State| {
            let question = state.question.as_ref();
            (
                state.activity,
                question.map(|question| (question.kind, question.text.clone(), question.choices.clone())),
            )
        };
        let said = |at: Duration| {
            let last = live.changes.iter().rev().find(|change| change.at <= at);
            known(&last.map(|change| change.state.clone()).unwrap_or_default())
        };
        // What lasts is known within a second.
        for (index, change) in replayed.iter().enumerate() {
            let state = known(&change.state);
            let until = replayed[index + 1..].iter().find(|next| known(&next.state) != state);
            let soon = change.at + Duration::from_secs(1);
            if soon < until.map_or(end, |next| next.at) {
                assert_eq!(said(soon), state, "{name} at {soon:?}");
            }
        }
        let turns = |changes: &[Change]| -> Vec<_> {
            changes.iter().filter_map(|change| Some(change.turn.as_ref()?.how)).collect()
        };
        assert_eq!(turns(&live.changes), turns(&replayed), "{name}");
        let seconds = end.as_secs_f64();
        assert!((live.looks.len() as f64) < seconds * 5.0 + 2.0, "{name}: {} looks", live.looks.len());
        let verdict = verdict(&markers, live.changes, end);
        assert_eq!(verdict.noticed, verdict.asks, "{name}: {:?}", verdict.mistakes);
        println!(
            "{name}: {:.3}, {} looks in {seconds:.0} s, slowest {:?}",
            verdict.share(),
            live.looks.len(),
            verdict.slowest
        );
        right += verdict.right;
        judged += verdict.judged;
    }
    let share = right.as_secs_f64() / judged.as_secs_f64();
    println!("{share:.4}");
    assert!(share >= 0.97, "{share}");
}

/// So much time has passed before a test begins: a program may have been quiet for longer than it is watched.
const START: Duration = Duration::from_secs(3600);

const QUESTION: &str = "\
Overwrite the file?
❯ 1. Yes
  2. No

Enter to select · Esc to cancel";

#[test]
fn a_detector_that_begins_anew_learns_the_question_from_the_screen() {
    let agents = Agents::builtin();
    let mut live = LiveDetector::new(&agents, None, &["fake".into()]);
    assert_eq!(live.definition().1, KnownBy::Nothing);
    live.begin(START, &agents, &report(ProgramReport::default()), Duration::from_secs(60));
    assert_eq!(live.due(), Some(START));
    assert!(live.wake(START));
    assert_eq!(live.due(), None, "the answer is on its way");
    live.saw(START, rows(QUESTION));
    assert_eq!(live.state().activity, Activity::Asking);
    assert_eq!(live.since(), START - Duration::from_secs(5), "it has printed nothing since");
    assert_eq!(live.due(), None, "nothing is printed, and nothing is looked at");
    // Another connection: the question stays, also before the screen has come.
    live.begin(START, &agents, &report(ProgramReport::default()), Duration::ZERO);
    assert_eq!(live.state().activity, Activity::Asking);
    let due = live.due().expect("it looks again");
    assert!(live.wake(due));
    live.saw(due, rows(QUESTION));
    assert_eq!(live.state().question.as_ref().map(|question| question.choices.len()), Some(2));
}

#[test]
fn a_host_that_does_not_show_the_screen_is_not_asked_for_it() {
    let agents = Agents::builtin();
    let mut live = LiveDetector::new(&agents, Some("claude"), &[]);
    let old = StatusReport { answers_rows: false, ..report(ProgramReport::default()) };
    live.begin(START, &agents, &old, Duration::ZERO);
    live.printed(START);
    assert_eq!((live.due(), live.sees_screen()), (None, false));
    let working = SignalMessage::Status {
        id: String::new(),
        status: StatusMessage { state: StatusState::Working, message: None },
    };
    live.hear(START, &agents, &Heard::of_message(&working).expect("it says something"));
    assert_eq!(live.state().activity, Activity::Active);
    assert_eq!(live.state().source, Some(Evidence::ProgramStatus));
}

#[test]
fn an_agent_is_known_by_its_title_if_by_nothing_else() {
    let agents = Agents::builtin();
    let mut live = LiveDetector::new(&agents, None, &["run-it".into()]);
    live.begin(START, &agents, &report(ProgramReport::default()), Duration::ZERO);
    live.hear(START, &agents, &Heard::Title("✳ Claude Code".into()));
    assert_eq!(live.definition(), (&"claude".parse().expect("an id"), KnownBy::Title));
    assert_eq!(live.state().activity, Activity::Idle);
    for (title, id) in [("Qwen - demo", Some("qwen")), ("GitHub Copilot", Some("copilot")), ("a prize", None)]
    {
        assert_eq!(agents.of_title(title).map(|agent| agent.id.as_str()), id, "{title}");
    }
}

#[test]
fn a_report_gives_what_signals_would_have_given() {
    let agents = Agents::builtin();
    let part =
        |state| SignalMessage::Status { id: "a".into(), status: StatusMessage { state, message: None } };
    let mark = SignalMessage::Prompt(protocol::PromptMessage::Output);
    let mut live = LiveDetector::new(&agents, Some("shell"), &[]);
    let program = ProgramReport { signals: vec![mark], ..ProgramReport::default() };
    live.begin(START, &agents, &report(program), Duration::ZERO);
    assert_eq!((live.state().activity, live.state().source), (Activity::Active, Some(Evidence::PromptMark)));
    let program =
        ProgramReport { signals: vec![part(StatusState::Blocked { on: None })], ..ProgramReport::default() };
    live.begin(START, &agents, &report(program), Duration::ZERO);
    assert_eq!(live.state().activity, Activity::Asking);
    assert_eq!(live.overruled().len(), 1, "{:?}", live.overruled());
}
