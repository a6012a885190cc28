//! Carries out the requests of a client with many terminals.

use std::collections::HashMap;

use ::dialects::{Full, Picture, Piece, Typist, parse, terminals_error as error};
use api::{
    ClosedReason, CreateSession, CreateWorker, ErrorCode, Problem, TerminalsClientMessage,
    TerminalsServerMessage, Worker,
};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use model::{SessionId, TermSize, WorkerId};
use protocol::Welcome;
use tokio::sync::mpsc;

use super::attaching::{Attached, Has, attach};
use super::{MOST_TERMINALS, Order, Place, not_attached};
use crate::app::App;
use crate::dialects::{heard, last_screen};
use crate::node::LinkWriter;
use crate::relay::{Closing, Incoming};
use crate::tokens::Principal;

/// How many slow requests may be unfinished. With more, the server stops reading from the client until one is done.
const MOST_PENDING: usize = 16;

/// The longest id that a client may give to a request.
const MOST_ID_CHARACTERS: usize = 100;

/// Carries out the client's requests.
pub(super) struct Hands {
    app: App,
    who: Principal,
    order: mpsc::Sender<Order>,
    /// Terminals that the client is no longer attached to.
    ended: mpsc::UnboundedReceiver<Place>,
    held: HashMap<WorkerId, Held>,
    pending: FuturesUnordered<BoxFuture<'static, Done>>,
    next: u64,
}

/// A terminal that the client is attached to.
struct Held {
    place: Place,
    grip: Grip,
}

/// What the client may do with it.
enum Grip {
    /// The client may type.
    Types(Typist),
    /// The client may only watch. Holding the writer keeps it attached.
    Watches { _idle: LinkWriter },
}

/// The result of a slow request.
enum Done {
    Attached(TerminalsServerMessage, Box<(Attached, LinkWriter)>),
    /// The terminal was closed, or the reason why not.
    Closed(WorkerId, Result<(), Problem>),
    Say(TerminalsServerMessage),
    /// All messages about a terminal that has ended.
    Ended(Vec<TerminalsServerMessage>),
}

impl Hands {
    pub(super) fn new(
        app: App,
        who: Principal,
        order: mpsc::Sender<Order>,
        ended: mpsc::UnboundedReceiver<Place>,
    ) -> Hands {
        let (held, pending) = (HashMap::new(), FuturesUnordered::new());
        Hands { app, who, order, ended, held, pending, next: 0 }
    }

    /// Carries out the client's requests until it has gone.
    pub(super) async fn work(mut self, incoming: &mut Incoming) -> Closing {
        loop {
            tokio::select! {
                // First the terminals that have ended: the client may know of an end before it sends its next message.
                biased;
                Some(place) = self.ended.recv() => self.held.retain(|_, held| held.place != place),
                Some(done) = self.pending.next(), if !self.pending.is_empty() => self.finish(done).await,
                next = incoming.next(), if self.pending.len() < MOST_PENDING => {
                    match next.and_then(|next| Ok(parse(heard(&next))?)) {
                        Ok(message) => incoming.while_busy(self.hear(message)).await,
                        Err(closing) => return closing,
                    }
                }
            }
        }
    }

    async fn hear(&mut self, message: TerminalsClientMessage) {
        use TerminalsClientMessage as Client;
        let (app, who) = (self.app.clone(), self.who.clone());
        match message {
            Client::Ping => self.say(TerminalsServerMessage::Pong).await,
            Client::Input { worker_id, data } => {
                self.drive(worker_id, |typist| typist.try_keys(data.into_bytes())).await;
            }
            Client::Resize { worker_id, cols, rows } => {
                self.drive(worker_id, |typist| typist.try_size(TermSize::clamped(cols, rows))).await;
            }
            Client::ListSessions => self.pending.push(Box::pin(list(app, who))),
            Client::CloseSession { worker_id } => {
                self.hush(worker_id, true).await;
                self.pending.push(Box::pin(close(app, who, worker_id)));
            }
            Client::CreateSession { id, session_id, cwd, command, cols, rows } => {
                let id = id.map(|id| id.chars().take(MOST_ID_CHARACTERS).collect());
                if let Err(problem) = self.check_room() {
                    return self.say(error(&problem, None, id)).await;
                }
                let size = cols.zip(rows).map(|(cols, rows)| TermSize::clamped(cols, rows));
                let new = New { session_id, cwd, command, size };
                self.pending.push(Box::pin(create(app, who, new, id)));
            }
            Client::ReattachSession { worker_id, since, epoch } => {
                if !self.held.contains_key(&worker_id)
                    && let Err(problem) = self.check_room()
                {
                    return self.say(error(&problem, Some(worker_id), None)).await;
                }
                self.pending.push(Box::pin(reattach(app, who, worker_id, Has { since, epoch })));
            }
        }
    }

    /// Sends something to a terminal that the client is attached to and may type into.
    async fn drive(&mut self, worker: WorkerId, what: impl FnOnce(&Typist) -> Result<(), Full>) {
        let full = "the terminal's host takes no input at the moment; the server dropped these bytes";
        let problem = match self.held.get(&worker).map(|held| &held.grip) {
            None => not_attached(),
            Some(Grip::Watches { .. }) => Problem::new(ErrorCode::Forbidden, "this token may only watch"),
            Some(Grip::Types(typist)) => match what(typist) {
                Ok(()) => return,
                Err(Full) => Problem::new(ErrorCode::NotAnswering, full),
            },
        };
        self.say(error(&problem, Some(worker), None)).await;
    }

    /// Says whether [`Screens`](super::Screens) keeps quiet about the end of a terminal.
    async fn hush(&mut self, worker: WorkerId, hushed: bool) {
        if let Some(place) = self.held.get(&worker).map(|held| held.place) {
            self.tell(Order::Hush(place, hushed)).await;
        }
    }

    fn check_room(&self) -> Result<(), Problem> {
        // Every pending request may become a terminal.
        if self.held.len() + self.pending.len() < MOST_TERMINALS {
            return Ok(());
        }
        let words = format!("a socket has at most {MOST_TERMINALS} terminals");
        Err(Problem::new(ErrorCode::Unavailable, words).hint("open another socket"))
    }

    async fn finish(&mut self, done: Done) {
        match done {
            Done::Say(message) => self.say(message).await,
            Done::Ended(messages) => {
                for message in messages {
                    self.say(message).await;
                }
            }
            Done::Closed(worker, Ok(())) => {
                if let Some(held) = self.held.remove(&worker) {
                    self.tell(Order::Leave(held.place)).await;
                }
                self.say(closed(worker)).await;
            }
            Done::Closed(worker, Err(problem)) => {
                self.hush(worker, false).await;
                self.say(error(&problem, Some(worker), None)).await;
            }
            Done::Attached(message, attached) => {
                let (attached, writer) = *attached;
                self.next += 1;
                let place = Place(self.next);
                let grip = match self.who.may_drive(attached.worker) {
                    true => Grip::Types(Typist::new(writer.into_stream())),
                    false => Grip::Watches { _idle: writer },
                };
                // If the client was attached already, that attachment ends first.
                if let Some(before) = self.held.insert(attached.worker, Held { place, grip }) {
                    self.tell(Order::Leave(before.place)).await;
                }
                self.tell(Order::Show(place, message, Box::new(attached))).await;
            }
        }
    }

    async fn say(&mut self, message: TerminalsServerMessage) {
        self.tell(Order::Say(message)).await;
    }

    async fn tell(&mut self, order: Order) {
        // The other half has gone only if the socket is closed.
        let _ = self.order.send(order).await;
    }
}

fn closed(worker_id: WorkerId) -> TerminalsServerMessage {
    TerminalsServerMessage::SessionClosed { worker_id, reason: ClosedReason::Closed, exit_code: None }
}

async fn list(app: App, who: Principal) -> Done {
    Done::Say(match app.workers().list().await {
        Ok(mut sessions) => {
            sessions.retain(|worker| who.may_watch(worker.id));
            TerminalsServerMessage::SessionList { sessions }
        }
        Err(problem) => error(&problem, None, None),
    })
}

async fn close(app: App, who: Principal, worker: WorkerId) -> Done {
    let underway = app.parts().underway.clone();
    let closed = match who.is_owner() {
        true => underway.finish(async move { app.workers().close(&who, worker).await }).await.flatten(),
        false => Err(forbidden()),
    };
    Done::Closed(worker, closed)
}

async fn reattach(app: App, who: Principal, worker_id: WorkerId, has: Has) -> Done {
    let attached = async {
        // For a worker that the token may not see, the answer is the same as for an unknown worker.
        if !who.may_watch(worker_id) {
            return Err(Problem::new(ErrorCode::NotFound, "there is no such worker"));
        }
        app.workers().get(worker_id).await?;
        attach(&app, &who, worker_id, has, None).await
    };
    match attached.await {
        Ok((Welcome { epoch, size, .. }, attached, writer)) => {
            let (cols, rows) = (size.cols(), size.rows());
            let message = TerminalsServerMessage::SessionReattached { worker_id, epoch, cols, rows };
            Done::Attached(message, Box::new((Attached { wants_scrollback: true, ..attached }, writer)))
        }
        Err(problem) if problem.code() == ErrorCode::NotLive => match ended(&app, worker_id).await {
            Some(messages) => Done::Ended(messages),
            None => Done::Say(error(&problem, Some(worker_id), None)),
        },
        Err(problem) => Done::Say(error(&problem, Some(worker_id), None)),
    }
}

/// The messages about a terminal that has ended: its last screen and its end. None if there is no exit note or no last
/// screen.
async fn ended(app: &App, worker_id: WorkerId) -> Option<Vec<TerminalsServerMessage>> {
    let note = app.node().exit_note(worker_id).await?;
    let screen = last_screen(app, worker_id).await?;
    let (cols, rows) = (screen.size.cols(), screen.size.rows());
    let Piece { text: data, offset, .. } = Picture::default().snapshot(screen.offset, true, &screen.snapshot);
    let (reason, exit_code) = (ClosedReason::Exited, Some(note.status.code()));
    Some(vec![
        TerminalsServerMessage::SessionReattached { worker_id, epoch: screen.epoch, cols, rows },
        TerminalsServerMessage::Scrollback { worker_id, data, offset },
        TerminalsServerMessage::SessionClosed { worker_id, reason, exit_code },
    ])
}

/// A request for a new terminal.
struct New {
    session_id: Option<SessionId>,
    cwd: Option<String>,
    command: Option<Vec<String>>,
    size: Option<TermSize>,
}

async fn create(app: App, who: Principal, new: New, id: Option<String>) -> Done {
    let size = new.size;
    let started = match who.is_owner() {
        true => {
            // Finished like any other request, even if the socket closes meanwhile.
            let (app, who) = (app.clone(), who.clone());
            let underway = app.parts().underway.clone();
            underway.finish(async move { start(&app, &who, new).await }).await.flatten()
        }
        false => Err(forbidden()),
    };
    let worker = match started {
        Ok(worker) => worker,
        Err(problem) => return Done::Say(error(&problem, None, id)),
    };
    match attach(&app, &who, worker.id, Has::NOTHING_YET, size).await {
        Ok((Welcome { epoch, size, .. }, attached, writer)) => {
            let message = TerminalsServerMessage::SessionCreated {
                id,
                session_id: worker.session_id,
                worker_id: worker.id,
                name: worker.name,
                epoch,
                cols: size.cols(),
                rows: size.rows(),
            };
            Done::Attached(message, Box::new((attached, writer)))
        }
        // The terminal has ended already, or does not answer. It exists, and the client can attach to it later.
        Err(problem) => Done::Say(error(&problem, Some(worker.id), id)),
    }
}

async fn start(app: &App, who: &Principal, new: New) -> Result<Worker, Problem> {
    let worker = CreateWorker::Terminal { name: None, command: new.command };
    match (new.session_id, new.cwd) {
        (Some(_), Some(_)) => Err(Problem::new(
            ErrorCode::InvalidBody,
            "a session already has a directory: send `sessionId` or `cwd`, not both",
        )),
        (Some(session), None) => app.workers().add(who, session, worker, new.size).await,
        (None, cwd) => {
            let location_path = cwd.unwrap_or_else(home_dir);
            let quick = CreateSession::Quick {
                location_path,
                agent_id: None,
                continue_conversation: false,
                prompt: None,
            };
            let session = app.sessions().create(who, quick).await?.id;
            let added = app.workers().add(who, session, worker, new.size).await;
            if added.is_err()
                && let Err(problem) = app.sessions().delete(who, session).await
            {
                tracing::warn!(session.id = %session, reason = problem.error.message, "cannot remove the empty session");
            }
            added
        }
    }
}

fn home_dir() -> String {
    std::env::home_dir().map_or_else(|| "/".to_owned(), |home| home.to_string_lossy().into_owned())
}

fn forbidden() -> Problem {
    Problem::new(ErrorCode::Forbidden, "this token does not permit that")
}
