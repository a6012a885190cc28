//! Bytes in, actions on the shadow out: the control-sequence grammar, as `terminal` has it.
//!
//! Invalid UTF-8 is dropped, C1 controls count when they come as UTF-8, and a control string ends at any ESC. Every
//! character and every string is handed on with its position.

mod printable;

use crate::shadow::Shadow;
use crate::strings::{Kind, StringText};
use printable::printable_len;

/// Which function a sequence names: private prefix, intermediate byte and final byte, zero where there is none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Function {
    pub(crate) prefix: u8,
    pub(crate) intermediate: u8,
    pub(crate) last: u8,
}

/// More numbers than any sequence that matters here has.
const MAX_PARAMS: usize = 32;
/// Larger numbers than any screen has.
const MAX_PARAM: usize = 99_999;

/// The numbers of a control sequence.
#[derive(Debug, Default)]
pub(crate) struct Params {
    values: [usize; MAX_PARAMS],
    count: usize,
    /// Inside of what follows a colon, which nothing here asks for.
    in_sub: bool,
}

impl Params {
    #[inline]
    fn clear(&mut self) {
        self.values[..=self.count.min(MAX_PARAMS - 1)].fill(0);
        (self.count, self.in_sub) = (0, false);
    }

    #[inline(always)]
    fn push(&mut self, byte: u8) {
        match byte {
            b';' => (self.count, self.in_sub) = (self.count + 1, false),
            b':' => self.in_sub = true,
            _ if self.in_sub => {}
            _ => {
                if let Some(value) = self.values.get_mut(self.count) {
                    *value = (*value * 10 + usize::from(byte - b'0')).min(MAX_PARAM);
                }
            }
        }
    }

    /// A number, 0 where there is none.
    pub(crate) fn get(&self, index: usize) -> usize {
        self.values.get(index).copied().unwrap_or(0)
    }

    /// A number that counts something: at least 1.
    pub(crate) fn count(&self, index: usize) -> usize {
        self.get(index).max(1)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.values.iter().copied().take(self.count + 1)
    }
}

/// Printed by nobody.
const BYTE_ORDER_MARK: char = '\u{feff}';

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ground,
    Escape,
    Csi,
    /// A malformed CSI is skipped to its final byte.
    CsiIgnore,
    String,
}

#[derive(Debug)]
pub(crate) struct Parser {
    state: State,
    params: Params,
    function: Function,
    string: StringText,
    /// Where the unfinished sequence began.
    began: u64,
    /// The first bytes of a character, and how many.
    partial: [u8; 4],
    partial_len: usize,
}

impl Default for Parser {
    fn default() -> Parser {
        Parser {
            state: State::Ground,
            params: Params::default(),
            function: Function::default(),
            string: StringText::default(),
            began: 0,
            partial: [0; 4],
            partial_len: 0,
        }
    }
}

impl Parser {
    /// Takes in bytes, of which the first is at position `start`.
    pub(crate) fn feed(&mut self, bytes: &[u8], start: u64, shadow: &mut Shadow) {
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            let position = start + at as u64;
            if self.partial_len > 0 {
                at += usize::from(self.complete(byte, position, shadow));
            } else if byte >= 0x80 {
                at += self.beyond_ascii(&bytes[at..], position, shadow);
            } else if self.state == State::Ground {
                at += self.ground(&bytes[at..], position, shadow);
            } else {
                at += self.inside(&bytes[at..], position, shadow);
            }
        }
    }

    /// Where an unfinished sequence or character began.
    pub(crate) fn unfinished_from(&self, end: u64) -> u64 {
        let sequence = if self.state == State::Ground { end } else { self.began };
        sequence.min(end - self.partial_len as u64)
    }

    #[inline(always)]
    fn ground(&mut self, bytes: &[u8], at: u64, shadow: &mut Shadow) -> usize {
        match bytes[0] {
            0x20..0x7f => {
                let done = stretch(bytes, at, shadow);
                if done > 0 {
                    return done;
                }
                let len = printable_len(bytes);
                shadow.print_ascii(&bytes[..len], at);
                len
            }
            0x1b => {
                if bytes.get(1) == Some(&b'[')
                    && let Some(len) = self.whole_sequence(&bytes[2..], shadow)
                {
                    return 2 + len;
                }
                self.begin(State::Escape, at);
                1
            }
            0x7f => 1,
            control => {
                shadow.control(control);
                1
            }
        }
    }

    /// A control sequence without anything unusual in it, if all of it is here; says how long it is.
    #[inline(always)]
    fn whole_sequence(&mut self, bytes: &[u8], shadow: &mut Shadow) -> Option<usize> {
        let mut end = 0;
        while (b'0'..=b';').contains(bytes.get(end)?) {
            end += 1;
        }
        let last = bytes[end];
        match last {
            b'm' => {
                shadow.styled();
                return Some(end + 1);
            }
            0x40..=0x7e => {}
            _ => return None,
        }
        self.params.clear();
        for &byte in &bytes[..end] {
            self.params.push(byte);
        }
        shadow.sequence(&self.params, Function { prefix: 0, intermediate: 0, last });
        Some(end + 1)
    }

    fn begin(&mut self, state: State, at: u64) {
        self.state = state;
        self.began = at;
        self.function = Function::default();
        self.params.clear();
    }

    fn begin_string(&mut self, kind: Kind, at: u64, text_at: u64) {
        self.begin(State::String, at);
        self.string.begin(kind, text_at);
    }

    /// A byte that may complete a character; says whether it belongs to it.
    fn complete(&mut self, byte: u8, at: u64, shadow: &mut Shadow) -> bool {
        if byte & 0xc0 != 0x80 {
            self.partial_len = 0;
            return false;
        }
        self.partial[self.partial_len] = byte;
        self.partial_len += 1;
        if self.partial_len == length(self.partial[0]) {
            let (bytes, len) = (self.partial, self.partial_len);
            self.partial_len = 0;
            let first = at + 1 - len as u64;
            match decoded(&bytes[..len]) {
                Some(c) => self.character(c, first, len, shadow),
                None => self.string_bytes(&bytes[..len]),
            }
        }
        true
    }

    /// The character that `bytes` begins with, which is not ASCII; says how many bytes are done.
    #[inline(always)]
    fn beyond_ascii(&mut self, bytes: &[u8], at: u64, shadow: &mut Shadow) -> usize {
        if let [a @ 0xe0..=0xef, b @ 0x80..=0xbf, c @ 0x80..=0xbf, ..] = *bytes
            && self.state == State::Ground
            && let Some(character) = decoded(&[a, b, c])
            && character != BYTE_ORDER_MARK
        {
            let times = bytes.chunks_exact(3).take_while(|three| **three == [a, b, c]).count();
            match times {
                1 => shadow.print_char(character, at, 3),
                _ => shadow.print_same(character, at, 3, times),
            }
            return 3 * times;
        }
        let len = length(bytes[0]);
        let whole = bytes.iter().take(len).skip(1).take_while(|&&byte| byte & 0xc0 == 0x80).count() + 1;
        if whole == len && len > 1 {
            match decoded(&bytes[..len]) {
                Some(c) => self.character(c, at, len, shadow),
                None => self.string_bytes(&bytes[..len]),
            }
        } else if whole == bytes.len() && len > 1 {
            self.partial[..whole].copy_from_slice(bytes);
            self.partial_len = whole;
        } else {
            self.string_bytes(&bytes[..whole]);
        }
        whole
    }

    /// What stands in a string keeps its distance from the string's beginning, valid or not.
    fn string_bytes(&mut self, bytes: &[u8]) {
        if self.state == State::String {
            self.string.push(bytes);
        }
    }

    fn character(&mut self, c: char, at: u64, len: usize, shadow: &mut Shadow) {
        match c as u32 {
            control @ 0x80..=0x9f => self.c1(control as u8, at, shadow),
            _ if self.state == State::Ground && c != BYTE_ORDER_MARK => shadow.print_char(c, at, len),
            _ if self.state == State::String => {
                if self.string.ends_at_other_characters() {
                    self.end_string(shadow);
                } else {
                    self.string.push(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
            _ if self.state != State::CsiIgnore => self.state = State::Ground,
            _ => {}
        }
    }

    fn c1(&mut self, control: u8, at: u64, shadow: &mut Shadow) {
        if self.state == State::String {
            self.end_string(shadow);
        }
        self.state = State::Ground;
        match control {
            0x90 => self.begin_string(Kind::Device, at, at + 2),
            0x9b => self.begin(State::Csi, at),
            0x9d => self.begin_string(Kind::System, at, at + 2),
            0x98 | 0x9e | 0x9f => self.begin_string(Kind::Other, at, at + 2),
            0x9c => {}
            _ => shadow.control(control),
        }
    }

    /// Handles the ASCII that `bytes` begins with, inside a sequence; says how many bytes that was.
    fn inside(&mut self, bytes: &[u8], at: u64, shadow: &mut Shadow) -> usize {
        let byte = bytes[0];
        match (byte, self.state) {
            (0x1b, _) => {
                if self.state == State::String {
                    self.end_string(shadow);
                }
                self.begin(State::Escape, at);
            }
            (0x18 | 0x1a, _) => {
                if self.state == State::String {
                    self.end_string(shadow);
                }
                self.state = State::Ground;
            }
            (0x07, State::String) if self.string.ends_at_bell() => self.end_string(shadow),
            (_, State::String) => {
                let len = bytes.iter().position(|byte| ends_text(*byte)).unwrap_or(bytes.len()).max(1);
                self.string.push(&bytes[..len]);
                return len;
            }
            (0..=0x1f, _) => shadow.control(byte),
            (_, State::Escape) => self.in_escape(byte, at, shadow),
            (_, State::Csi) => self.in_csi(byte, shadow),
            (0x40..=0x7e, State::CsiIgnore) => self.state = State::Ground,
            _ => {}
        }
        1
    }

    fn in_escape(&mut self, byte: u8, at: u64, shadow: &mut Shadow) {
        let (intermediate, began) = (self.function.intermediate, self.began);
        match byte {
            0x20..=0x2f => self.function.intermediate = if intermediate == 0 { byte } else { 0xff },
            b'[' if intermediate == 0 => self.begin(State::Csi, began),
            b']' if intermediate == 0 => self.begin_string(Kind::System, began, at + 1),
            b'P' if intermediate == 0 => self.begin_string(Kind::Device, began, at + 1),
            b'X' | b'^' | b'_' if intermediate == 0 => self.begin_string(Kind::Other, began, at + 1),
            0x30..=0x7e => {
                self.state = State::Ground;
                shadow.escape(intermediate, byte);
            }
            _ => {}
        }
    }

    fn in_csi(&mut self, byte: u8, shadow: &mut Shadow) {
        let first = self.params.count == 0 && self.params.values[0] == 0 && self.function.prefix == 0;
        match byte {
            0x40..=0x7e => {
                self.state = State::Ground;
                self.function.last = byte;
                shadow.sequence(&self.params, self.function);
            }
            b'0'..=b';' if self.function.intermediate == 0 => self.params.push(byte),
            b'<'..=b'?' if first && self.function.intermediate == 0 => self.function.prefix = byte,
            0x20..=0x2f => {
                let more = self.function.intermediate != 0;
                self.function.intermediate = if more { 0xff } else { byte };
            }
            0x30..=0x3f => self.state = State::CsiIgnore,
            _ => {}
        }
    }

    fn end_string(&mut self, shadow: &mut Shadow) {
        self.state = State::Ground;
        shadow.styled();
        self.string.end(shadow);
    }

    /// Looks at a string that has not ended yet.
    pub(crate) fn look(&mut self, shadow: &mut Shadow) {
        if self.state == State::String {
            self.string.end(shadow);
        }
    }
}

/// Prints the ASCII and the colours that `bytes` begins with, as far as they go on in one row; says how many bytes that
/// was. None is no mistake: all of it can be done one by one, too.
#[inline(always)]
fn stretch(bytes: &[u8], start: u64, shadow: &mut Shadow) -> usize {
    let Some(mut pen) = shadow.pen() else { return 0 };
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        if byte == 0x1b {
            let len = style_len(rest);
            if len == 0 {
                break;
            }
            pen.styled();
            at += len;
        } else {
            let len = printable_len(rest);
            if len == 0 || !pen.print(&rest[..len], start + at as u64, 1) {
                break;
            }
            at += len;
        }
    }
    at
}

/// How long the sequence is that `bytes` begins with, if it is a whole one that says how text looks and nothing else.
#[inline(always)]
fn style_len(bytes: &[u8]) -> usize {
    let [0x1b, b'[', rest @ ..] = bytes else { return 0 };
    let mut len = 0;
    while let Some(b'0'..=b';') = rest.get(len) {
        len += 1;
    }
    if rest.get(len) == Some(&b'm') { len + 3 } else { 0 }
}

/// Whether a byte of a string is not simply a part of its text.
fn ends_text(byte: u8) -> bool {
    byte >= 0x80 || matches!(byte, 0x07 | 0x18 | 0x1a | 0x1b)
}

/// How many bytes a character has, by its first one.
fn length(first: u8) -> usize {
    match first {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => 1,
    }
}

#[inline]
fn decoded(bytes: &[u8]) -> Option<char> {
    let bits = |byte: u8| u32::from(byte & 0x3f);
    let (code, smallest) = match *bytes {
        [a, b] => (u32::from(a & 0x1f) << 6 | bits(b), 0x80),
        [a, b, c] => (u32::from(a & 0xf) << 12 | bits(b) << 6 | bits(c), 0x800),
        [a, b, c, d] => (u32::from(a & 7) << 18 | bits(b) << 12 | bits(c) << 6 | bits(d), 0x1_0000),
        _ => return None,
    };
    char::from_u32(code).filter(|_| code >= smallest)
}
