//! One worker on one socket, in whichever dialect.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::ws::Message;
use home::WorkerDir;
use model::{ExitStatus, TermSize, WorkerId, display_safe};
use protocol::{Attach, Form, HostMessage, VERSION, ViewerMessage};
use tokio::sync::{mpsc, oneshot};

use super::picture::Picture;
use super::typist::Typist;
use super::{HISTORY, last_screen};
use crate::app::App;
use crate::link::{HostLink, LinkError, LinkReader};
use crate::relay::{Closing, Heard, Incoming, Outgoing, Seen};
use crate::tokens::Principal;
use crate::uploads;

/// What waits for a client besides the host's words. More is left out: it is told to one who does not listen.
const MOST_ANSWERS: usize = 16;

/// What a client wants.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wish {
    /// To type.
    Keys(Vec<u8>),
    /// Another size.
    Size(TermSize),
    /// To give the program a picture: the file, and what it is said to be.
    Image(Vec<u8>, String),
    /// Something that cannot be done, and why.
    Nothing(api::Problem),
}

/// A size that somebody else wants for a client's terminal, and who wants to know when the host was told.
pub(super) type Wanted = (TermSize, oneshot::Sender<()>);

/// How a dialect says things.
pub(super) trait Dialect {
    /// What a message means.
    ///
    /// # Errors
    ///
    /// When it means nothing here.
    fn hear(message: Heard) -> Result<Wish, Closing>;

    /// What is said about a program that has ended.
    fn end(status: ExitStatus) -> Option<Message>;

    /// What is said when something was not done.
    fn problem(problem: &api::Problem) -> Option<Message>;

    /// Whether it tells what the program says about itself.
    fn tells_signals(&self) -> bool;

    /// Adds what is to be said about a host's words.
    fn tell(&mut self, message: HostMessage, picture: &mut Picture, said: &mut Vec<Message>);
}

/// One worker on one socket.
pub(super) struct Watch<'a> {
    pub(super) app: &'a App,
    pub(super) who: &'a Principal,
    pub(super) worker: WorkerId,
    /// What the viewer is called.
    pub(super) name: &'a str,
    /// Sizes that come from elsewhere.
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
        let dir = self.app.home().worker(self.worker);
        let Ok(mut link) = HostLink::open(&dir).await else {
            return without_host(self.app, self.worker, dialect, outgoing).await;
        };
        let drives = self.who.may_drive(self.worker);
        let attach = attach(self.who, self.name, drives, dialect.tells_signals());
        // A host that has closed already is noticed where its words are read.
        if dialect.tells_signals() {
            let _ = link.send(&ViewerMessage::Status).await;
        }
        let _ = link.send(&ViewerMessage::Attach(attach)).await;
        let (reader, writer) = link.split();
        // Whoever may only watch has no typist at all, so that nothing can be typed; the writer keeps it attached.
        let (typist, _idle) = match drives {
            true => (Some(Typist::new(writer)), None),
            false => (None, Some(writer)),
        };
        let brackets = Arc::new(AtomicBool::new(false));
        let (answer, answers) = mpsc::channel(MOST_ANSWERS);
        let ear = Ear { typist, dir, brackets: Arc::clone(&brackets), answer, wanted: self.wanted };
        let mouth = Mouth { dialect, reader, picture: Picture::default(), brackets, answers };
        tokio::select! {
            closing = ear.listen::<D>(incoming) => closing,
            closing = mouth.speak(Seen::new(self.app, self.worker), outgoing) => closing,
        }
    }
}

/// What a viewer for an emulator wants of a host.
pub(super) fn attach(who: &Principal, name: &str, drives: bool, events: bool) -> Attach {
    Attach {
        version: VERSION,
        epoch: None,
        since: None,
        history: HISTORY,
        form: Form::Full,
        read_only: !drives,
        size: None,
        ack: false,
        events,
        quiet: false,
        typist: None,
        name: format!("{}: {name}", display_safe(&who.actor)),
    }
}

/// A worker that has ended has no host any more. It is still seen as it was at its end, and known to have ended.
async fn without_host<D: Dialect>(
    app: &App,
    worker: WorkerId,
    mut dialect: D,
    outgoing: &mut Outgoing,
) -> Closing {
    let dir = app.home().worker(worker);
    let note = tokio::task::spawn_blocking(move || dir.exit_note()).await.ok().flatten();
    let mut said = Vec::new();
    if let Some(screen) = last_screen(app, worker).await {
        let snapshot = HostMessage::Snapshot { at: screen.offset, last: true, bytes: screen.snapshot };
        dialect.tell(snapshot, &mut Picture::default(), &mut said);
    }
    said.extend(note.as_ref().and_then(|note| D::end(note.status)));
    match (outgoing.send_all(said).await, note) {
        (Err(closing), _) => closing,
        (Ok(()), Some(_)) => Closing::Exited,
        (Ok(()), None) => Closing::HostGone,
    }
}

/// What comes from the client.
struct Ear {
    /// Nobody for those who may only watch.
    typist: Option<Typist>,
    dir: WorkerDir,
    /// Whether the program wants pasted text in brackets.
    brackets: Arc<AtomicBool>,
    answer: mpsc::Sender<Message>,
    wanted: Option<mpsc::Receiver<Wanted>>,
}

impl Ear {
    async fn listen<D: Dialect>(mut self, incoming: &mut Incoming) -> Closing {
        loop {
            let heard = tokio::select! {
                heard = incoming.next() => heard,
                Some((size, done)) = next(&mut self.wanted) => {
                    if let Some(typist) = &self.typist {
                        incoming.while_busy(typist.size_and_say(size, done)).await;
                    }
                    continue;
                }
            };
            match heard.and_then(D::hear) {
                Ok(wish) => incoming.while_busy(self.grant::<D>(wish)).await,
                Err(closing) => return closing,
            }
        }
    }

    async fn grant<D: Dialect>(&self, wish: Wish) {
        let refused = match (wish, &self.typist) {
            (Wish::Nothing(problem), _) => problem,
            // What is not theirs to do is not kept for later either.
            (_, None) => return,
            (Wish::Keys(keys), Some(typist)) => return typist.keys(keys).await,
            (Wish::Size(size), Some(typist)) => return typist.size(size).await,
            (Wish::Image(file, kind), Some(typist)) => {
                match uploads::keep_image(&self.dir, file, Some(&kind)).await {
                    Ok(path) => {
                        let brackets = self.brackets.load(Ordering::Relaxed);
                        return typist.text(uploads::pasted(&path, brackets)).await;
                    }
                    Err(problem) => problem,
                }
            }
        };
        if let Some(message) = D::problem(&refused) {
            let _ = self.answer.try_send(message);
        }
    }
}

/// The next size that comes from elsewhere; never if none can come.
async fn next(wanted: &mut Option<mpsc::Receiver<Wanted>>) -> Option<Wanted> {
    match wanted {
        Some(wanted) => wanted.recv().await,
        None => std::future::pending().await,
    }
}

/// What goes to the client.
struct Mouth<D> {
    dialect: D,
    reader: LinkReader,
    picture: Picture,
    brackets: Arc<AtomicBool>,
    answers: mpsc::Receiver<Message>,
}

impl<D: Dialect> Mouth<D> {
    async fn speak(mut self, mut seen: Seen, outgoing: &mut Outgoing) -> Closing {
        loop {
            let sent = tokio::select! {
                read = self.reader.read_some() => match read {
                    Ok(true) => match self.tell_all(&mut seen) {
                        Ok(said) => outgoing.send_all(said).await,
                        Err(error) => {
                            tracing::warn!(%error, "a host does not speak the protocol");
                            Err(Closing::HostGone)
                        }
                    },
                    Ok(false) | Err(_) => return seen.end(),
                },
                Some(answer) = self.answers.recv() => outgoing.send(answer).await,
                () = outgoing.ping_due() => outgoing.ping().await,
            };
            if let Err(closing) = sent {
                return closing;
            }
        }
    }

    /// What is to be said about everything that one read brought.
    fn tell_all(&mut self, seen: &mut Seen) -> Result<Vec<Message>, LinkError> {
        let mut said = Vec::new();
        while let Some(frame) = self.reader.next_frame()? {
            seen.look_at(frame);
            if let Some(message) = HostMessage::read(frame)? {
                self.dialect.tell(message, &mut self.picture, &mut said);
            }
        }
        self.brackets.store(self.picture.bracketed_paste(), Ordering::Relaxed);
        Ok(said)
    }
}
