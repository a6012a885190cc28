//! What a program and its parts said they are doing (OSC 7501).

use model::Activity;
use protocol::{StatusMessage, StatusState};

use crate::asking::Asking;

/// So many parts are remembered; the oldest makes room.
const MOST_RECORDS: usize = 64;

/// The newest word of a program, and of each of its parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProgramRecords(Vec<Record>);

#[derive(Clone, Debug)]
struct Record {
    /// The part, its segments parted by `/`; nothing for the whole program.
    id: String,
    activity: Activity,
    /// With the activity of asking: what for.
    asking: Option<Asking>,
    /// When it failed: its words, as far as it has any.
    error: Option<String>,
    has_failed: bool,
}

impl ProgramRecords {
    /// Takes in a report. One with a state that we do not know is of a newer program, and changes nothing.
    pub(crate) fn update(&mut self, id: &str, StatusMessage { state, message }: &StatusMessage) {
        let has_failed = *state == StatusState::Error;
        let error = message.clone().filter(|_| has_failed);
        let (activity, asking) = match state {
            StatusState::Working => (Activity::Active, None),
            StatusState::Blocked { on } => {
                (Activity::Asking, Some(Asking::of_status(on.as_ref(), message.as_deref())))
            }
            // A program that failed does nothing any more, and waits for a person like one that has finished.
            StatusState::Idle | StatusState::Done | StatusState::Error => (Activity::Idle, None),
            StatusState::Clear => return self.0.retain(|record| !is_part(&record.id, id)),
            StatusState::Unknown { .. } => return,
        };
        self.0.retain(|record| record.id != id);
        if self.0.len() == MOST_RECORDS {
            self.0.remove(0);
        }
        self.0.push(Record { id: id.to_owned(), activity, asking, error, has_failed });
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// What the program is doing by its own word.
    pub(crate) fn activity(&self) -> Option<Activity> {
        self.deciding().map(|record| record.activity)
    }

    /// What it asks for, if it asks.
    pub(crate) fn asking(&self) -> Option<&Asking> {
        self.deciding()?.asking.as_ref()
    }

    /// Whether it works by its own word: nothing else need be looked at then.
    pub(crate) fn is_working(&self) -> bool {
        self.activity() == Some(Activity::Active)
    }

    /// Whether it has failed, and not said anything since.
    pub(crate) fn has_failed(&self) -> bool {
        self.deciding().is_some_and(|record| record.has_failed)
    }

    /// Its words on how it failed.
    pub(crate) fn error(&self) -> Option<&str> {
        self.deciding()?.error.as_deref()
    }

    /// The record that says what the program is doing: its own, since it knows its parts. If it has none, that of the
    /// part that most needs a person, the newest of several.
    fn deciding(&self) -> Option<&Record> {
        let need = |record: &&Record| match record.activity {
            Activity::Asking => 2,
            Activity::Active => 1,
            Activity::Idle | Activity::Unknown => 0,
        };
        let whole = self.0.iter().find(|record| record.id.is_empty());
        whole.or_else(|| self.0.iter().max_by_key(need))
    }
}

/// Whether `id` is `whole` or a part of it.
fn is_part(id: &str, whole: &str) -> bool {
    let rest = id.strip_prefix(whole);
    whole.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
