//! Shows one worker on one socket, in any dialect.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ::dialects::{Dialect, Picture, Said, Typist, Wish};
use axum::extract::ws::Message;
use model::{TermSize, WorkerId, display_safe};
use protocol::{Attach, HostMessage, ViewerMessage};
use tokio::sync::{mpsc, oneshot};

use super::{HISTORY, heard, last_screen, message};
use crate::app::App;
use crate::node::{LinkError, LinkReader, uploads};
use crate::relay::{Closing, Heard, Incoming, Outgoing, Seen};
use crate::tokens::Principal;

/// How many answers may wait for a client. If it does not read them, further ones are dropped.
const MOST_ANSWERS: usize = 16;

/// A size from another request, and the channel that reports when the host got it.
pub(super) type Wanted = (TermSize, oneshot::Sender<()>);

/// One worker on one socket.
pub(super) struct Watch<'a> {
    pub(super) app: &'a App,
    pub(super) who: &'a Principal,
    pub(super) worker: WorkerId,
    /// The viewer's name.
    pub(super) name: &'a str,
    /// Sizes from other requests.
    pub(super) wanted: Option<mpsc::Receiver<Wanted>>,
}

impl Watch<'_> {
    /// Shows the worker until its end, or until there is another reason to close.
    pub(super) async fn run<D: Dialect>(
        self,
        dialect: D,
        incoming: &mut Incoming,
        outgoing: &mut Outgoing,
    ) -> Closing {
        let Ok(mut link) = self.app.link(self.worker).await else {
            return without_host(self.app, self.worker, dialect, outgoing).await;
        };
        let drives = self.who.may_drive(self.worker);
        let attach = attach(self.who, self.name, drives, dialect.tells_signals());
        // Reading from the host will show if it has closed the connection.
        if dialect.tells_signals() {
            let _ = link.send(&ViewerMessage::Status).await;
        }
        let _ = link.send(&ViewerMessage::Attach(attach)).await;
        let (reader, writer) = link.split();
        // Without permission to type there is no typist, so nothing can be typed. Holding the writer keeps the viewer
        // attached.
        let (typist, _idle) = match drives {
            true => (Some(Typist::new(writer.into_stream())), None),
            false => (None, Some(writer)),
        };
        let brackets = Arc::new(AtomicBool::new(false));
        let (answer, answers) = mpsc::channel(MOST_ANSWERS);
        let (app, worker) = (self.app, self.worker);
        let ear = Ear { typist, app, worker, brackets: Arc::clone(&brackets), answer, wanted: self.wanted };
        let mouth = Mouth { dialect, reader, picture: Picture::default(), brackets, answers };
        tokio::select! {
            closing = ear.listen::<D>(incoming) => closing,
            closing = mouth.speak(Seen::new(self.app, self.worker), outgoing) => closing,
        }
    }
}

/// The Attach message of a viewer that has a terminal emulator.
pub(super) fn attach(who: &Principal, name: &str, drives: bool, events: bool) -> Attach {
    Attach {
        history: HISTORY,
        read_only: !drives,
        events,
        principal: Some(who.token.to_string()),
        ..Attach::full(format!("{}: {name}", display_safe(&who.actor)))
    }
}

/// Serves a worker that has no host: sends its last screen, and its end if it has ended.
async fn without_host<D: Dialect>(
    app: &App,
    worker: WorkerId,
    mut dialect: D,
    outgoing: &mut Outgoing,
) -> Closing {
    let note = app.node().exit_note(worker).await;
    let mut said = Vec::new();
    if let Some(screen) = last_screen(app, worker).await {
        let snapshot = HostMessage::Snapshot { at: screen.offset, last: true, bytes: screen.snapshot };
        dialect.tell(snapshot, &mut Picture::default(), &mut said);
    }
    said.extend(note.as_ref().and_then(|note| D::end(note.status)));
    match (outgoing.send_all(said.into_iter().map(message)).await, note) {
        (Err(closing), _) => closing,
        (Ok(()), Some(_)) => Closing::Exited,
        (Ok(()), None) => Closing::HostGone,
    }
}

/// Handles messages from the client.
struct Ear<'a> {
    /// None if the token may only watch.
    typist: Option<Typist>,
    app: &'a App,
    worker: WorkerId,
    /// Whether the program wants pasted text in brackets.
    brackets: Arc<AtomicBool>,
    answer: mpsc::Sender<Said>,
    wanted: Option<mpsc::Receiver<Wanted>>,
}

impl Ear<'_> {
    async fn listen<D: Dialect>(mut self, incoming: &mut Incoming) -> Closing {
        loop {
            let next = tokio::select! {
                next = incoming.next() => next,
                Some((size, done)) = next(&mut self.wanted) => {
                    if let Some(typist) = &self.typist {
                        incoming.while_busy(typist.size_and_say(size, done)).await;
                    }
                    continue;
                }
            };
            let length = next.as_ref().map_or(0, Heard::length);
            match next.and_then(|next| Ok(D::hear(heard(&next))?)) {
                Ok(wish) => {
                    if let Some(share) = self.app.share() {
                        incoming.while_busy(share.message(length)).await;
                    }
                    incoming.while_busy(self.grant::<D>(wish)).await;
                }
                Err(closing) => return closing,
            }
        }
    }

    async fn grant<D: Dialect>(&self, wish: Wish) {
        let refused = match (wish, &self.typist) {
            (Wish::Nothing(problem), _) => problem,
            // The token may only watch. The message is dropped.
            (_, None) => return,
            (Wish::Keys(keys), Some(typist)) => return typist.keys(keys).await,
            (Wish::Size(size), Some(typist)) => return typist.size(size).await,
            (Wish::Image(file, kind), Some(typist)) => {
                match self.app.node().keep_image(self.worker, file, Some(&kind)).await {
                    Ok(path) => {
                        let brackets = self.brackets.load(Ordering::Relaxed);
                        return typist.text(uploads::pasted(&path, brackets)).await;
                    }
                    Err(problem) => problem,
                }
            }
        };
        if let Some(said) = D::problem(&refused) {
            let _ = self.answer.try_send(said);
        }
    }
}

/// The next size from another request. Never ends if there is no channel.
async fn next(wanted: &mut Option<mpsc::Receiver<Wanted>>) -> Option<Wanted> {
    match wanted {
        Some(wanted) => wanted.recv().await,
        None => std::future::pending().await,
    }
}

/// Sends messages to the client.
struct Mouth<D> {
    dialect: D,
    reader: LinkReader,
    picture: Picture,
    brackets: Arc<AtomicBool>,
    answers: mpsc::Receiver<Said>,
}

impl<D: Dialect> Mouth<D> {
    async fn speak(mut self, mut seen: Seen, outgoing: &mut Outgoing) -> Closing {
        loop {
            let sent = tokio::select! {
                read = self.reader.read_some() => match read {
                    Ok(true) => match self.tell_all(&mut seen) {
                        Ok(said) => outgoing.send_all(said).await,
                        Err(error) => {
                            tracing::warn!(%error, "a host sent a frame that breaks the protocol");
                            Err(Closing::HostGone)
                        }
                    },
                    Ok(false) | Err(_) => return seen.end(),
                },
                Some(answer) = self.answers.recv() => outgoing.send(message(answer)).await,
                () = outgoing.ping_due() => outgoing.ping().await,
            };
            if let Err(closing) = sent {
                return closing;
            }
        }
    }

    /// All messages for the client from one read.
    fn tell_all(&mut self, seen: &mut Seen) -> Result<Vec<Message>, LinkError> {
        let mut said = Vec::new();
        while let Some(frame) = self.reader.next_frame()? {
            seen.look_at(frame);
            if let Some(told) = HostMessage::read(frame)? {
                self.dialect.tell(told, &mut self.picture, &mut said);
            }
        }
        self.brackets.store(self.picture.bracketed_paste(), Ordering::Relaxed);
        Ok(said.into_iter().map(message).collect())
    }
}
