//! The latest events, with numbers. A client that was away for a moment gets only the events that it missed.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use model::OwnerId;
use tokio::sync::watch;

/// How many events are kept. A viewer that missed more gets the whole state.
const KEPT: usize = 2048;

/// The journal of one run of the server.
#[derive(Debug)]
pub(crate) struct Journal {
    /// A name for this run of the server.
    epoch: String,
    entries: Mutex<Entries>,
    /// The number of the newest entry.
    newest: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Entries {
    newest: u64,
    kept: VecDeque<Entry>,
}

/// An event, as it is sent.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The owner of the thing that changed.
    owner: OwnerId,
    pub(crate) seq: u64,
    pub(crate) text: Arc<str>,
}

/// The events that a viewer missed.
#[derive(Clone, Debug)]
pub(crate) enum Missed {
    /// These events.
    Entries(Vec<Entry>),
    /// More events than are kept.
    TooMuch,
}

impl Journal {
    pub(crate) fn new(epoch: String) -> Journal {
        Journal { epoch, entries: Mutex::default(), newest: watch::Sender::new(0) }
    }

    pub(crate) fn epoch(&self) -> &str {
        &self.epoch
    }

    /// Adds an event for an owner. `text` makes the message from its number and time.
    pub(crate) fn put(&self, owner: OwnerId, text: impl FnOnce(u64, Timestamp) -> String) {
        let mut entries = self.lock();
        entries.newest += 1;
        let seq = entries.newest;
        let text = text(seq, Timestamp::now()).into();
        entries.kept.push_back(Entry { owner, seq, text });
        if entries.kept.len() > KEPT {
            entries.kept.pop_front();
        }
        drop(entries);
        // Send after releasing the lock, because the woken viewers need it.
        self.newest.send_modify(|newest| *newest = (*newest).max(seq));
    }

    /// The number of the newest entry.
    pub(crate) fn seq(&self) -> u64 {
        self.lock().newest
    }

    /// An owner's events after this number.
    pub(crate) fn since(&self, owner: OwnerId, seq: u64) -> Missed {
        let entries = self.lock();
        let first = entries.kept.front().map_or(entries.newest + 1, |entry| entry.seq);
        if seq > entries.newest || seq + 1 < first {
            return Missed::TooMuch;
        }
        let at = entries.kept.partition_point(|entry| entry.seq <= seq);
        let of_owner = entries.kept.iter().skip(at).filter(|entry| entry.owner == owner);
        Missed::Entries(of_owner.cloned().collect())
    }

    /// Changes when an event is added.
    pub(crate) fn news(&self) -> watch::Receiver<u64> {
        self.newest.subscribe()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(missed: Missed) -> Option<Vec<String>> {
        match missed {
            Missed::Entries(entries) => Some(entries.iter().map(|entry| entry.text.to_string()).collect()),
            Missed::TooMuch => None,
        }
    }

    #[test]
    fn a_viewer_that_comes_back_gets_exactly_the_events_that_it_missed() {
        let journal = Journal::new("a".into());
        assert_eq!(texts(journal.since(OwnerId::ONLY, 0)), Some(vec![]));
        for _ in 0..3 {
            journal.put(OwnerId::ONLY, |seq, _| seq.to_string());
        }
        assert_eq!(texts(journal.since(OwnerId::ONLY, 1)).unwrap(), ["2", "3"]);
        assert_eq!(texts(journal.since(OwnerId::ONLY, 3)).unwrap(), Vec::<String>::new());
        assert_eq!(texts(journal.since(OwnerId::ONLY, 4)), None, "this number does not exist yet");
    }

    #[test]
    fn a_viewer_that_missed_too_much_does_not_get_events() {
        let journal = Journal::new("a".into());
        for _ in 0..KEPT + 2 {
            journal.put(OwnerId::ONLY, |seq, _| seq.to_string());
        }
        assert_eq!(texts(journal.since(OwnerId::ONLY, 1)), None);
        assert_eq!(texts(journal.since(OwnerId::ONLY, 2)).map(|texts| texts.len()), Some(KEPT));
    }

    #[test]
    fn an_owner_gets_only_events_about_their_own_things() {
        let (journal, other) = (Journal::new("a".into()), OwnerId::from_random([7; 8]));
        for owner in [OwnerId::ONLY, other, OwnerId::ONLY] {
            journal.put(owner, |seq, _| seq.to_string());
        }
        assert_eq!(texts(journal.since(OwnerId::ONLY, 0)).unwrap(), ["1", "3"]);
        assert_eq!(texts(journal.since(other, 0)).unwrap(), ["2"]);
        assert_eq!(texts(journal.since(other, 2)).unwrap(), Vec::<String>::new());
    }
}
