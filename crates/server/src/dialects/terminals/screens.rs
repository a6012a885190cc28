//! Sends the output of all terminals of a socket.

use std::collections::{HashMap, VecDeque};
use std::future::ready;

use ::dialects::{Sheet, Turn, Turns};
use api::{ClosedReason, TerminalsServerMessage};
use axum::extract::ws::Message;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use protocol::HostMessage;
use tokio::sync::mpsc;

use super::attaching::Attached;
use super::{Order, Place};
use crate::dialects::text;
use crate::node::{LinkError, LinkReader};
use crate::relay::{Closing, Outgoing, Seen};

/// Sends the hosts' output to the client.
pub(super) struct Screens {
    orders: mpsc::Receiver<Order>,
    /// Receives the terminals that the client is no longer attached to.
    gone: mpsc::UnboundedSender<Place>,
    screens: HashMap<Place, Screen>,
    turns: Turns<Place>,
    /// Reads from terminals that have no output waiting.
    reads: FuturesUnordered<BoxFuture<'static, Read>>,
}

/// One terminal.
struct Screen {
    sheet: Sheet,
    seen: Seen,
    /// Whether to keep quiet when it ends.
    hushed: bool,
    /// None while a read is running.
    reader: Option<LinkReader>,
}

/// The result of a read from a host.
struct Read {
    place: Place,
    reader: LinkReader,
    /// Whether the connection is open. If not, the host has closed it.
    open: bool,
}

impl Screens {
    pub(super) fn new(orders: mpsc::Receiver<Order>, gone: mpsc::UnboundedSender<Place>) -> Screens {
        let (screens, turns, reads) = (HashMap::new(), Turns::default(), FuturesUnordered::new());
        Screens { orders, gone, screens, turns, reads }
    }

    /// Sends everything until there is a reason to close.
    pub(super) async fn show(mut self, outgoing: &mut Outgoing) -> Closing {
        loop {
            let said = tokio::select! {
                // Drain orders and reads before granting turns. Then every terminal with output is known before the
                // next turn.
                biased;
                Some(order) = self.orders.recv() => self.obey(order),
                Some(read) = self.reads.next(), if !self.reads.is_empty() => self.take(read),
                () = outgoing.ping_due() => vec![Message::Ping(Default::default())],
                () = ready(()), if !self.turns.is_empty() => self.take_turn(),
            };
            if !said.is_empty()
                && let Err(closing) = outgoing.send_all(said).await
            {
                return closing;
            }
        }
    }

    fn obey(&mut self, order: Order) -> Vec<Message> {
        match order {
            Order::Say(message) => vec![text(&message)],
            Order::Show(place, message, attached) => {
                let Attached { worker, reader, seen, wants_scrollback } = *attached;
                let sheet = Sheet::new(worker, wants_scrollback);
                self.screens.insert(place, Screen { sheet, seen, hushed: false, reader: Some(reader) });
                // Frames that arrived together with the welcome are already in the reader.
                let mut said = vec![text(&message)];
                said.extend(self.listen(place));
                said
            }
            Order::Leave(place) => {
                self.remove(place);
                Vec::new()
            }
            Order::Hush(place, hushed) => {
                if let Some(screen) = self.screens.get_mut(&place) {
                    screen.hushed = hushed;
                }
                Vec::new()
            }
        }
    }

    /// Takes the result of a read.
    fn take(&mut self, Read { place, reader, open }: Read) -> Vec<Message> {
        // The client left this terminal meanwhile. Its reader is dropped.
        let Some(screen) = self.screens.get_mut(&place) else { return Vec::new() };
        if open {
            screen.reader = Some(reader);
            return self.listen(place);
        }
        let reason = match screen.seen.end() {
            Closing::Refused => ClosedReason::Refused,
            _ => ClosedReason::HostGone,
        };
        self.end(place, reason, None)
    }

    /// Queues the frames of a terminal for its turn. If there are none, starts another read.
    fn listen(&mut self, place: Place) -> Vec<Message> {
        let Some(screen) = self.screens.get_mut(&place) else { return Vec::new() };
        let Some(mut reader) = screen.reader.take() else { return Vec::new() };
        match read_all(&mut reader, &mut screen.seen) {
            Ok(messages) if messages.is_empty() => self.reads.push(Box::pin(read(place, reader))),
            Ok(messages) => {
                screen.reader = Some(reader);
                self.turns.add(place, messages);
            }
            Err(error) => {
                tracing::warn!(%error, "a host sent a frame that breaks the protocol");
                return self.end(place, ClosedReason::HostGone, None);
            }
        }
        Vec::new()
    }

    fn take_turn(&mut self) -> Vec<Message> {
        let Some(Turn { of, messages, last }) = self.turns.next() else { return Vec::new() };
        let mut said = Vec::new();
        for message in messages {
            let Some(screen) = self.screens.get_mut(&of) else { return said };
            if let HostMessage::Exited(exited) = message {
                said.extend(self.end(of, ClosedReason::Exited, Some(exited.status.code())));
                return said;
            }
            said.extend(screen.sheet.tell(message).as_ref().map(text));
        }
        if last {
            said.extend(self.listen(of));
        }
        said
    }

    fn end(&mut self, place: Place, reason: ClosedReason, exit_code: Option<u8>) -> Vec<Message> {
        let Some(screen) = self.remove(place) else { return Vec::new() };
        // The other half has gone only if the socket is closed.
        let _ = self.gone.send(place);
        let worker_id = screen.sheet.worker();
        match screen.hushed {
            true => Vec::new(),
            false => vec![text(&TerminalsServerMessage::SessionClosed { worker_id, reason, exit_code })],
        }
    }

    fn remove(&mut self, place: Place) -> Option<Screen> {
        self.turns.forget(place);
        self.screens.remove(&place)
    }
}

async fn read(place: Place, mut reader: LinkReader) -> Read {
    let open = reader.read_some().await.unwrap_or(false);
    Read { place, reader, open }
}

/// All messages that have been read.
fn read_all(reader: &mut LinkReader, seen: &mut Seen) -> Result<VecDeque<HostMessage>, LinkError> {
    let mut messages = VecDeque::new();
    while let Some(frame) = reader.next_frame()? {
        seen.look_at(frame);
        messages.extend(HostMessage::read(frame)?);
    }
    Ok(messages)
}
