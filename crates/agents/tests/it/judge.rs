//! Judges a detector by a recording whose markers say what the agent really did.

use std::time::Duration;

use agents::{Agent, Change, Detector, Evidence, Replay};
use export::import::{self, EventKind, Limits};
use model::Activity;
use serde_json::Value;

/// A recording, with all that is needed to judge.
pub(crate) struct Recording {
    pub(crate) cast: Vec<u8>,
    pub(crate) hooks: Vec<(Duration, Value)>,
}

/// Around each marker the driver of the recording may have been late or early.
const UNJUDGED: Duration = Duration::from_millis(800);
/// An agent that asks is noticed within this time.
const ASKING_WITHIN: Duration = Duration::from_millis(1000);
/// The latest marker of a state of asking, seen in the recordings: the driver waits until the whole dialog stands there.
const LATE_MARKER: Duration = Duration::from_millis(1500);
/// How finely time is judged.
const STEP: Duration = Duration::from_millis(20);

/// How right a detector was.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) judged: Duration,
    pub(crate) right: Duration,
    /// States of asking, and those of them that were noticed in time.
    pub(crate) asks: usize,
    pub(crate) noticed: usize,
    /// When it said that the agent asks, while it did not.
    pub(crate) false_asking: Vec<Duration>,
    /// What was wrong, for people: from when, until when, the marker, what was said.
    pub(crate) mistakes: Vec<String>,
    pub(crate) changes: Vec<Change>,
    /// The slowest time in which a state of asking was noticed.
    pub(crate) slowest: Duration,
}

impl Verdict {
    pub(crate) fn share(&self) -> f64 {
        self.right.as_secs_f64() / self.judged.as_secs_f64().max(0.001)
    }
}

/// What a marker says; nothing for one that is not judged.
fn truth_of(marker: &str) -> Option<Activity> {
    let begins = |words: &[&str]| words.iter().any(|word| marker.starts_with(word));
    match () {
        () if begins(&["asking", "trust", "api-key", "deny-pending", "limit", "auth"]) => {
            Some(Activity::Asking)
        }
        () if begins(&["working", "answer-", "approved"]) => Some(Activity::Active),
        () if begins(&["idle", "after-", "interrupted", "deny-"]) => Some(Activity::Idle),
        () => None,
    }
}

/// Runs a detector over a recording that `change` may alter.
pub(crate) fn judge(
    recording: &Recording,
    agent: &Agent,
    muted: &[Evidence],
    change: impl Fn(&str) -> String,
) -> Verdict {
    let events = import::import(recording.cast.as_slice(), Limits::default()).expect("a recording");
    let size = events.header().size;
    let events: Vec<_> = events.map(|event| event.expect("an event")).collect();
    let mut replay = Replay::new(Detector::new(agent, None).without(muted), size);
    let mut hooks = recording.hooks.iter().peekable();
    let mut markers: Vec<(Duration, String)> = Vec::new();
    let mut end = Duration::ZERO;
    for event in events {
        let at = Duration::from_micros(event.time_us);
        end = at;
        while let Some((time, hook)) = hooks.next_if(|(time, _)| *time <= at) {
            replay.hook(*time, hook);
        }
        match event.kind {
            EventKind::Output(text) => replay.output(at, change(&text).as_bytes()),
            EventKind::Resize(size) => replay.resize(at, size),
            EventKind::Marker(marker) => markers.push((at, marker)),
            EventKind::Exit(_) => replay.exited(at),
        }
    }
    replay.until(end);
    verdict(&markers, replay.take_changes(), end)
}

pub(crate) fn verdict(markers: &[(Duration, String)], changes: Vec<Change>, end: Duration) -> Verdict {
    let mut verdict = Verdict::default();
    let said = |at: Duration| {
        let last = changes.iter().rev().find(|change| change.at <= at);
        last.map_or(Activity::Unknown, |change| change.state.activity)
    };
    for (index, (from, marker)) in markers.iter().enumerate() {
        let until = markers.get(index + 1).map_or(end, |(next, _)| *next);
        let next = markers.get(index + 1).map(|(_, marker)| marker.as_str());
        let Some(truth) = truth_of(marker) else { continue };
        if truth == Activity::Asking && until > *from + ASKING_WITHIN {
            verdict.asks += 1;
            let mut times = (0..).map(|step| *from + STEP * step).take_while(|at| *at <= until);
            let noticed = times.find(|at| said(*at) == Activity::Asking);
            let took = noticed.map(|at| at - *from);
            if took.is_some_and(|took| took <= ASKING_WITHIN) {
                verdict.noticed += 1;
            } else {
                verdict.mistakes.push(format!("{marker} at {from:?}: noticed after {took:?}"));
            }
            verdict.slowest = verdict.slowest.max(took.unwrap_or(until - *from));
        }
        let mut at = *from + UNJUDGED;
        let mut wrong: Option<(Duration, Activity)> = None;
        let mut close = |wrong: &mut Option<(Duration, Activity)>, at: Duration| {
            if let Some((since, activity)) = wrong.take() {
                let text = format!("{marker}: {since:?} to {at:?} said {}", activity.as_str());
                verdict.mistakes.push(text);
            }
        };
        while at + UNJUDGED < until {
            let activity = said(at);
            verdict.judged += STEP;
            if activity == truth {
                verdict.right += STEP;
                close(&mut wrong, at);
            } else if wrong.is_none_or(|(_, before)| before != activity) {
                close(&mut wrong, at);
                wrong = Some((at, activity));
                // A marker that comes late names what is true already.
                let asks_next = next.is_some_and(|next| truth_of(next) == Some(Activity::Asking));
                if activity == Activity::Asking && !(asks_next && at + LATE_MARKER > until) {
                    verdict.false_asking.push(at);
                }
            }
            at += STEP;
        }
        close(&mut wrong, at);
    }
    verdict.changes = changes;
    verdict
}
