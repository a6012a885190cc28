//! A worker as a plain pipe: binary messages contain output, text messages contain keys.

use api::Problem;
use model::ExitStatus;
use protocol::HostMessage;

use crate::{Dialect, Heard, Malformed, Picture, Said, Wish};

/// The plain pipe.
#[derive(Clone, Copy, Debug)]
pub struct Pipe;

impl Dialect for Pipe {
    fn hear(message: Heard<'_>) -> Result<Wish, Malformed> {
        Ok(Wish::Keys(match message {
            Heard::Text(text) => text.as_bytes().to_vec(),
            Heard::Binary(bytes) => bytes.to_vec(),
        }))
    }

    fn end(_: ExitStatus) -> Option<Said> {
        None
    }

    fn problem(_: &Problem) -> Option<Said> {
        None
    }

    fn tells_signals(&self) -> bool {
        false
    }

    fn tell(&mut self, message: HostMessage, picture: &mut Picture, said: &mut Vec<Said>) {
        let piece = match message {
            HostMessage::Snapshot { at, last, bytes } => picture.snapshot(at, last, &bytes),
            HostMessage::Output { at, bytes } => picture.output(at + bytes.len(), &bytes),
            HostMessage::Resized(_) => return picture.resized(),
            _ => return,
        };
        if !piece.text.is_empty() {
            said.push(Said::Binary(piece.text.into_bytes()));
        }
    }
}

#[cfg(test)]
mod tests {
    use model::{Offset, TermSize};
    use protocol::{Exited, Resized};

    use super::*;

    #[test]
    fn every_message_is_typed() {
        for message in [Heard::Text("l\u{e9}\r"), Heard::Binary("l\u{e9}\r".as_bytes())] {
            assert_eq!(Pipe::hear(message), Ok(Wish::Keys(b"l\xc3\xa9\r".to_vec())));
        }
    }

    #[test]
    fn a_client_gets_only_output() {
        let (mut picture, mut said) = (Picture::default(), Vec::new());
        let status = ExitStatus::Exited { code: 0 };
        for message in [
            HostMessage::Snapshot { at: Offset(3), last: true, bytes: b"\x1bcone\x1b[6n".to_vec() },
            HostMessage::Output { at: Offset(3), bytes: b"two\xe6\xbc".to_vec() },
            HostMessage::Output { at: Offset(8), bytes: Vec::new() },
            HostMessage::Resized(Resized { size: TermSize::MIN, owner: None }),
            HostMessage::Output { at: Offset(8), bytes: b"\xa2".to_vec() },
            HostMessage::Exited(Exited { status, at: jiff::Timestamp::UNIX_EPOCH }),
        ] {
            Pipe.tell(message, &mut picture, &mut said);
        }
        let shown = ["\x1bcone", "two", "\u{6f22}"].map(|text| Said::Binary(text.into()));
        assert_eq!(said, shown, "no question, whole characters, no message about the end");
        assert_eq!(Pipe::end(status), None);
    }
}
