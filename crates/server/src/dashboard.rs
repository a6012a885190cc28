//! The dashboard's socket: everything as it is, then every change, resumable by number.

use api::{DashboardEvent, DashboardMessage, ErrorCode, Problem};
use axum::extract::State;
use axum::extract::ws::Message;
use axum::response::Response;
use serde::Deserialize;

use crate::app::App;
use crate::changes::Changed;
use crate::gate::SocketDoor;
use crate::journal::Missed;
use crate::problem::{Failure, Query};
use crate::relay::{Closing, Incoming, Outgoing, open, serve};
use crate::views;

/// Where a viewer was when it left.
#[derive(Clone, Debug)]
struct Left {
    epoch: String,
    seq: u64,
}

impl App {
    /// Tells everybody who looks.
    pub(crate) fn tell(&self, event: DashboardEvent) {
        self.parts().journal.put(|seq, at| {
            let message = DashboardMessage::Event { seq, at, event };
            serde_json::to_string(&message).expect("our messages have no keys that JSON lacks")
        });
    }

    /// Tells of changes as they come, for ever.
    pub(crate) async fn tell_changes(self) {
        loop {
            for changed in self.parts().changes.next().await {
                match self.event_of(changed).await {
                    Ok(events) => events.into_iter().for_each(|event| self.tell(event)),
                    Err(problem) => {
                        tracing::warn!(?changed, reason = problem.error.message, "a change is not told");
                    }
                }
            }
        }
    }

    /// What to say about something that changed: how it is now, or that it is gone.
    async fn event_of(&self, changed: Changed) -> Result<Vec<DashboardEvent>, Problem> {
        let gone = |problem: Problem, event: DashboardEvent| match problem.code() {
            ErrorCode::NotFound => Ok(vec![event]),
            _ => Err(problem),
        };
        match changed {
            Changed::Repository(id) => match self.db(move |store| store.repository(id)).await {
                Ok(found) => {
                    Ok(vec![DashboardEvent::RepositoryChanged { repository: views::repository(&found) }])
                }
                Err(problem) => gone(problem, DashboardEvent::RepositoryRemoved { repository_id: id }),
            },
            Changed::Worktree(id) => match self.worktree(id).await {
                Ok(worktree) => Ok(vec![DashboardEvent::WorktreeChanged { worktree }]),
                Err(problem) => gone(problem, DashboardEvent::WorktreeRemoved { worktree_id: id }),
            },
            Changed::Session(id) => match self.open_session_view(id).await {
                Ok(session) => Ok(vec![DashboardEvent::SessionChanged { session }]),
                Err(problem) => gone(problem, DashboardEvent::SessionRemoved { session_id: id }),
            },
            Changed::Task(id) => match self.task(id).await {
                Ok(task) => Ok(vec![DashboardEvent::TaskChanged { task }]),
                Err(problem) => gone(problem, DashboardEvent::TaskRemoved { task_id: id }),
            },
            Changed::Worker(id) => match self.worker(id).await {
                Ok(worker) => {
                    let session = worker.session_id;
                    let mut events = vec![DashboardEvent::WorkerChanged { worker }];
                    // How a task's session is doing is how its worker is doing.
                    let session = self.db(move |store| store.session(session)).await?;
                    if let Some(task) = session.task {
                        events.push(DashboardEvent::TaskChanged { task: self.task(task).await? });
                    }
                    Ok(events)
                }
                Err(problem) if problem.code() == ErrorCode::NotFound => {
                    Ok(vec![DashboardEvent::WorkerRemoved { worker_id: id }])
                }
                Err(problem) => Err(problem),
            },
        }
    }

    /// A session that nobody has closed.
    async fn open_session_view(&self, id: model::SessionId) -> Result<api::Session, Problem> {
        let closed = self.db(move |store| store.session(id)).await?.closed_at;
        match closed {
            None => self.session(id).await,
            Some(_) => Err(Problem::new(ErrorCode::NotFound, "the session is closed")),
        }
    }

    /// Everything as it is, and the number of the last event that is in it.
    async fn state(&self) -> Result<(u64, DashboardMessage), Problem> {
        // Taken first: what happens meanwhile is told once more, which harms nobody.
        let seq = self.parts().journal.seq();
        let repositories = self.db(store::Store::repositories).await?;
        let state = DashboardMessage::State {
            epoch: self.parts().journal.epoch().to_owned(),
            seq,
            sessions: self.sessions().await?,
            tasks: self.tasks(store::TaskFilter::default()).await?,
            repositories: repositories.iter().map(views::repository).collect(),
            worktrees: self.worktrees(None).await?,
        };
        Ok((seq, state))
    }

    /// Tells one viewer everything, until it is gone.
    async fn follow(&self, left: Option<Left>, incoming: &mut Incoming, outgoing: &mut Outgoing) -> Closing {
        match tokio::try_join!(hear_nothing(incoming), self.tell_all(left, outgoing)) {
            Ok((closing, ())) => closing,
            Err(closing) => closing,
        }
    }

    async fn tell_all(&self, left: Option<Left>, outgoing: &mut Outgoing) -> Result<(), Closing> {
        let journal = &self.parts().journal;
        let mut news = journal.news();
        let left = left.filter(|left| left.epoch == journal.epoch()).map(|left| left.seq);
        let mut at = left.filter(|&seq| matches!(journal.since(seq), Missed::Entries(_)));
        if let Some(seq) = at {
            let epoch = journal.epoch().to_owned();
            outgoing.send(message(&DashboardMessage::Resumed { epoch, seq })).await?;
        }
        loop {
            at = Some(match at.map(|seq| (seq, journal.since(seq))) {
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
                        tracing::warn!(reason = problem.error.message, "the state cannot be told");
                        Closing::Shutdown
                    })?;
                    outgoing.send(message(&state)).await?;
                    seq
                }
            });
            tokio::select! {
                // The journal lives as long as we do.
                _ = news.changed() => {}
                () = outgoing.ping_due() => outgoing.ping().await?,
            }
        }
    }
}

/// A viewer of the dashboard has nothing to say; what it says all the same is passed over.
async fn hear_nothing(incoming: &mut Incoming) -> Result<Closing, Closing> {
    loop {
        incoming.next().await?;
    }
}

fn message(message: &DashboardMessage) -> Message {
    let text = serde_json::to_string(message).expect("our messages have no keys that JSON lacks");
    Message::Text(text.into())
}

/// Where a viewer was when it left.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Since {
    epoch: Option<String>,
    since: Option<u64>,
}

/// Follows everything: all sessions, workers, tasks, repositories and worktrees as they are, then every change.
///
/// Whoever was away for a moment names the run of the server and the number of the last event it has, and is told just
/// what it missed.
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
    Ok(open(door, move |socket, _who, over| async move {
        let relays = app.relays().clone();
        let keepalive = app.keepalive();
        serve(&relays, keepalive, socket, over, async move |incoming, outgoing| {
            app.follow(left, incoming, outgoing).await
        })
        .await;
    }))
}
