//! Inside a sequence, byte by byte.

use super::{Grammar, MAX_HEAD, State};
use crate::head;
use crate::scan::printable_len;
use crate::visitor::{Function, Sequence, StringKind, Terminator, Visitor, Void};

impl Grammar {
    /// Handles the ASCII that `bytes` begins with, inside a sequence; says how many bytes that was.
    ///
    /// Kept out of the loop that calls it, which is mostly outside of sequences and has few registers to spare.
    #[inline(never)]
    pub(super) fn inside<V: Visitor>(&mut self, bytes: &[u8], at: u64, visitor: &mut V) -> usize {
        let byte = bytes[0];
        match (byte, self.state) {
            (0x07, State::Osc) => self.end_string(Some(Terminator::Bell), at + 1, visitor),
            (0x1b, _) => {
                self.terminate(at, visitor);
                self.begin(State::Escape, b"\x1b", at);
            }
            // CAN and SUB abort every sequence and string.
            (0x18 | 0x1a, _) => {
                self.leave(at, visitor);
                visitor.control(byte, at..at + 1);
            }
            (0..=0x1f, State::Escape | State::Csi | State::CsiIgnore) => visitor.control(byte, at..at + 1),
            (0..=0x1f, State::DcsBody) => self.string_text(&bytes[..1], visitor),
            (0..=0x1f, _) => visitor.string_part(&bytes[..1]),
            (_, State::Escape) => self.in_escape(byte, at, visitor),
            (_, State::Csi) => self.in_csi(byte, at, visitor),
            (0x40..=0x7e, State::CsiIgnore) => {
                self.state = State::Ground;
                visitor.void(Void::Malformed, self.began..at + 1);
            }
            (_, State::DcsHead) => {
                self.in_dcs_head(byte);
                visitor.string_part(&bytes[..1]);
            }
            (_, State::Osc) => {
                let len = printable_len(bytes).max(1);
                self.string_text(&bytes[..len], visitor);
                return len;
            }
            (0x20..=0x7e, State::DcsBody) => {
                let len = printable_len(bytes);
                self.string_text(&bytes[..len], visitor);
                return len;
            }
            (_, State::DcsBody | State::DcsIgnore | State::OtherString) => {
                let len = printable_len(bytes).max(1);
                visitor.string_part(&bytes[..len]);
                return len;
            }
            (_, State::CsiIgnore | State::Ground) => {}
        }
        1
    }

    fn in_escape(&mut self, byte: u8, at: u64, visitor: &mut impl Visitor) {
        let (bare, place) = (self.held.len() == 1, self.began..at + 1);
        match byte {
            0x20..=0x2f => self.hold_in_head(byte),
            b'[' if bare => self.begin(State::Csi, b"\x1b[", self.began),
            b']' if bare => self.begin_string(StringKind::System, place, visitor),
            b'P' if bare => self.begin_string(StringKind::Device, place, visitor),
            b'X' | b'^' | b'_' if bare => self.begin_string(StringKind::Other, place, visitor),
            0x30..=0x7e => {
                self.state = State::Ground;
                let intermediate = match self.held[1..] {
                    [] => 0,
                    [one] => one,
                    _ => head::SEVERAL,
                };
                self.held.push(byte);
                let function = Function { prefix: 0, intermediate, last: byte };
                visitor.escape(Sequence { function, bytes: &self.held, place });
            }
            _ => {}
        }
    }

    fn in_csi(&mut self, byte: u8, at: u64, visitor: &mut impl Visitor) {
        match byte {
            0x40..=0x7e => {
                self.state = State::Ground;
                self.held.push(byte);
                let place = self.began..at + 1;
                match head::read(&mut self.params, &self.held[2..]) {
                    Some((function, _)) => {
                        visitor.sequence(&self.params, Sequence { function, bytes: &self.held, place });
                    }
                    None => visitor.void(Void::Malformed, place),
                }
            }
            0x20..=0x3f => self.hold_in_head(byte),
            _ => {}
        }
    }

    fn in_dcs_head(&mut self, byte: u8) {
        match byte {
            0x40..=0x7e => {
                self.state = State::DcsBody;
                self.held.push(byte);
                self.text_at = self.held.len();
            }
            0x20..=0x3f => self.hold_in_head(byte),
            _ => {}
        }
    }

    /// Takes in a byte before the final one. A head that grows too long is replaced by a malformed one, in us and in
    /// a viewer that is given our unfinished bytes. Intermediates of an escape sequence past the second change nothing.
    fn hold_in_head(&mut self, byte: u8) {
        let overlong = self.held.len() >= MAX_HEAD;
        if !overlong {
            self.held.push(byte);
        }
        let (ignored, malformed) = match self.state {
            State::Csi => (State::CsiIgnore, b"\x1b[0?"),
            State::DcsHead => (State::DcsIgnore, b"\x1bP0?"),
            _ => return,
        };
        if overlong {
            self.hold(malformed);
        }
        if overlong || head::is_malformed(&self.held[2..]) {
            self.state = ignored;
        }
    }
}
