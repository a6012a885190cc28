//! The state machine: bytes in, calls of a visitor out.
//!
//! Whole sequences within one chunk take a shortcut; the rest goes byte by byte. Either way the grammar can say at any
//! time which bytes it holds of something unfinished.

mod inside;
mod strings;

use std::ops::Range;

use crate::head::{self, Unread};
use crate::params::Params;
use crate::scan::printable_len;
use crate::utf8::{self, Decoded, Partial};
use crate::visitor::{Function, Sequence, StringKind, Visitor, Void};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    Escape,
    Csi,
    /// A malformed CSI means nothing up to its final byte.
    CsiIgnore,
    Osc,
    /// A DCS up to its function.
    DcsHead,
    /// A malformed DCS means nothing up to its end.
    DcsIgnore,
    DcsBody,
    /// SOS, PM or APC.
    OtherString,
}

/// A string with more bytes means nothing; introducer, numbers and text count. Titles, links and reports are far
/// shorter. Pictures and clipboard contents, which no visitor here shows, are longer.
pub const MAX_STRING: usize = 64 << 10;

/// A sequence with more bytes before its final byte means nothing. No sequence of numbers needs so many.
pub const MAX_HEAD: usize = 1024;

/// Where the C1 controls end.
pub(crate) const FIRST_PRINTABLE: char = '\u{a0}';

/// More than this is not kept allocated between sequences.
const KEEP_CAPACITY: usize = 1024;

/// Reads a stream, in any split. See the [crate] for the rules.
#[derive(Debug, Default)]
pub struct Grammar {
    state: State,
    /// The unfinished sequence in its seven-bit form, from its ESC on, without the controls inside it.
    held: Vec<u8>,
    /// Where a device control string's text begins in `held`.
    text_at: usize,
    /// Whether the text of the unfinished string goes into `held`: the visitor wants it, and it is not too long.
    keeps: bool,
    partial: Partial,
    params: Params,
    /// Where the unfinished sequence began.
    began: u64,
    /// How many bytes were fed.
    position: u64,
}

impl Grammar {
    /// Reads `bytes` and tells `visitor` what they complete. Says how many bytes it read: all of them, unless the
    /// visitor [stopped](Visitor::stops) it.
    pub fn feed<V: Visitor>(&mut self, bytes: &[u8], visitor: &mut V) -> usize {
        let start = self.position;
        let mut at = self.complete_character(bytes, visitor);
        while at < bytes.len() && !visitor.stops() {
            let here = start + at as u64;
            if self.state == State::Ground {
                let taken = visitor.shortcut(&bytes[at..], here);
                if taken > 0 {
                    at += taken;
                    continue;
                }
            }
            if bytes[at] >= 0x80 {
                match utf8::decode(&bytes[at..]) {
                    Decoded::Char(c, len) => {
                        at += len;
                        if self.state == State::Ground && c >= FIRST_PRINTABLE {
                            visitor.character(c, here..here + len as u64);
                        } else {
                            self.beyond_ascii(c, &bytes[at - len..at], here, visitor);
                        }
                    }
                    Decoded::Invalid(len) => {
                        at += len;
                        self.invalid(&bytes[at - len..at], here, visitor);
                    }
                    Decoded::Unfinished(partial) => {
                        self.partial = partial;
                        at = bytes.len();
                    }
                }
            } else if self.state == State::Ground {
                at += self.ground(&bytes[at..], here, visitor);
            } else {
                at += self.inside(&bytes[at..], here, visitor);
            }
        }
        self.position = start + at as u64;
        at
    }

    /// How many bytes were read so far.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Whether nothing is unfinished.
    #[inline]
    pub fn is_at_rest(&self) -> bool {
        self.state == State::Ground && self.partial.is_empty()
    }

    /// Where the unfinished sequence or character began; the position if there is none.
    pub fn unfinished_from(&self) -> u64 {
        match self.state {
            State::Ground => self.position - self.partial.bytes().len() as u64,
            _ => self.began,
        }
    }

    /// The bytes of an unfinished sequence and character. Fed to a grammar or a terminal at rest, they bring it where
    /// this one is. Of a string that the visitor does not keep, only the introducer is there.
    pub fn unfinished(&self) -> impl Iterator<Item = u8> + '_ {
        let sequence: &[u8] = if self.state == State::Ground { &[] } else { &self.held };
        sequence.iter().chain(self.partial.bytes()).copied()
    }

    /// Takes the missing bytes of a character from `bytes`; returns how many.
    #[inline]
    fn complete_character(&mut self, bytes: &[u8], visitor: &mut impl Visitor) -> usize {
        let mut at = 0;
        while !self.partial.is_empty() && at < bytes.len() {
            let before = self.partial;
            let first = self.position + at as u64 - before.bytes().len() as u64;
            match self.partial.push(bytes[at]) {
                utf8::Pushed::Char(c) => {
                    self.beyond_ascii(c, c.encode_utf8(&mut [0; 4]).as_bytes(), first, visitor);
                }
                utf8::Pushed::More => {}
                utf8::Pushed::Dropped => {
                    let whole = [before.bytes(), &bytes[at..=at]].concat();
                    self.invalid(&whole, first, visitor);
                }
                utf8::Pushed::Refused => {
                    self.invalid(before.bytes(), first, visitor);
                    break;
                }
            }
            at += 1;
        }
        at
    }

    /// Bytes that are no character belong to what they stand in and have no effect on it.
    #[cold]
    fn invalid(&mut self, bytes: &[u8], at: u64, visitor: &mut impl Visitor) {
        match self.state {
            State::Ground => visitor.void(Void::Invalid, at..at + bytes.len() as u64),
            _ if self.unfinished_string().is_some() => visitor.string_part(bytes),
            _ => {}
        }
    }

    /// Handles the ASCII that `bytes` begins with, at rest; says how many bytes that was.
    #[inline(always)]
    fn ground(&mut self, bytes: &[u8], at: u64, visitor: &mut impl Visitor) -> usize {
        match bytes[0] {
            0x20..0x7f => {
                let len = printable_len(bytes);
                visitor.text(&bytes[..len], at);
                len
            }
            0x1b => self.escape(bytes, at, visitor),
            0x7f => {
                visitor.void(Void::Idle, at..at + 1);
                1
            }
            control => {
                visitor.control(control, at..at + 1);
                1
            }
        }
    }

    /// An ESC: the whole sequence at once if it is here and well-formed, else its first byte.
    #[inline(always)]
    fn escape<V: Visitor>(&mut self, bytes: &[u8], at: u64, visitor: &mut V) -> usize {
        let sequence =
            |function, len| Sequence { function, bytes: &bytes[..len], place: at..at + len as u64 };
        match bytes.get(1) {
            Some(b'[') => {
                if let Some((function, len)) = self.whole_head::<V>(&bytes[2..]) {
                    visitor.sequence(&self.params, sequence(function, 2 + len));
                    return 2 + len;
                }
            }
            Some(&last @ (b'0'..=b'O' | b'Q'..=b'W' | b'Y' | b'Z' | b'\\' | b'`'..=b'~')) => {
                visitor.escape(sequence(Function { last, ..Function::default() }, 2));
                return 2;
            }
            Some(b']') => {
                self.begin_string(StringKind::System, at..at + 2, visitor);
                return 2;
            }
            Some(&intermediate @ 0x20..=0x2f) => {
                if let Some(&last @ 0x30..=0x7e) = bytes.get(2) {
                    visitor.escape(sequence(Function { prefix: 0, intermediate, last }, 3));
                    return 3;
                }
            }
            _ => {}
        }
        self.begin(State::Escape, b"\x1b", at);
        1
    }

    /// Reads all that follows the introducer of a control sequence, if it is here and well-formed.
    #[inline(always)]
    fn whole_head<V: Visitor>(&mut self, bytes: &[u8]) -> Option<(Function, usize)> {
        let bounded = |&(_, len): &(Function, usize)| len < MAX_HEAD;
        if V::READS_NUMBERS {
            let plain = self.params.read(bytes);
            plain.or_else(|| head::read(&mut self.params, bytes).filter(bounded))
        } else {
            head::read(&mut Unread, bytes).filter(bounded)
        }
    }

    fn begin(&mut self, state: State, introducer: &[u8], at: u64) {
        (self.state, self.began) = (state, at);
        self.hold(introducer);
    }

    /// Holds these bytes, and no others.
    fn hold(&mut self, bytes: &[u8]) {
        if self.held.capacity() > KEEP_CAPACITY {
            self.held = Vec::new();
        }
        self.held.clear();
        self.held.extend_from_slice(bytes);
    }

    /// A character beyond ASCII that is no text: a C1 control, or anything inside a sequence.
    #[inline(never)]
    fn beyond_ascii(&mut self, c: char, bytes: &[u8], at: u64, visitor: &mut impl Visitor) {
        let place = at..at + bytes.len() as u64;
        match (c, self.state) {
            ('\u{80}'..='\u{9f}', _) => self.c1(c as u32 as u8, place, visitor),
            (_, State::Ground) => visitor.character(c, place),
            (_, State::Osc | State::DcsBody) => self.string_text(bytes, visitor),
            (_, State::DcsIgnore) => visitor.string_part(bytes),
            (_, State::CsiIgnore) => {}
            (_, State::Escape | State::Csi | State::DcsHead | State::OtherString) => {
                self.leave(place.end, visitor);
            }
        }
    }

    /// C1 controls are the short form of an ESC and a letter.
    fn c1(&mut self, control: u8, place: Range<u64>, visitor: &mut impl Visitor) {
        if control == 0x9c {
            return match self.state {
                State::Ground => visitor.void(Void::Idle, place),
                _ => self.terminate(place.end, visitor),
            };
        }
        self.leave(place.start, visitor);
        match control {
            0x90 => self.begin_string(StringKind::Device, place, visitor),
            0x9b => self.begin(State::Csi, b"\x1b[", place.start),
            0x9d => self.begin_string(StringKind::System, place, visitor),
            0x98 | 0x9e | 0x9f => self.begin_string(StringKind::Other, place, visitor),
            _ => visitor.control(control, place),
        }
    }
}
