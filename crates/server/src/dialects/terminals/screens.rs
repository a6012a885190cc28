//! What is shown of all terminals of a socket.

use std::collections::{HashMap, VecDeque};
use std::future::ready;

use api::{ClosedReason, TerminalsServerMessage};
use axum::extract::ws::Message;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use model::WorkerId;
use protocol::HostMessage;
use tokio::sync::mpsc;

use super::attaching::Attached;
use super::turns::{Turn, Turns};
use super::{Order, Place};
use crate::dialects::picture::{Picture, Piece};
use crate::dialects::{refusal, text};
use crate::link::{LinkError, LinkReader};
use crate::relay::{Closing, Outgoing, Seen};

/// Shows what the hosts say.
pub(super) struct Screens {
    orders: mpsc::Receiver<Order>,
    /// Told of terminals that the client is no longer attached to.
    gone: mpsc::UnboundedSender<Place>,
    screens: HashMap<Place, Screen>,
    turns: Turns<Place>,
    /// Those that have nothing left to say, and are listened to.
    reads: FuturesUnordered<BoxFuture<'static, Read>>,
}

/// One terminal.
struct Screen {
    sheet: Sheet,
    seen: Seen,
    /// Whether its end is told by others.
    hushed: bool,
    /// Not here while it is listened to.
    reader: Option<LinkReader>,
}

/// What the client sees of it.
struct Sheet {
    worker: WorkerId,
    picture: Picture,
    /// Whether the next snapshot is what the client asked for.
    wants_scrollback: bool,
}

/// What listening to a host brought.
struct Read {
    place: Place,
    reader: LinkReader,
    /// Whether there is more; otherwise the host has closed the connection.
    open: bool,
}

impl Screens {
    pub(super) fn new(orders: mpsc::Receiver<Order>, gone: mpsc::UnboundedSender<Place>) -> Screens {
        let (screens, turns, reads) = (HashMap::new(), Turns::default(), FuturesUnordered::new());
        Screens { orders, gone, screens, turns, reads }
    }

    /// Shows everything until there is a reason to close.
    pub(super) async fn show(mut self, outgoing: &mut Outgoing) -> Closing {
        loop {
            let said = tokio::select! {
                // Whoever waits for a turn gets it when nothing else has come: nobody waits here while there is
                // something to show, and everybody who has something to say is known before the next turn.
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
                let sheet = Sheet { worker, picture: Picture::default(), wants_scrollback };
                self.screens.insert(place, Screen { sheet, seen, hushed: false, reader: Some(reader) });
                // What came along with the welcome has been read already.
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

    /// Takes in what a read brought.
    fn take(&mut self, Read { place, reader, open }: Read) -> Vec<Message> {
        // A terminal that was left meanwhile goes with its reader.
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

    /// Has a terminal wait for its turn with what was read; if that is nothing, listens on.
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
                tracing::warn!(%error, "a host does not speak the protocol");
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
        // The other half is gone only if the socket is.
        let _ = self.gone.send(place);
        let worker_id = screen.sheet.worker;
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

impl Sheet {
    /// What is said about a host's words, if anything.
    fn tell(&mut self, message: HostMessage) -> Option<TerminalsServerMessage> {
        let worker_id = self.worker;
        let piece = match message {
            HostMessage::Snapshot { at, last, bytes } => self.picture.snapshot(at, last, &bytes),
            HostMessage::Output { at, bytes } => self.picture.output(at + bytes.len(), &bytes),
            HostMessage::Resized(resized) => {
                self.picture.resized();
                let (cols, rows) = (resized.size.cols(), resized.size.rows());
                return Some(TerminalsServerMessage::Resized { worker_id, cols, rows });
            }
            HostMessage::Refused(refused) => {
                let (code, message) = refusal(&refused);
                return Some(TerminalsServerMessage::Error {
                    code,
                    message,
                    worker_id: Some(worker_id),
                    id: None,
                });
            }
            _ => return None,
        };
        let Piece { text: data, anew, offset } = piece;
        // Only what the client asked for is its scrollback; what comes later begins with a reset of its own.
        match anew && std::mem::take(&mut self.wants_scrollback) {
            true => Some(TerminalsServerMessage::Scrollback { worker_id, data, offset }),
            false => Some(TerminalsServerMessage::Output { worker_id, data, offset }),
        }
    }
}

async fn read(place: Place, mut reader: LinkReader) -> Read {
    let open = reader.read_some().await.unwrap_or(false);
    Read { place, reader, open }
}

/// Everything that has been read.
fn read_all(reader: &mut LinkReader, seen: &mut Seen) -> Result<VecDeque<HostMessage>, LinkError> {
    let mut messages = VecDeque::new();
    while let Some(frame) = reader.next_frame()? {
        seen.look_at(frame);
        messages.extend(HostMessage::read(frame)?);
    }
    Ok(messages)
}

#[cfg(test)]
mod tests {
    use model::Offset;

    use super::*;

    fn snapshot(at: u64) -> HostMessage {
        HostMessage::Snapshot { at: Offset(at), last: true, bytes: b"\x1bcscreen".to_vec() }
    }

    fn told(sheet: &mut Sheet, message: HostMessage) -> String {
        sheet.tell(message).map_or_else(String::new, |message| serde_json::to_string(&message).unwrap())
    }

    #[test]
    fn s1_20_scrollback_is_said_once_and_only_to_whoever_asked_for_it() {
        let worker = WorkerId::from_random([7; 8]);
        for (wants_scrollback, first) in [(true, "scrollback"), (false, "output")] {
            let mut sheet = Sheet { worker, picture: Picture::default(), wants_scrollback };
            let expected = |kind: &str, at: u64| {
                format!(r#"{{"type":"{kind}","workerId":"77777777","data":"\u001bcscreen","offset":{at}}}"#)
            };
            assert_eq!(told(&mut sheet, snapshot(9)), expected(first, 9));
            assert_eq!(told(&mut sheet, snapshot(20)), expected("output", 20));
        }
    }
}
