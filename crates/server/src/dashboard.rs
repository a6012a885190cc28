//! The dashboard's socket: the whole state first, then every change. A client can resume by the number of an event.

use api::{DashboardClientMessage, DashboardEvent, DashboardMessage, ErrorCode, Problem};
use axum::extract::State;
use axum::extract::ws::Message;
use axum::response::Response;
use serde::Deserialize;
use store::Object;
use tokio::sync::Notify;

use crate::app::App;
use crate::gate::SocketDoor;
use crate::journal::Missed;
use crate::problem::{Failure, Query};
use crate::relay::{Closing, Heard, Incoming, Outgoing, open, serve};

/// The last event that a viewer has.
#[derive(Clone, Debug)]
struct Left {
    epoch: String,
    seq: u64,
}

impl App {
    /// Sends an event to all viewers of this owner's dashboard.
    pub(crate) fn tell(&self, event: DashboardEvent) {
        self.parts().journal.put(self.owner(), |seq, at| {
            let message = DashboardMessage::Event { seq, at, event };
            serde_json::to_string(&message).expect("our messages can be written as JSON")
        });
    }

    /// Sends changes to the dashboard's viewers, forever.
    pub(crate) async fn tell_changes(self) {
        loop {
            for (owner, changed) in self.parts().changes.next().await {
                let app = self.of(owner);
                app.parts().nudging.heard_of(changed);
                match app.event_of(changed).await {
                    Ok(events) => events.into_iter().for_each(|event| app.tell(event)),
                    Err(problem) => {
                        tracing::warn!(
                            ?changed,
                            reason = problem.error.message,
                            "cannot send a change to the dashboard"
                        );
                    }
                }
            }
        }
    }

    /// The events for something that changed: its new state, or that it was removed.
    async fn event_of(&self, changed: Object) -> Result<Vec<DashboardEvent>, Problem> {
        let gone = |problem: Problem, event: DashboardEvent| match problem.code() {
            ErrorCode::NotFound => Ok(vec![event]),
            _ => Err(problem),
        };
        match changed {
            Object::Repository(id) => match self.worktrees().repository(id).await {
                Ok(repository) => Ok(vec![DashboardEvent::RepositoryChanged { repository }]),
                Err(problem) => gone(problem, DashboardEvent::RepositoryRemoved { repository_id: id }),
            },
            Object::Worktree(id) => match self.worktrees().get(id).await {
                Ok(worktree) => Ok(vec![DashboardEvent::WorktreeChanged { worktree }]),
                Err(problem) => gone(problem, DashboardEvent::WorktreeRemoved { worktree_id: id }),
            },
            Object::Session(id) => match self.open_session_view(id).await {
                Ok(session) => Ok(vec![DashboardEvent::SessionChanged { session }]),
                Err(problem) => gone(problem, DashboardEvent::SessionRemoved { session_id: id }),
            },
            Object::Task(id) => match self.tasks().get(id).await {
                Ok(task) => Ok(vec![DashboardEvent::TaskChanged { task }]),
                Err(problem) => gone(problem, DashboardEvent::TaskRemoved { task_id: id }),
            },
            Object::Worker(id) => match self.workers().get(id).await {
                Ok(worker) => {
                    let session = worker.session_id;
                    let mut events = vec![DashboardEvent::WorkerChanged { worker: Box::new(worker) }];
                    // The state of a task's session is the state of its worker.
                    let session = self.read(move |store| store.session(session)).await?;
                    if let Some(task) = session.task {
                        events.push(DashboardEvent::TaskChanged { task: self.tasks().get(task).await? });
                    }
                    Ok(events)
                }
                Err(problem) if problem.code() == ErrorCode::NotFound => {
                    Ok(vec![DashboardEvent::WorkerRemoved { worker_id: id }])
                }
                Err(problem) => Err(problem),
            },
            Object::InboxItem(id) => match self.inbox().get(id).await {
                Ok(item) => Ok(vec![DashboardEvent::InboxChanged { item }]),
                Err(problem) => gone(problem, DashboardEvent::InboxRemoved { item_id: id }),
            },
            Object::Prompt(id) => match self.prompts().get(id).await {
                Ok(prompt) => Ok(vec![DashboardEvent::PromptChanged { prompt: Box::new(prompt) }]),
                Err(problem) => gone(problem, DashboardEvent::PromptRemoved { prompt_id: id }),
            },
            Object::Token(_) => Ok(Vec::new()),
        }
    }

    /// A session that is not closed.
    async fn open_session_view(&self, id: model::SessionId) -> Result<api::Session, Problem> {
        let closed = self.read(move |store| store.session(id)).await?.closed_at;
        match closed {
            None => self.sessions().get(id).await,
            Some(_) => Err(Problem::new(ErrorCode::NotFound, "the session is closed")),
        }
    }

    /// The whole state, and the number of the last event in it.
    async fn state(&self) -> Result<(u64, DashboardMessage), Problem> {
        // Read the number first. Events during the next lines are sent twice, which does no harm.
        let seq = self.parts().journal.seq();
        let state = DashboardMessage::State {
            epoch: self.parts().journal.epoch().to_owned(),
            seq,
            sessions: self.sessions().list().await?,
            tasks: self.tasks().list(store::TaskFilter::default()).await?,
            repositories: self.worktrees().repositories().await?,
            worktrees: self.worktrees().list(None).await?,
            inbox: self.inbox().list().await?,
        };
        Ok((seq, state))
    }

    /// Sends one viewer the state and all changes, until it has gone.
    async fn follow(&self, left: Option<Left>, incoming: &mut Incoming, outgoing: &mut Outgoing) -> Closing {
        let pinged = Notify::new();
        match tokio::try_join!(hear_pings(incoming, &pinged), self.tell_all(left, outgoing, &pinged)) {
            Ok((closing, ())) => closing,
            Err(closing) => closing,
        }
    }

    async fn tell_all(
        &self,
        left: Option<Left>,
        outgoing: &mut Outgoing,
        pinged: &Notify,
    ) -> Result<(), Closing> {
        let journal = &self.parts().journal;
        let mut news = journal.news();
        let left = left.filter(|left| left.epoch == journal.epoch()).map(|left| left.seq);
        let mut at = left.filter(|&seq| matches!(journal.since(self.owner(), seq), Missed::Entries(_)));
        if let Some(seq) = at {
            let epoch = journal.epoch().to_owned();
            outgoing.send(message(&DashboardMessage::Resumed { epoch, seq })).await?;
        }
        loop {
            at = Some(match at.map(|seq| (seq, journal.since(self.owner(), seq))) {
                Some((seq, Missed::Entries(entries))) => {
                    let last = entries.last().map_or(seq, |entry| entry.seq);
                    for entry in entries {
                        outgoing.feed(Message::Text(entry.text.as_ref().into())).await?;
                    }
                    outgoing.flush().await?;
                    last
                }
                Some((_, Missed::TooMuch)) | None => {
                    let (seq, state) = self.state().await.map_err(|problem| {
                        tracing::warn!(
                            reason = problem.error.message,
                            "cannot read the state for the dashboard"
                        );
                        Closing::Shutdown
                    })?;
                    outgoing.send(message(&state)).await?;
                    seq
                }
            });
            tokio::select! {
                // The journal exists as long as the server.
                _ = news.changed() => {}
                () = outgoing.ping_due() => outgoing.ping().await?,
                () = pinged.notified() => outgoing.send(message(&DashboardMessage::Pong)).await?,
            }
        }
    }
}

/// Reads a viewer's messages. Several pings that come before the server could answer get one answer. All other messages
/// are ignored.
async fn hear_pings(incoming: &mut Incoming, pinged: &Notify) -> Result<Closing, Closing> {
    loop {
        if let Heard::Text(text) = incoming.next().await?
            && let Ok(DashboardClientMessage::Ping) = serde_json::from_str(&text)
        {
            pinged.notify_one();
        }
    }
}

fn message(message: &DashboardMessage) -> Message {
    let text = serde_json::to_string(message).expect("our messages can be written as JSON");
    Message::Text(text.into())
}

/// The last event that a viewer has.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Since {
    epoch: Option<String>,
    since: Option<u64>,
}

/// Sends all sessions, workers, tasks, repositories and worktrees, then every change.
///
/// To resume after a short absence, a client sends the run of the server (`epoch`) and the number of the last event
/// that it has (`since`). It then gets only the events that it missed.
///
/// A client may send `{"type":"ping"}` (DashboardClientMessage) to find out whether the server is still there.
#[utoipa::path(
    get,
    path = "/ws/dashboard",
    tag = "sockets",
    params(
        ("epoch" = Option<String>, Query, description = "the run of the server that `since` belongs to"),
        ("since" = Option<u64>, Query, description = "the number of the last event that the viewer has"),
    ),
    responses((status = 101, description = "text messages: DashboardMessage", body = DashboardMessage))
)]
pub(crate) async fn dashboard(
    State(app): State<App>,
    Query(since): Query<Since>,
    door: SocketDoor,
) -> Result<Response, Failure> {
    let left = since.epoch.zip(since.since).map(|(epoch, seq)| Left { epoch, seq });
    Ok(open(door, move |socket, who, over| async move {
        let app = app.of(who.owner);
        let relays = app.relays().clone();
        let keepalive = app.keepalive();
        serve(&relays, keepalive, socket, over, async move |incoming, outgoing| {
            app.follow(left, incoming, outgoing).await
        })
        .await;
    }))
}
