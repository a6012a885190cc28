//! WebSockets that show workers: `/api/workers/{id}/attach`, and what the [dialects](crate::dialects) share with it.
//!
//! The relay is thin. It reads from the host, sends that to the socket, and reads again when it is sent. So it holds at
//! most one read of output for a slow browser, and the host's own bounds and snapshots do the rest. What comes from a
//! browser goes on to the host as far as [`Passage`] lets it.
//!
//! | a socket closes with | when | and then |
//! | --- | --- | --- |
//! | 1000 `exited` | the worker has ended, and everything was sent | there is nothing more |
//! | 1008 | a message is not understood | mend the client |
//! | 1009 | a message is too long | mend the client |
//! | 1012 `server-restart` | the server leaves | connect again |
//! | 4001 `host-gone` | the connection to the host is lost | connect again and resume by offset |
//! | 4002 `refused` | the host does not want this viewer; it said why | show why |
//! | 4004 `silent` | no answer to a ping came in time | connect again |
//! | 4401 `revoked` | the token is no longer right | log in again |

mod attached;
mod closing;
mod passage;
mod pulse;
mod relays;
mod seen;
mod socket;

use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::Message;
use axum::response::Response;
use home::WorkerDir;
use model::WorkerId;
use protocol::{Exited, HEADER_BYTES, HostMessage, Refused, ViewerId};
use tokio::sync::mpsc;

use attached::Attached;
pub(crate) use closing::Closing;
pub(crate) use relays::Relays;
pub(crate) use seen::Seen;
pub(crate) use socket::{Heard, Incoming, Outgoing, open, serve};

use crate::app::App;
use crate::gate::SocketDoor;
use crate::link::{HostLink, LinkReader, LinkWriter};
use crate::problem::{Failure, Path};
use crate::tokens::Principal;
use passage::{Passage, Verdict};

/// What waits for a browser besides the host's words. More is left out: it is told to one who does not listen.
const MOST_REFUSALS: usize = 16;

/// How viewers are noticed that are gone without a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keepalive {
    /// How often a socket is pinged.
    pub(crate) ping_interval: Duration,
    /// How long it may take to answer.
    pub(crate) pong_timeout: Duration,
}

/// Something that happened on a socket, for those who follow everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happening {
    /// A viewer sees a worker.
    ViewerAttached {
        /// Which worker.
        worker: WorkerId,
        /// The viewer, as its host calls it.
        viewer: ViewerId,
    },
    /// It does no longer.
    ViewerDetached {
        /// Which worker.
        worker: WorkerId,
        /// The viewer, as its host calls it.
        viewer: ViewerId,
    },
}

/// Attaches to a worker: the frames of the host's protocol, each in a binary message of its own, both ways.
///
/// The first frame is Attach. After it come Input, Resize, Ack, Focus, Ping and Redraw; what else there is in the
/// protocol is refused. Whoever may only watch is attached `readOnly`.
#[utoipa::path(
    get,
    path = "/api/workers/{id}/attach",
    tag = "sockets",
    params(("id" = String, Path, description = "the worker")),
    responses(
        (status = 101, description = "frames of the host's protocol, one in each binary message"),
        (status = 404, description = "there is no such worker", body = api::Problem),
    )
)]
pub(crate) async fn attach(
    State(app): State<App>,
    Path(id): Path<WorkerId>,
    door: SocketDoor,
) -> Result<Response, Failure> {
    app.worker(id).await?;
    Ok(open(door, move |socket, who, over| async move {
        let dir = app.home().worker(id);
        let relays = app.relays().clone();
        serve(&relays, app.keepalive(), socket, over, async move |incoming, outgoing| match HostLink::open(
            &dir,
        )
        .await
        {
            Ok(link) => relay(&app, &who, id, link, incoming, outgoing).await,
            Err(_) => without_host(&dir, outgoing).await,
        })
        .await;
    }))
}

/// A worker that has ended has no host any more, but is still known to have ended.
async fn without_host(dir: &WorkerDir, outgoing: &mut Outgoing) -> Closing {
    let dir = dir.clone();
    let note = tokio::task::spawn_blocking(move || dir.exit_note()).await.ok().flatten();
    let Some(note) = note else { return Closing::HostGone };
    let exited = HostMessage::Exited(Exited { status: note.status, at: note.at });
    match outgoing.send(Message::binary(exited.to_bytes())).await {
        Ok(()) => Closing::Exited,
        Err(closing) => closing,
    }
}

async fn relay(
    app: &App,
    who: &Principal,
    worker: WorkerId,
    link: HostLink,
    incoming: &mut Incoming,
    outgoing: &mut Outgoing,
) -> Closing {
    let (reader, writer) = link.split();
    let (refuse, refusals) = mpsc::channel(MOST_REFUSALS);
    let passage = Passage::new(&who.actor, who.may_drive(worker));
    // Either way may stand still while the other goes on: a browser that reads nothing can still interrupt.
    tokio::select! {
        closing = to_host(passage, incoming, writer, refuse) => closing,
        closing = to_browser(Seen::new(app, worker), reader, outgoing, refusals) => closing,
    }
}

async fn to_host(
    mut passage: Passage,
    incoming: &mut Incoming,
    mut writer: LinkWriter,
    refuse: mpsc::Sender<Refused>,
) -> Closing {
    loop {
        let message = match incoming.next().await {
            Ok(Heard::Binary(message)) => message,
            Ok(Heard::Text(_)) => return Closing::malformed("frames come in binary messages"),
            Err(closing) => return closing,
        };
        // A host that has closed its end may have said why before that, which the browser is told by the other half.
        let written = match passage.judge(&message) {
            Ok(Verdict::Pass) => incoming.while_busy(writer.write(&message)).await,
            Ok(Verdict::Replace(frame)) => incoming.while_busy(writer.write(&frame)).await,
            Ok(Verdict::Drop) => Ok(()),
            Ok(Verdict::Refuse(refused)) => {
                let _ = refuse.try_send(refused);
                Ok(())
            }
            Err(closing) => return closing,
        };
        if let Err(error) = written {
            tracing::debug!(%error, "a host takes no more");
        }
    }
}

async fn to_browser(
    mut seen: Seen,
    mut reader: LinkReader,
    outgoing: &mut Outgoing,
    mut refusals: mpsc::Receiver<Refused>,
) -> Closing {
    loop {
        let sent = tokio::select! {
            read = reader.read_some() => match read {
                Ok(true) => pass_on(&mut reader, outgoing, &mut seen).await,
                Ok(false) | Err(_) => return seen.end(),
            },
            Some(refused) = refusals.recv() => {
                outgoing.send(Message::binary(HostMessage::Refused(refused).to_bytes())).await
            }
            () = outgoing.ping_due() => outgoing.ping().await,
        };
        if let Err(closing) = sent {
            return closing;
        }
    }
}

/// Sends everything that one read brought.
async fn pass_on(reader: &mut LinkReader, outgoing: &mut Outgoing, seen: &mut Seen) -> Result<(), Closing> {
    loop {
        let message = match reader.next_frame() {
            Ok(Some(frame)) => {
                seen.look_at(frame);
                let mut bytes = Vec::with_capacity(HEADER_BYTES + frame.payload.len());
                frame.write(&mut bytes);
                Message::binary(bytes)
            }
            Ok(None) => return outgoing.flush().await,
            Err(error) => {
                tracing::warn!(%error, "a host does not speak the protocol");
                return Err(Closing::HostGone);
            }
        };
        outgoing.feed(message).await?;
    }
}
