//! WebSockets that show workers: `/api/workers/{id}/attach`, and the code that it shares with the
//! [dialects](crate::dialects).
//!
//! The relay reads from the host, sends to the socket, and reads again once that is sent. So for a slow browser it
//! holds at most one read of output. The host limits the rest, and sends snapshots. [`Passage`] decides which frames of
//! a browser reach the host.
//!
//! | a socket closes with | when | what the client should do |
//! | --- | --- | --- |
//! | 1000 `exited` | the worker has ended, and everything was sent | nothing |
//! | 1008 | the server does not understand a message | fix the client |
//! | 1009 | a message is too long | fix the client |
//! | 1012 `server-restart` | the server stops | connect again |
//! | 4001 `host-gone` | the connection to the host is lost | connect again and resume by offset |
//! | 4002 `refused` | the host refused this viewer, and sent the reason | show the reason |
//! | 4004 `silent` | the client did not answer a ping in time | connect again |
//! | 4403 | there is no such worker, or none for this token | nothing |
//! | 4401 `revoked` | the token was revoked or has expired | log in again |

mod attached;
mod closing;
mod passage;
mod pulse;
mod relays;
mod seen;
mod socket;

use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::Message;
use axum::response::Response;
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
use crate::node::{HostLink, LinkReader, LinkWriter};
use crate::problem::{Failure, Path};
use crate::shares::Share;
use crate::tokens::Principal;
use passage::{Passage, Verdict};

/// How many refusals may wait for a browser. If it does not read them, further ones are dropped.
const MOST_REFUSALS: usize = 16;

/// How the server notices that a viewer has gone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keepalive {
    /// How often the server pings a socket.
    pub(crate) ping_interval: Duration,
    /// How long the viewer may take to answer.
    pub(crate) pong_timeout: Duration,
}

/// An event on a socket, for the dashboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happening {
    /// A viewer attached to a worker.
    ViewerAttached {
        /// The worker.
        worker: WorkerId,
        /// The viewer's id at its host.
        viewer: ViewerId,
    },
    /// A viewer detached from a worker.
    ViewerDetached {
        /// The worker.
        worker: WorkerId,
        /// The viewer's id at its host.
        viewer: ViewerId,
    },
}

/// Attaches to a worker: the frames of the host's protocol, each in a binary message of its own, both ways.
///
/// The first frame must be Attach. After it, the client may send Input, Resize, Ack, Focus, Ping and Redraw. The server
/// refuses all other messages of the protocol. A token that may only watch is attached `readOnly`.
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
    who: Option<Extension<Principal>>,
    Path(id): Path<WorkerId>,
    door: SocketDoor,
) -> Result<Response, Failure> {
    // A client without a token gets the same answer for every id: it learns which workers there are only with one.
    if let Some(Extension(who)) = who {
        app.of(who.owner).workers().get(id).await?;
    }
    Ok(open(door, move |socket, who, over| async move {
        let app = app.working_for(&who);
        let relays = app.relays().clone();
        serve(&relays, app.keepalive(), socket, over, async move |incoming, outgoing| {
            if app.workers().get(id).await.is_err() {
                // There is none, or it belongs to another owner than the token in the first message.
                return Closing::NoWorker;
            }
            match app.link(id).await {
                Ok(link) => relay(&app, &who, id, link, incoming, outgoing).await,
                Err(_) => without_host(&app, id, outgoing).await,
            }
        })
        .await;
    }))
}

/// Serves a worker that has no host. If the worker has ended, sends its exit.
async fn without_host(app: &App, id: WorkerId, outgoing: &mut Outgoing) -> Closing {
    let Some(note) = app.node().exit_note(id).await else { return Closing::HostGone };
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
    let passage = Passage::new(&who.actor, who.may_drive(worker)).of_token(who.token);
    let share = app.gate().share(who);
    // Each direction may wait while the other goes on. So a browser that reads nothing can still interrupt the worker.
    tokio::select! {
        closing = to_host(passage, &share, incoming, writer, refuse) => closing,
        closing = to_browser(Seen::new(app, worker), reader, outgoing, refusals) => closing,
    }
}

async fn to_host(
    mut passage: Passage,
    share: &Share,
    incoming: &mut Incoming,
    mut writer: LinkWriter,
    refuse: mpsc::Sender<Refused>,
) -> Closing {
    loop {
        let message = match incoming.next().await {
            Ok(Heard::Binary(message)) => message,
            Ok(Heard::Text(_)) => return Closing::malformed("send frames in binary messages"),
            Err(closing) => return closing,
        };
        incoming.while_busy(share.message(message.len())).await;
        // If the host has closed its end, it may have sent a reason. The other half sends that reason to the browser.
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
            tracing::debug!(%error, "cannot write to a host");
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

/// Sends all frames of one read.
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
                tracing::warn!(%error, "a host sent a frame that breaks the protocol");
                return Err(Closing::HostGone);
            }
        };
        outgoing.feed(message).await?;
    }
}
