//! Looks ahead in a recording, on threads of its own, so that keys are answered meanwhile.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use masking::Rules;
use playback::{Mark, MaskedRecording, Moment, Query};

use super::replaying::Way;
use super::search;

/// A result of looking ahead.
pub(super) enum News {
    /// There is this mark, behind all told before.
    Mark(Mark),
    /// The search of this number led there, or nowhere.
    Found { number: u64, moment: Option<Moment> },
}

/// Who looks ahead. Each thread has a recording of its own, so that none waits for what another one masks.
pub(super) struct Scout {
    recording: PathBuf,
    rules: Arc<Rules>,
    teller: Teller,
    news: Receiver<News>,
    /// Readable when there is news.
    told: UnixStream,
    searches: u64,
}

impl Scout {
    /// Begins to look for marks.
    pub(super) fn new(recording: PathBuf, rules: Arc<Rules>) -> io::Result<Scout> {
        let (told, bell) = UnixStream::pair()?;
        told.set_nonblocking(true)?;
        bell.set_nonblocking(true)?;
        let (sender, news) = channel();
        let teller = Teller { sender, bell: Arc::new(bell) };
        let scout = Scout { recording, rules, teller, news, told, searches: 0 };
        scout.spawn("marks", |recording, teller| {
            for mark in playback::marks(recording) {
                teller.tell(News::Mark(mark));
            }
        })?;
        Ok(scout)
    }

    /// Begins to look for the nearest moment, that way from this one, at which something appears; gives the search's
    /// number.
    pub(super) fn search(&mut self, query: Query, from: Moment, way: Way) -> io::Result<u64> {
        self.searches += 1;
        let number = self.searches;
        self.spawn("search", move |recording, teller| {
            let moment = search::find(recording, &query, from, way);
            teller.tell(News::Found { number, moment });
        })?;
        Ok(number)
    }

    /// Readable when there is news.
    pub(super) fn told(&self) -> BorrowedFd<'_> {
        self.told.as_fd()
    }

    /// All the news.
    pub(super) fn news(&mut self) -> Vec<News> {
        while self.told.read(&mut [0; 1024]).is_ok_and(|length| length > 0) {}
        self.news.try_iter().collect()
    }

    fn spawn(
        &self,
        name: &str,
        look: impl FnOnce(MaskedRecording, &Teller) + Send + 'static,
    ) -> io::Result<()> {
        let (path, rules, teller) = (self.recording.clone(), Arc::clone(&self.rules), self.teller.clone());
        thread::Builder::new().name(name.into()).spawn(move || {
            // One that has gone meanwhile has no marks, and nothing is found in it.
            if let Ok(recording) = MaskedRecording::open(&path, rules) {
                look(recording, &teller);
            }
        })?;
        Ok(())
    }
}

#[derive(Clone)]
struct Teller {
    sender: Sender<News>,
    bell: Arc<UnixStream>,
}

impl Teller {
    fn tell(&self, news: News) {
        // Fails only when the receiver is gone.
        let _ = self.sender.send(news);
        // Fails only when the bell has been rung often enough.
        let _ = (&*self.bell).write(&[1]);
    }
}
