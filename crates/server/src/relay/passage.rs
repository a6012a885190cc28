//! Decides which frames of a browser reach a host.

use model::{TokenId, display_safe};
use protocol::{Attach, Decoder, FrameError, HEADER_BYTES, Refusal, Refused, ViewerMessage};

use super::Closing;

/// The most lines of history that a browser may request. The host reads them from its recording each time, and with
/// more lines a page would need too much memory. Older lines are in the view of the past.
const MOST_HISTORY: u32 = 20_000;

/// Decides for each frame of a browser whether it reaches the host.
///
/// A host obeys every process of the user, but a browser's token may permit less. So only the messages that a viewer
/// needs pass. For a token that may only watch, no message that changes anything passes.
#[derive(Debug)]
pub(super) struct Passage {
    /// The viewer's name in the host's list of viewers and in its log.
    actor: String,
    /// The token, so that the host can end everything that hangs on it.
    principal: Option<String>,
    may_drive: bool,
    attached: bool,
}

/// What to do with a frame.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Send it to the host unchanged.
    Pass,
    /// Send this frame instead.
    Replace(Vec<u8>),
    /// Send nothing to the host, and do not tell the browser.
    Drop,
    /// Send nothing to the host, and send the browser this refusal.
    Refuse(Refused),
}

impl Passage {
    pub(super) fn new(actor: &str, may_drive: bool) -> Passage {
        Passage { actor: display_safe(actor), principal: None, may_drive, attached: false }
    }

    /// The same, for the viewers of a token.
    pub(super) fn of_token(self, token: TokenId) -> Passage {
        Passage { principal: Some(token.to_string()), ..self }
    }

    /// Decides about a message, which must be one whole frame.
    ///
    /// # Errors
    ///
    /// When it is not one whole frame. The socket must be closed.
    pub(super) fn judge(&mut self, message: &[u8]) -> Result<Verdict, Closing> {
        // A frame of an unknown kind is ignored, as a host would do.
        let Some(message) = read(message)? else { return Ok(Verdict::Drop) };
        Ok(match message {
            ViewerMessage::Attach(_) if self.attached => {
                refuse(Refusal::BadMessage, "this viewer is already attached")
            }
            ViewerMessage::Attach(attach) => {
                self.attached = true;
                Verdict::Replace(ViewerMessage::Attach(self.within_rights(attach)).to_bytes())
            }
            ViewerMessage::Shutdown
            | ViewerMessage::Kill(_)
            | ViewerMessage::Lease
            | ViewerMessage::Upgrade(_)
            | ViewerMessage::Withdraw(_)
            | ViewerMessage::Status
            | ViewerMessage::Rows => {
                refuse(Refusal::BadMessage, "the server does not pass this kind of message to hosts")
            }
            _ if !self.attached => {
                refuse(Refusal::BadMessage, "send Attach first; the server dropped this message")
            }
            ViewerMessage::Input(_) if !self.may_drive => {
                refuse(Refusal::ReadOnly, "this token may only watch")
            }
            ViewerMessage::Resize(_) | ViewerMessage::Focus if !self.may_drive => Verdict::Drop,
            ViewerMessage::Input(_)
            | ViewerMessage::Resize(_)
            | ViewerMessage::Focus
            | ViewerMessage::Ack(_)
            | ViewerMessage::Ping(_)
            | ViewerMessage::Redraw => Verdict::Pass,
        })
    }

    fn within_rights(&self, attach: Attach) -> Attach {
        let name = match attach.name.trim() {
            "" => self.actor.clone(),
            name => format!("{}: {}", self.actor, display_safe(name)),
        };
        Attach {
            read_only: attach.read_only || !self.may_drive,
            history: attach.history.min(MOST_HISTORY),
            name,
            // With the actor in front, a token cannot use another token's typist and close its connection.
            typist: attach
                .typist
                .filter(|typist| !typist.is_empty())
                .map(|typist| format!("{}/{typist}", self.actor)),
            // For viewers that look at the screen now and then; a browser has all output.
            prints: false,
            // A browser speaks only for its own token.
            principal: self.principal.clone(),
            ..attach
        }
    }
}

/// Reads the message of the one frame in `bytes`.
fn read(bytes: &[u8]) -> Result<Option<ViewerMessage>, Closing> {
    let mut decoder = Decoder::default();
    decoder.push(bytes);
    let frame = match decoder.next_frame() {
        Ok(Some(frame)) if frame.payload.len() + HEADER_BYTES == bytes.len() => frame,
        Ok(_) => return Err(Closing::malformed("each message must be one whole frame")),
        Err(FrameError::TooLong { .. }) => return Err(Closing::TooLong),
    };
    ViewerMessage::read(frame).map_err(|error| Closing::malformed(display_safe(&error.to_string())))
}

fn refuse(code: Refusal, message: &str) -> Verdict {
    Verdict::Refuse(Refused { code, message: message.into() })
}

#[cfg(test)]
mod tests {
    use model::{Epoch, Offset, TermSize};
    use proptest::prelude::*;
    use protocol::{Frame, MAX_PAYLOAD_BYTES, Upgrade, Withdraw};

    use super::*;

    fn attach() -> Attach {
        Attach {
            epoch: Some(Epoch(1)),
            since: Some(Offset(7)),
            history: 5,
            size: Some(TermSize::clamped(80, 24)),
            ack: true,
            events: true,
            ..Attach::full("a tab\x1b[31m")
        }
    }

    fn attached(may_drive: bool) -> (Passage, Attach) {
        let mut passage = Passage::new("me/0z0z789a", may_drive);
        let verdict = passage.judge(&ViewerMessage::Attach(attach()).to_bytes()).unwrap();
        let Verdict::Replace(frame) = verdict else { panic!("{verdict:?}") };
        let Ok(Some(ViewerMessage::Attach(passed))) = read(&frame) else {
            panic!("no Attach reaches the host")
        };
        (passage, passed)
    }

    fn every_message() -> Vec<ViewerMessage> {
        vec![
            ViewerMessage::Input(b"x".to_vec()),
            ViewerMessage::Resize(TermSize::MIN),
            ViewerMessage::Focus,
            ViewerMessage::Ack(Offset(7)),
            ViewerMessage::Ping(7),
            ViewerMessage::Redraw,
            ViewerMessage::Attach(attach()),
            ViewerMessage::Shutdown,
            ViewerMessage::Kill(9),
            ViewerMessage::Lease,
            ViewerMessage::Upgrade(Upgrade { program: "/bin/true".into() }),
            ViewerMessage::Withdraw(Withdraw { principal: "another".into() }),
            ViewerMessage::Status,
            ViewerMessage::Rows,
        ]
    }

    /// The verdict on every message, as a word.
    fn verdicts(passage: &mut Passage) -> Vec<&'static str> {
        let word = |message: ViewerMessage| match passage.judge(&message.to_bytes()).unwrap() {
            Verdict::Pass => "pass",
            Verdict::Replace(_) => "replace",
            Verdict::Drop => "drop",
            Verdict::Refuse(Refused { code: Refusal::ReadOnly, .. }) => "read-only",
            Verdict::Refuse(_) => "refuse",
        };
        every_message().into_iter().map(word).collect()
    }

    #[test]
    fn a_token_that_may_drive_can_send_only_messages_that_a_viewer_needs() {
        let (mut passage, passed) = attached(true);
        assert_eq!(passed, Attach { name: "me/0z0z789a: a tab\u{fffd}[31m".into(), ..attach() });
        let (pass, refuse) = (["pass"; 6], ["refuse"; 8]);
        assert_eq!(verdicts(&mut passage), [&pass[..], &refuse].concat());
    }

    #[test]
    fn s9_a_token_that_may_only_watch_cannot_change_anything() {
        let (mut passage, passed) = attached(false);
        assert!(passed.read_only);
        let first = ["read-only", "drop", "drop", "pass", "pass", "pass"];
        assert_eq!(verdicts(&mut passage), [&first[..], &["refuse"; 8]].concat());
    }

    #[test]
    fn s9_messages_before_attach_are_refused() {
        let mut passage = Passage::new("me", true);
        let mut before = every_message();
        before.retain(|message| !matches!(message, ViewerMessage::Attach(_)));
        for message in before {
            let verdict = passage.judge(&message.to_bytes()).unwrap();
            assert!(matches!(verdict, Verdict::Refuse(_)), "{message:?}: {verdict:?}");
        }
    }

    #[test]
    fn s12_history_is_bounded() {
        let mut passage = Passage::new("me", true);
        let greedy = ViewerMessage::Attach(Attach { history: u32::MAX, name: " ".into(), ..attach() });
        let Ok(Verdict::Replace(frame)) = passage.judge(&greedy.to_bytes()) else {
            panic!("no Attach reaches the host")
        };
        let modest = Attach { history: MOST_HISTORY, name: "me".into(), ..attach() };
        assert_eq!(frame, ViewerMessage::Attach(modest).to_bytes());
    }

    #[test]
    fn s19_a_browser_speaks_only_for_its_own_token() {
        let forged = Attach { principal: Some("another".into()), ..attach() };
        assert_eq!(Passage::new("me", true).within_rights(forged.clone()).principal, None);
        let token = TokenId::from_random([1; 8]);
        let passage = Passage::new("me", true).of_token(token);
        assert_eq!(passage.within_rights(forged).principal, Some(token.to_string()));
    }

    #[test]
    fn an_empty_typist_is_none_so_two_tabs_do_not_close_each_other() {
        for (sent, passed) in [(Some(""), None), (Some("tab"), Some("me/tab")), (None, None)] {
            let attach = Attach { typist: sent.map(str::to_owned), ..attach() };
            let got = Passage::new("me", true).within_rights(attach).typist;
            assert_eq!(got.as_deref(), passed);
        }
    }

    #[test]
    fn v3_a_message_that_is_not_one_whole_frame_closes_the_socket() {
        let ping = ViewerMessage::Ping(7).to_bytes();
        let two = [&ping[..], &ping].concat();
        let bad = [0x13, 1, 0, 0, 0, b'{'];
        for message in [&b""[..], b"\x10", &ping[..ping.len() - 1], &two, &bad, b"\x11\x02\0\0\0ab"] {
            let judged = Passage::new("me", true).judge(message);
            assert!(matches!(judged, Err(Closing::Malformed(_))), "{}: {judged:?}", message.escape_ascii());
        }
        let length = u32::try_from(MAX_PAYLOAD_BYTES).unwrap() + 1;
        let long = [&[0x10][..], &length.to_le_bytes()].concat();
        assert_eq!(Passage::new("me", true).judge(&long), Err(Closing::TooLong));
    }

    #[test]
    fn u2_frames_of_unknown_kinds_are_ignored() {
        let mut frame = Vec::new();
        Frame { kind: 0x7f, payload: b"anything" }.write(&mut frame);
        assert_eq!(Passage::new("me", true).judge(&frame), Ok(Verdict::Drop));
    }

    proptest! {
        #[test]
        fn s9_no_bytes_of_a_token_that_may_only_watch_become_input(
            messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..20),
            kinds in prop::collection::vec(0x10..0x20_u8, 20),
        ) {
            let (mut passage, _) = attached(false);
            for (kind, payload) in kinds.into_iter().zip(messages) {
                let mut frame = Vec::new();
                Frame { kind, payload: &payload }.write(&mut frame);
                match passage.judge(&frame) {
                    Ok(Verdict::Pass) => prop_assert!([0x14, 0x17, 0x18].contains(&kind), "{kind:#x}"),
                    Ok(Verdict::Replace(_)) => prop_assert!(false, "{kind:#x}"),
                    Ok(Verdict::Drop | Verdict::Refuse(_)) | Err(_) => {}
                }
            }
        }
    }
}
