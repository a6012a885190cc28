//! Where sequences begin and end, as the host's terminal model reads them.

use super::csi;

/// ESC begins a sequence and ends whatever it stands in.
pub(super) const ESC: u8 = 0x1b;

/// ENQ asks for an answerback, anywhere.
pub(super) const ENQ: u8 = 0x05;

const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;

/// Longer operating-system commands are dropped, by the model too: none that passes is that long.
const MAX_OSC_BYTES: usize = 64 << 10;

/// More than any sequence of numbers needs; a longer one is dropped.
pub(super) const MAX_HEAD_BYTES: usize = 1024;

/// How far the grammar has come in a sequence. It keeps the bytes that belong to the sequence, from its ESC on.
#[derive(Debug, Default)]
pub(super) struct Grammar {
    state: State,
    sequence: Vec<u8>,
    /// Bytes of the sequence are missing: it is dropped when it ends.
    overlong: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Rest,
    Escape,
    Csi,
    /// A control sequence with bytes that cannot stand where they do: it means nothing to its end.
    CsiMalformed,
    Osc,
    /// A device-control string up to its function.
    DcsHead,
    DcsBody,
    /// SOS, PM or APC.
    OtherString,
}

/// What some bytes completed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing, or something that is never shown.
    Nothing,
    /// A character of text.
    Character(char),
    /// A control character inside a sequence, which works before the sequence does.
    Control(u8),
    /// A sequence: the very bytes that were taken in.
    SequenceHere,
    /// A sequence in its seven-bit form, without anything that does not belong to it.
    Sequence(Vec<u8>),
}

impl Grammar {
    #[inline]
    pub(super) fn is_at_rest(&self) -> bool {
        self.state == State::Rest
    }

    /// Takes in the ASCII that `bytes` begins with, or some of it; says how many bytes that was.
    pub(super) fn take(&mut self, bytes: &[u8]) -> (usize, Found) {
        if self.is_at_rest()
            && let Some(length) = whole_sequence_len(bytes)
        {
            return (length, Found::SequenceHere);
        }
        if matches!(self.state, State::Osc | State::DcsBody | State::OtherString) {
            let length = bytes.iter().take_while(|byte| (0x20..0x7f).contains(*byte)).count();
            if length > 0 {
                self.take_string(&bytes[..length]);
                return (length, Found::Nothing);
            }
        }
        (1, self.take_byte(bytes[0]))
    }

    fn take_byte(&mut self, byte: u8) -> Found {
        match (byte, self.state) {
            (ESC, state) => {
                let found = if state == State::Osc { self.end(b"\x1b\\") } else { Found::Nothing };
                self.begin(State::Escape, b"\x1b");
                found
            }
            (BEL, State::Osc) => self.end(b"\x07"),
            (CAN | SUB, _) => {
                self.state = State::Rest;
                Found::Control(byte)
            }
            (ENQ, _) => Found::Nothing,
            (0..=0x1f, State::Rest | State::Escape | State::Csi | State::CsiMalformed) => {
                Found::Control(byte)
            }
            (0..=0x1f, _) => Found::Nothing,
            (_, State::Rest) => Found::Character(char::from(byte)),
            (_, State::Escape) => self.take_in_escape(byte),
            (_, State::Csi) => self.take_in_csi(byte),
            (0x40..=0x7e, State::CsiMalformed) => {
                self.state = State::Rest;
                Found::Nothing
            }
            (_, State::CsiMalformed) => Found::Nothing,
            (_, State::DcsHead) => {
                self.take_in_dcs_head(byte);
                Found::Nothing
            }
            (_, State::Osc | State::DcsBody | State::OtherString) => {
                self.take_string(&[byte]);
                Found::Nothing
            }
        }
    }

    /// Takes in a part of a string. Only commands are ever shown; nothing of the other strings is kept.
    fn take_string(&mut self, part: &[u8]) {
        if self.state == State::Osc {
            self.append(part, MAX_OSC_BYTES);
        }
    }

    /// Takes in a character beyond ASCII.
    pub(super) fn take_character(&mut self, c: char) -> Found {
        match (c, self.state) {
            ('\u{80}'..='\u{9f}', _) => self.take_c1(c),
            (_, State::Rest) => Found::Character(c),
            (_, State::Osc | State::DcsBody) => {
                self.take_string(c.encode_utf8(&mut [0; 4]).as_bytes());
                Found::Nothing
            }
            (_, State::CsiMalformed) => Found::Nothing,
            (_, State::Escape | State::Csi | State::DcsHead | State::OtherString) => {
                self.state = State::Rest;
                Found::Nothing
            }
        }
    }

    /// C1 controls are the short form of an ESC and a letter, and are read and shown as that.
    fn take_c1(&mut self, c: char) -> Found {
        match (c, self.state) {
            ('\u{9c}', State::Osc) => return self.end(b"\x1b\\"),
            ('\u{90}', _) => self.begin(State::DcsHead, b"\x1bP"),
            ('\u{9b}', _) => self.begin(State::Csi, b"\x1b["),
            ('\u{9d}', _) => self.begin(State::Osc, b"\x1b]"),
            ('\u{98}' | '\u{9e}' | '\u{9f}', _) => self.begin(State::OtherString, b""),
            _ => {
                self.state = State::Rest;
                return match c {
                    // Index, next line, tab stop: the model obeys no others.
                    '\u{84}' => Found::Sequence(b"\x1bD".to_vec()),
                    '\u{85}' => Found::Sequence(b"\x1bE".to_vec()),
                    '\u{88}' => Found::Sequence(b"\x1bH".to_vec()),
                    _ => Found::Nothing,
                };
            }
        }
        Found::Nothing
    }

    fn take_in_escape(&mut self, byte: u8) -> Found {
        let bare = self.sequence.len() == 1;
        match byte {
            b'[' if bare => self.begin(State::Csi, b"\x1b["),
            b']' if bare => self.begin(State::Osc, b"\x1b]"),
            b'P' if bare => self.begin(State::DcsHead, b"\x1bP"),
            b'X' | b'^' | b'_' if bare => self.begin(State::OtherString, b""),
            0x20..=0x2f => self.append(&[byte], MAX_HEAD_BYTES),
            0x30..=0x7e => return self.end(&[byte]),
            _ => {}
        }
        Found::Nothing
    }

    fn take_in_csi(&mut self, byte: u8) -> Found {
        match byte {
            0x20..=0x3f if csi::cannot_follow(&self.sequence[2..], byte) => self.state = State::CsiMalformed,
            0x20..=0x3f => self.append(&[byte], MAX_HEAD_BYTES),
            0x40..=0x7e => return self.end(&[byte]),
            _ => {}
        }
        Found::Nothing
    }

    fn take_in_dcs_head(&mut self, byte: u8) {
        match byte {
            0x20..=0x3f if csi::cannot_follow(&self.sequence[2..], byte) => self.state = State::DcsBody,
            0x20..=0x3f => self.append(&[byte], MAX_HEAD_BYTES),
            0x40..=0x7e => self.state = State::DcsBody,
            _ => {}
        }
    }

    fn begin(&mut self, state: State, introducer: &[u8]) {
        self.state = state;
        self.overlong = false;
        self.sequence.clear();
        self.sequence.extend_from_slice(introducer);
    }

    fn append(&mut self, bytes: &[u8], most: usize) {
        if self.overlong || self.sequence.len() + bytes.len() > most {
            self.overlong = true;
        } else {
            self.sequence.extend_from_slice(bytes);
        }
    }

    fn end(&mut self, last: &[u8]) -> Found {
        self.state = State::Rest;
        // Handed over, so that the room of a long sequence is not kept.
        let mut sequence = std::mem::take(&mut self.sequence);
        sequence.extend_from_slice(last);
        if self.overlong { Found::Nothing } else { Found::Sequence(sequence) }
    }
}

/// The length of the sequence that `bytes` begins with, if it is one without a string and wholly here.
#[inline]
fn whole_sequence_len(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [ESC, b'[', body @ ..] => {
            let last = body.iter().position(|byte| !(0x20..=0x3f).contains(byte))?;
            ((0x40..=0x7e).contains(&body[last]) && last + 2 <= MAX_HEAD_BYTES).then_some(last + 3)
        }
        [ESC, b'P' | b'X' | b']' | b'^' | b'_', ..] => None,
        [ESC, 0x30..=0x7e, ..] => Some(2),
        [ESC, 0x20..=0x2f, 0x30..=0x7e, ..] => Some(3),
        _ => None,
    }
}
