//! Many terminals on one socket, in JSON: the messages for each terminal.

use api::{Problem, TerminalsServerMessage};
use model::WorkerId;
use protocol::HostMessage;

use crate::words::{refusal, words};
use crate::{Picture, Piece};

/// One terminal, as a client sees it.
#[derive(Debug)]
pub struct Sheet {
    worker: WorkerId,
    picture: Picture,
    /// Whether the client requested the next snapshot.
    wants_scrollback: bool,
}

impl Sheet {
    /// Starts with an empty screen. If the client wants scrollback, the first snapshot is sent as `scrollback`.
    pub fn new(worker: WorkerId, wants_scrollback: bool) -> Sheet {
        Sheet { worker, picture: Picture::default(), wants_scrollback }
    }

    /// The terminal.
    pub fn worker(&self) -> WorkerId {
        self.worker
    }

    /// The client's message for a host's message, if there is one.
    pub fn tell(&mut self, message: HostMessage) -> Option<TerminalsServerMessage> {
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
        // Only the requested snapshot is scrollback. Later snapshots are output that begins with a reset.
        match anew && std::mem::take(&mut self.wants_scrollback) {
            true => Some(TerminalsServerMessage::Scrollback { worker_id, data, offset }),
            false => Some(TerminalsServerMessage::Output { worker_id, data, offset }),
        }
    }
}

/// The message for a request that was not carried out.
pub fn terminals_error(
    problem: &Problem,
    worker_id: Option<WorkerId>,
    id: Option<String>,
) -> TerminalsServerMessage {
    let (code, message) = words(problem);
    TerminalsServerMessage::Error { code, message, worker_id, id }
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
    fn s1_20_scrollback_is_sent_once_and_only_to_a_client_that_requested_it() {
        let worker = WorkerId::from_random([7; 8]);
        for (wants_scrollback, first) in [(true, "scrollback"), (false, "output")] {
            let mut sheet = Sheet::new(worker, wants_scrollback);
            let expected = |kind: &str, at: u64| {
                format!(r#"{{"type":"{kind}","workerId":"77777777","data":"\u001bcscreen","offset":{at}}}"#)
            };
            assert_eq!(told(&mut sheet, snapshot(9)), expected(first, 9));
            assert_eq!(told(&mut sheet, snapshot(20)), expected("output", 20));
        }
    }
}
