//! What happened lately, by number: so that whoever was away for a moment is told just that.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use tokio::sync::watch;

/// What is kept for those who come back. A viewer that missed more gets everything as it is.
const KEPT: usize = 2048;

/// The journal of one run of the server.
#[derive(Debug)]
pub(crate) struct Journal {
    /// Which run of the server it is.
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

/// Something that happened, as it is sent.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) seq: u64,
    pub(crate) text: Arc<str>,
}

/// What somebody missed.
#[derive(Clone, Debug)]
pub(crate) enum Missed {
    /// These.
    Entries(Vec<Entry>),
    /// More than is kept.
    TooMuch,
}

impl Journal {
    pub(crate) fn new(epoch: String) -> Journal {
        Journal { epoch, entries: Mutex::default(), newest: watch::Sender::new(0) }
    }

    pub(crate) fn epoch(&self) -> &str {
        &self.epoch
    }

    /// Puts something down. `text` makes the message of its number and time.
    pub(crate) fn put(&self, text: impl FnOnce(u64, Timestamp) -> String) {
        let mut entries = self.lock();
        entries.newest += 1;
        let seq = entries.newest;
        let text = text(seq, Timestamp::now()).into();
        entries.kept.push_back(Entry { seq, text });
        if entries.kept.len() > KEPT {
            entries.kept.pop_front();
        }
        drop(entries);
        // Sent after the lock is gone: whoever is woken wants it.
        self.newest.send_modify(|newest| *newest = (*newest).max(seq));
    }

    /// The number of the newest entry.
    pub(crate) fn seq(&self) -> u64 {
        self.lock().newest
    }

    /// What came after this number.
    pub(crate) fn since(&self, seq: u64) -> Missed {
        let entries = self.lock();
        let first = entries.kept.front().map_or(entries.newest + 1, |entry| entry.seq);
        if seq > entries.newest || seq + 1 < first {
            return Missed::TooMuch;
        }
        let at = entries.kept.partition_point(|entry| entry.seq <= seq);
        Missed::Entries(entries.kept.iter().skip(at).cloned().collect())
    }

    /// Changes when something was put down.
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
    fn whoever_comes_back_is_told_what_it_missed_and_no_more() {
        let journal = Journal::new("a".into());
        assert_eq!(texts(journal.since(0)), Some(vec![]));
        for _ in 0..3 {
            journal.put(|seq, _| seq.to_string());
        }
        assert_eq!(texts(journal.since(1)).unwrap(), ["2", "3"]);
        assert_eq!(texts(journal.since(3)).unwrap(), Vec::<String>::new());
        assert_eq!(texts(journal.since(4)), None, "a number that was never given");
    }

    #[test]
    fn whoever_missed_too_much_is_told_so() {
        let journal = Journal::new("a".into());
        for _ in 0..KEPT + 2 {
            journal.put(|seq, _| seq.to_string());
        }
        assert_eq!(texts(journal.since(1)), None);
        assert_eq!(texts(journal.since(2)).map(|texts| texts.len()), Some(KEPT));
    }
}
