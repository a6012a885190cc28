//! What of a browser's frames reaches a host.

use model::display_safe;
use protocol::{Attach, Decoder, FrameError, HEADER_BYTES, Refusal, Refused, ViewerMessage};

use super::Closing;

/// Lines of history that a browser may ask for. A host reads them from its recording each time, and a page that keeps more
/// takes too much memory; what is older is in the view of the past.
const MOST_HISTORY: u32 = 20_000;

/// Decides, frame by frame, what of a browser's words reaches the host.
///
/// Hosts do what any process of the user asks for. A browser speaks for somebody who may do less, so only what a viewer
/// needs passes; and nothing that could change anything, for one who may only watch.
#[derive(Debug)]
pub(super) struct Passage {
    /// Who it is, for the host's list of viewers and its log.
    actor: String,
    may_drive: bool,
    attached: bool,
}

/// What becomes of a frame.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It goes on as it is.
    Pass,
    /// This goes on in its place.
    Replace(Vec<u8>),
    /// Nothing goes on, and nobody need be told.
    Drop,
    /// Nothing goes on, and the browser is told why.
    Refuse(Refused),
}

impl Passage {
    pub(super) fn new(actor: &str, may_drive: bool) -> Passage {
        Passage { actor: display_safe(actor), may_drive, attached: false }
    }

    /// Judges a message, which is one whole frame.
    ///
    /// # Errors
    ///
    /// When it is none; nothing more is heard from this browser.
    pub(super) fn judge(&mut self, message: &[u8]) -> Result<Verdict, Closing> {
        // A frame of a kind that nobody knows yet is passed over, as a host would.
        let Some(message) = read(message)? else { return Ok(Verdict::Drop) };
        Ok(match message {
            ViewerMessage::Attach(_) if self.attached => {
                refuse(Refusal::BadMessage, "you have attached already")
            }
            ViewerMessage::Attach(attach) => {
                self.attached = true;
                Verdict::Replace(ViewerMessage::Attach(self.within_rights(attach)).to_bytes())
            }
            ViewerMessage::Shutdown
            | ViewerMessage::Kill(_)
            | ViewerMessage::Lease
            | ViewerMessage::Upgrade(_)
            | ViewerMessage::Status => refuse(Refusal::BadMessage, "this is not passed on to hosts"),
            _ if !self.attached => refuse(Refusal::BadMessage, "say Attach first; nothing of this was taken"),
            ViewerMessage::Input(_) if !self.may_drive => refuse(Refusal::ReadOnly, "you may only watch"),
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
            // Nobody closes another's connection by calling himself the same.
            typist: attach.typist.map(|typist| format!("{}/{typist}", self.actor)),
            ..attach
        }
    }
}

/// The message in the one frame that `bytes` are.
fn read(bytes: &[u8]) -> Result<Option<ViewerMessage>, Closing> {
    let mut decoder = Decoder::default();
    decoder.push(bytes);
    let frame = match decoder.next_frame() {
        Ok(Some(frame)) if frame.payload.len() + HEADER_BYTES == bytes.len() => frame,
        Ok(_) => return Err(Closing::malformed("a message is one whole frame")),
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
    use protocol::{Form, Frame, MAX_PAYLOAD_BYTES, Upgrade, VERSION};

    use super::*;

    fn attach() -> Attach {
        Attach {
            version: VERSION,
            epoch: Some(Epoch(1)),
            since: Some(Offset(7)),
            history: 5,
            form: Form::Full,
            read_only: false,
            size: Some(TermSize::clamped(80, 24)),
            ack: true,
            events: true,
            quiet: false,
            typist: None,
            name: "a tab\x1b[31m".into(),
        }
    }

    fn attached(may_drive: bool) -> (Passage, Attach) {
        let mut passage = Passage::new("me/0z0z789a", may_drive);
        let verdict = passage.judge(&ViewerMessage::Attach(attach()).to_bytes()).unwrap();
        let Verdict::Replace(frame) = verdict else { panic!("{verdict:?}") };
        let Ok(Some(ViewerMessage::Attach(passed))) = read(&frame) else { panic!("no Attach goes on") };
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
            ViewerMessage::Status,
        ]
    }

    /// What becomes of every message, in a word.
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
    fn a_driver_gets_through_what_a_viewer_needs_and_nothing_else() {
        let (mut passage, passed) = attached(true);
        assert_eq!(passed, Attach { name: "me/0z0z789a: a tab\u{fffd}[31m".into(), ..attach() });
        let (pass, refuse) = (["pass"; 6], ["refuse"; 6]);
        assert_eq!(verdicts(&mut passage), [pass, refuse].concat());
    }

    #[test]
    fn s9_whoever_may_only_watch_gets_nothing_through_that_changes_anything() {
        let (mut passage, passed) = attached(false);
        assert!(passed.read_only);
        let first = ["read-only", "drop", "drop", "pass", "pass", "pass"];
        assert_eq!(verdicts(&mut passage), [first, ["refuse"; 6]].concat());
    }

    #[test]
    fn s9_what_comes_before_attach_is_not_kept() {
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
            panic!("no Attach goes on")
        };
        let modest = Attach { history: MOST_HISTORY, name: "me".into(), ..attach() };
        assert_eq!(frame, ViewerMessage::Attach(modest).to_bytes());
    }

    #[test]
    fn v3_what_is_not_one_whole_frame_closes_the_socket() {
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
    fn u2_frames_that_nobody_knows_are_passed_over() {
        let mut frame = Vec::new();
        Frame { kind: 0x7f, payload: b"whatever" }.write(&mut frame);
        assert_eq!(Passage::new("me", true).judge(&frame), Ok(Verdict::Drop));
    }

    proptest! {
        #[test]
        fn s9_no_bytes_at_all_become_input_of_one_who_may_only_watch(
            messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..20),
            kinds in prop::collection::vec(0x10..0x1c_u8, 20),
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
