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
use crate::gate::SocketDoor;
use crate::tokens::Principal;

/// How long a peer has to take the reason for which its socket is closed, and to say goodbye.
const FAREWELL: Duration = Duration::from_secs(2);

/// What a peer said.
#[derive(Clone, Debug)]
pub(crate) enum Heard {
    /// A text message.
    Text(Utf8Bytes),
    /// A binary message.
    Binary(Bytes),
}

/// Ends when the peer's token is no longer right.
#[derive(Debug)]
pub(crate) struct Over(oneshot::Receiver<()>);

/// What comes from a socket.
pub(crate) struct Incoming {
    stream: SplitStream<WebSocket>,
    pulse: Arc<Pulse>,
}

/// What goes to a socket.
pub(crate) struct Outgoing {
    sink: SplitSink<WebSocket, Message>,
    pulse: Arc<Pulse>,
}

/// Opens a socket and serves it in a task of its own.
///
/// The gate drops what it waits for when the token is no longer right; the task is told so and says why it closes.
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

/// Serves a socket until its work is done, or until there is another reason to close it; then closes it.
pub(crate) async fn serve(
    relays: &Relays,
    keepalive: Keepalive,
    socket: WebSocket,
    over: Over,
    work: impl AsyncFnOnce(&mut Incoming, &mut Outgoing) -> Closing,
) {
    let mut leaving = relays.leaving();
    let pulse = Arc::new(Pulse::new(keepalive));
    let (sink, stream) = socket.split();
    let mut incoming = Incoming { stream, pulse: pulse.clone() };
    let mut outgoing = Outgoing { sink, pulse: pulse.clone() };
    let closing = tokio::select! {
        // What forbids goes first, and nobody is silent before all that it said was looked at.
        biased;
        _ = over.0 => Closing::Revoked,
        _ = leaving.wait_for(|leaving| *leaving) => Closing::Shutdown,
        closing = work(&mut incoming, &mut outgoing) => closing,
        () = pulse.silence() => Closing::Silent,
    };
    tracing::debug!(?closing, "a socket closes");
    // Whoever does not take its goodbye in time goes without.
    let _ = timeout(FAREWELL, say_goodbye(incoming, outgoing, closing)).await;
}

async fn say_goodbye(mut incoming: Incoming, mut outgoing: Outgoing, closing: Closing) {
    if let Some(frame) = closing.frame()
        && outgoing.sink.send(Message::Close(Some(frame))).await.is_err()
    {
        return;
    }
    // The peer's own goodbye is waited for. A connection that is closed while something unread is on its way is reset,
    // and that could overtake the reason.
    while let Some(Ok(_)) = incoming.stream.next().await {}
    let _ = outgoing.sink.close().await;
}

impl Incoming {
    /// The next message. Nothing is lost when the future is dropped.
    ///
    /// # Errors
    ///
    /// Why there are no more.
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

    /// Does something before the next message is read. The peer is not to blame for its silence meanwhile.
    pub(crate) async fn while_busy<T>(&self, work: impl Future<Output = T>) -> T {
        self.pulse.set_busy(true);
        let done = work.await;
        self.pulse.heard();
        self.pulse.set_busy(false);
        done
    }
}

impl Outgoing {
    /// Adds a message to what is sent next.
    ///
    /// # Errors
    ///
    /// When the peer is gone.
    pub(crate) async fn feed(&mut self, message: Message) -> Result<(), Closing> {
        let fed = self.sink.feed(message);
        watched(&self.pulse, fed).await.map_err(|_| Closing::Left)
    }

    /// Sends what was added, and waits until the socket has taken it.
    ///
    /// # Errors
    ///
    /// When the peer is gone.
    pub(crate) async fn flush(&mut self) -> Result<(), Closing> {
        let flushed = self.sink.flush();
        watched(&self.pulse, flushed).await.map_err(|_| Closing::Left)
    }

    /// Sends a message, and waits until the socket has taken it.
    ///
    /// # Errors
    ///
    /// When the peer is gone.
    pub(crate) async fn send(&mut self, message: Message) -> Result<(), Closing> {
        self.feed(message).await?;
        self.flush().await
    }

    /// Sends messages at once, and waits until the socket has taken them.
    ///
    /// # Errors
    ///
    /// When the peer is gone.
    pub(crate) async fn send_all(
        &mut self,
        messages: impl IntoIterator<Item = Message>,
    ) -> Result<(), Closing> {
        for message in messages {
            self.feed(message).await?;
        }
        self.flush().await
    }

    /// Comes to an end when the peer is to be pinged. Nothing is lost when the future is dropped.
    pub(crate) async fn ping_due(&self) {
        self.pulse.ping_due().await;
    }

    /// Pings the peer.
    ///
    /// # Errors
    ///
    /// When it is gone.
    pub(crate) async fn ping(&mut self) -> Result<(), Closing> {
        self.send(Message::Ping(Bytes::new())).await
    }
}

/// Sends something. What had to wait and then went was taken by a peer that is there, however slow: a connection that
/// leads nowhere takes nothing more once it is full.
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

/// Why a socket cannot be read any more.
fn closing_of(error: &axum::Error) -> Closing {
    let mut source: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = source {
        if error.is::<io::Error>() {
            return Closing::Left;
        }
        // The type behind it is not ours to name; a test holds us to its words.
        if error.to_string().starts_with("Space limit exceeded") {
            return Closing::TooLong;
        }
        source = error.source();
    }
    Closing::malformed("that is not the WebSocket protocol")
}
