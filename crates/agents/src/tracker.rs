//! What one worker is doing, from all its signals.

use std::collections::BTreeMap;

use model::Activity;
use protocol::{ProgramReport, PromptMessage, SignalMessage, StatusMessage};

use crate::asking::Asking;
use crate::evidence::Evidence;
use crate::program_records::ProgramRecords;

/// Follows one worker and says what it is doing. Starts out knowing nothing.
#[derive(Clone, Debug, Default)]
pub struct Tracker {
    records: ProgramRecords,
    /// The newest word of each source that has one; the first in order is believed.
    words: BTreeMap<Evidence, Activity>,
}

impl Tracker {
    /// Takes in a signal of the worker's host. Says what the worker is doing when that changed, or what it asks for.
    pub fn hear(&mut self, signal: &SignalMessage) -> Option<Activity> {
        self.changing(|tracker| match signal {
            SignalMessage::Status { id, status } => tracker.hear_status(id, status),
            SignalMessage::Prompt(mark) => tracker.hear_mark(mark),
            SignalMessage::Title { .. }
            | SignalMessage::Cwd { .. }
            | SignalMessage::Progress(_)
            | SignalMessage::Notification { .. }
            | SignalMessage::Bell
            | SignalMessage::Unknown => {}
        })
    }

    /// Begins anew with what a host reports, after signals may have been missed: forgets earlier signals.
    /// Says what the worker is doing when that changed.
    pub fn of_report(&mut self, report: &ProgramReport) -> Option<Activity> {
        self.changing(|tracker| {
            tracker.forget();
            if let Some(status) = &report.activity {
                tracker.hear_status("", status);
            }
        })
    }

    /// Takes in the word of a source that is no signal of the host, or that it takes its word back. Says what the worker
    /// is doing when that changed.
    pub fn learn(&mut self, evidence: Evidence, activity: Option<Activity>) -> Option<Activity> {
        self.changing(|tracker| tracker.note(evidence, activity))
    }

    /// The program has ended, and does nothing that could be known. Says so when that is new.
    pub fn exited(&mut self) -> Option<Activity> {
        self.changing(Tracker::forget)
    }

    /// What the worker is doing.
    pub fn activity(&self) -> Activity {
        self.words.values().next().copied().unwrap_or_default()
    }

    /// What that is known from, if it is known.
    pub fn evidence(&self) -> Option<Evidence> {
        self.words.keys().next().copied()
    }

    /// What the worker asks for, when it asks and has said what for.
    pub fn asking(&self) -> Option<&Asking> {
        self.records.asking().filter(|_| self.evidence() == Some(Evidence::ProgramStatus))
    }

    fn hear_status(&mut self, id: &str, status: &StatusMessage) {
        self.records.update(id, status);
        self.note(Evidence::ProgramStatus, self.records.activity());
    }

    fn hear_mark(&mut self, mark: &PromptMessage) {
        let activity = match mark {
            PromptMessage::Prompt => {
                // Back at its prompt, the shell knows that what ran before is gone.
                self.forget();
                Activity::Idle
            }
            PromptMessage::Input | PromptMessage::Done { .. } => Activity::Idle,
            PromptMessage::Output => Activity::Active,
            PromptMessage::Unknown { .. } => return,
        };
        self.note(Evidence::PromptMark, Some(activity));
    }

    fn note(&mut self, evidence: Evidence, activity: Option<Activity>) {
        match activity {
            Some(activity) => self.words.insert(evidence, activity),
            None => self.words.remove(&evidence),
        };
    }

    fn forget(&mut self) {
        self.records.clear();
        self.words.clear();
    }

    fn changing(&mut self, change: impl FnOnce(&mut Tracker)) -> Option<Activity> {
        let before = (self.activity(), self.asking().cloned());
        change(self);
        let is_news = before != (self.activity(), self.asking().cloned());
        is_news.then(|| self.activity())
    }
}
