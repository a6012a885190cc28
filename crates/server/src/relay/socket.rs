//! One WebSocket: opened, served, and closed with a reason.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use std::{error::Error, io};

use axum::body::Bytes;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket};
use axum::response::Response;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::pulse::Pulse;
use super::{Closing, Keepalive, Relays};
use crate::gate::{RealClock, SocketDoor};
use crate::tokens::Principal;

/// How long a peer may take to receive the close reason and to close its end.
const FAREWELL: Duration = Duration::from_secs(2);

/// A message from a peer.
#[derive(Clone, Debug)]
pub(crate) enum Heard {
    /// A text message.
    Text(Utf8Bytes),
    /// A binary message.
    Binary(Bytes),
}

impl Heard {
    /// How many bytes it has.
    pub(crate) fn length(&self) -> usize {
        match self {
            Heard::Text(text) => text.len(),
            Heard::Binary(bytes) => bytes.len(),
        }
    }
}

/// Ends when the peer's token is revoked or expires.
#[derive(Debug)]
pub(crate) struct Over(oneshot::Receiver<()>);

/// The receiving half of a socket.
pub(crate) struct Incoming {
    stream: SplitStream<WebSocket>,
    pulse: Arc<Pulse>,
}

/// The sending half of a socket.
pub(crate) struct Outgoing {
    sink: SplitSink<WebSocket, Message>,
    pulse: Arc<Pulse>,
}

/// Opens a socket and serves it in a task of its own.
///
/// When the token is revoked or expires, the gate drops its future. The task learns this through [`Over`], and closes
/// the socket with the reason.
pub(crate) fn open<F, Served>(door: SocketDoor, serve: F) -> Response
where
    F: FnOnce(WebSocket, Principal, Over) -> Served + Send + 'static,
    Served: Future<Output = ()> + Send + 'static,
{
    door.open(move |socket, who| async move {
        let (right, over) = oneshot::channel();
        let served = tokio::spawn(serve(socket, who, Over(over)));
        if let Err(error) = served.await {
            tracing::error!(%error, "a socket's task failed");
        }
        drop(right);
    })
}

/// Serves a socket until the work is done or another reason closes it. Then closes it.
pub(crate) async fn serve(
    relays: &Relays,
    keepalive: Keepalive,
    socket: WebSocket,
    over: Over,
    work: impl AsyncFnOnce(&mut Incoming, &mut Outgoing) -> Closing,
) {
    let mut leaving = relays.leaving();
    let pulse = Arc::new(Pulse::new(keepalive, RealClock));
    let (sink, stream) = socket.split();
    let mut incoming = Incoming { stream, pulse: pulse.clone() };
    let mut outgoing = Outgoing { sink, pulse: pulse.clone() };
    let closing = tokio::select! {
        // Revocation and shutdown come first. Silence comes last, so that all received messages are read before.
        biased;
        _ = over.0 => Closing::Revoked,
        _ = leaving.wait_for(|leaving| *leaving) => Closing::Shutdown,
        closing = work(&mut incoming, &mut outgoing) => closing,
        () = pulse.silence() => Closing::Silent,
    };
    tracing::debug!(?closing, "a socket closes");
    // If the peer does not receive the close frame in time, the socket is closed without it.
    let _ = timeout(FAREWELL, say_goodbye(incoming, outgoing, closing)).await;
}

async fn say_goodbye(mut incoming: Incoming, mut outgoing: Outgoing, closing: Closing) {
    if let Some(frame) = closing.frame()
        && outgoing.sink.send(Message::Close(Some(frame))).await.is_err()
    {
        return;
    }
    // Wait for the peer to close its end. Otherwise unread data would reset the connection, and the peer could miss the
    // reason.
    while let Some(Ok(_)) = incoming.stream.next().await {}
    let _ = outgoing.sink.close().await;
}

impl Incoming {
    /// The next message. Dropping the future loses nothing.
    ///
    /// # Errors
    ///
    /// Why no further message can come.
    pub(crate) async fn next(&mut self) -> Result<Heard, Closing> {
        loop {
            let message = match self.stream.next().await {
                Some(Ok(message)) => message,
                Some(Err(error)) => return Err(closing_of(&error)),
                None => return Err(Closing::Left),
            };
            self.pulse.heard();
            match message {
                Message::Text(text) => return Ok(Heard::Text(text)),
                Message::Binary(bytes) => return Ok(Heard::Binary(bytes)),
                Message::Ping(_) | Message::Pong(_) => {}
                Message::Close(_) => return Err(Closing::Left),
            }
        }
    }

    /// Does some work before the next message is read. The peer's silence does not count meanwhile.
    pub(crate) async fn while_busy<T>(&self, work: impl Future<Output = T>) -> T {
        self.pulse.set_busy(true);
        let done = work.await;
        self.pulse.heard();
        self.pulse.set_busy(false);
        done
    }
}

impl Outgoing {
    /// Adds a message to the next flush.
    ///
    /// # Errors
    ///
    /// When the peer has gone.
    pub(crate) async fn feed(&mut self, message: Message) -> Result<(), Closing> {
        let fed = self.sink.feed(message);
        watched(&self.pulse, fed).await.map_err(|_| Closing::Left)
    }

    /// Sends the added messages, and waits until the socket has taken them.
    ///
    /// # Errors
    ///
    /// When the peer has gone.
    pub(crate) async fn flush(&mut self) -> Result<(), Closing> {
        let flushed = self.sink.flush();
        watched(&self.pulse, flushed).await.map_err(|_| Closing::Left)
    }

    /// Sends a message, and waits until the socket has taken it.
    ///
    /// # Errors
    ///
    /// When the peer has gone.
    pub(crate) async fn send(&mut self, message: Message) -> Result<(), Closing> {
        self.feed(message).await?;
        self.flush().await
    }

    /// Sends messages together, and waits until the socket has taken them.
    ///
    /// # Errors
    ///
    /// When the peer has gone.
    pub(crate) async fn send_all(
        &mut self,
        messages: impl IntoIterator<Item = Message>,
    ) -> Result<(), Closing> {
        for message in messages {
            self.feed(message).await?;
        }
        self.flush().await
    }

    /// Ends when it is time to ping the peer. Dropping the future loses nothing.
    pub(crate) async fn ping_due(&self) {
        self.pulse.ping_due().await;
    }

    /// Pings the peer.
    ///
    /// # Errors
    ///
    /// When the peer has gone.
    pub(crate) async fn ping(&mut self) -> Result<(), Closing> {
        self.send(Message::Ping(Bytes::new())).await
    }
}

/// Waits for a send. If the send had to wait and then went on, the peer has read something, so it is alive: a dead
/// connection stays full.
async fn watched<T>(pulse: &Pulse, sent: impl Future<Output = T>) -> T {
    let mut sent = pin!(sent);
    let mut waited = false;
    poll_fn(|context| match sent.as_mut().poll(context) {
        Poll::Ready(sent) => {
            if waited {
                pulse.heard();
            }
            Poll::Ready(sent)
        }
        Poll::Pending => {
            waited = true;
            Poll::Pending
        }
    })
    .await
}

/// The reason for which a socket cannot be read.
fn closing_of(error: &axum::Error) -> Closing {
    let mut source: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = source {
        if error.is::<io::Error>() {
            return Closing::Left;
        }
        // The error's type is not public, so this compares its text. A test checks the text.
        if error.to_string().starts_with("Space limit exceeded") {
            return Closing::TooLong;
        }
        source = error.source();
    }
    Closing::malformed("the data is not in the WebSocket protocol")
}
