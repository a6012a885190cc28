//! Bytes in, actions out: the control-sequence grammar.
//!
//! The state machine is the one every terminal shares (DEC's, with UTF-8 decoded in front of it), as the web
//! viewer runs it: invalid UTF-8 is dropped, C1 controls count when they come as UTF-8, a control string ends at
//! any ESC. Whole sequences within one chunk take a shortcut; the rest goes byte by byte. Either way the parser can
//! say at any time which bytes it holds of something unfinished.

use crate::params::Params;
use crate::utf8::{self, Decoded};

/// What the parser found.
pub(crate) trait Actions {
    /// Printable ASCII, never empty.
    fn print_ascii(&mut self, text: &[u8]);
    /// Any other character.
    fn print_char(&mut self, c: char);
    /// A control character: C0, or C1 (0x80–0x9f).
    fn execute(&mut self, control: u8);
    fn csi(&mut self, params: &Params, function: Function);
    fn esc(&mut self, function: Function);
    /// An operating-system command, without its introducer and terminator.
    fn osc(&mut self, data: &[u8], end: StringEnd);
    /// A device-control string.
    fn dcs(&mut self, function: Function, data: &[u8]);
}

/// How a control string ended; an answer to it ends the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StringEnd {
    Bell,
    Terminator,
}

/// Which function a sequence names: private prefix, intermediate byte and final byte, zero where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) prefix: u8,
    pub(crate) intermediate: u8,
    pub(crate) last: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ground,
    Escape,
    Csi,
    /// A malformed CSI is skipped to its final byte.
    CsiIgnore,
    Osc,
    DcsHead,
    DcsIgnore,
    DcsBody,
    /// SOS, PM or APC: nothing in it is for us.
    OtherString,
}

/// Longer control strings are dropped. Titles, links and reports are far shorter; pictures and clipboard
/// contents, which nobody here shows, are longer.
const MAX_STRING: usize = 64 << 10;

/// More bytes than any sequence of numbers needs; further ones are dropped.
const MAX_CSI: usize = 1024;

/// Where the C1 controls end.
const FIRST_PRINTABLE: char = '\u{a0}';

/// More than this is not kept allocated between sequences.
const KEEP_CAPACITY: usize = 1024;

pub(crate) struct Parser {
    state: State,
    /// The unfinished sequence, from its ESC on, without the controls that were executed inside it.
    sequence: Vec<u8>,
    /// Where a device-control string's data begins in `sequence`.
    data_at: usize,
    /// The string grew too long and means nothing any more.
    overlong: bool,
    partial: utf8::Partial,
    params: Params,
}

impl Default for Parser {
    fn default() -> Parser {
        Parser {
            state: State::Ground,
            sequence: Vec::new(),
            data_at: 0,
            overlong: false,
            partial: utf8::Partial::default(),
            params: Params::default(),
        }
    }
}

impl Parser {
    pub(crate) fn feed(&mut self, bytes: &[u8], actions: &mut impl Actions) {
        let mut at = self.complete_character(bytes, actions);
        while at < bytes.len() {
            let byte = bytes[at];
            if byte >= 0x80 {
                match utf8::decode(&bytes[at..]) {
                    Decoded::Char(c, len) => {
                        at += len;
                        if self.state == State::Ground && c >= FIRST_PRINTABLE {
                            actions.print_char(c);
                        } else {
                            self.wide(c, actions);
                        }
                    }
                    Decoded::Invalid(len) => at += len,
                    Decoded::Unfinished(partial) => {
                        self.partial = partial;
                        return;
                    }
                }
            } else if self.state == State::Ground {
                at += self.ground(&bytes[at..], actions);
            } else {
                at += self.inside(&bytes[at..], actions);
            }
        }
    }

    /// Takes from `bytes` what was missing of a character; says how many bytes that was.
    #[inline]
    fn complete_character(&mut self, bytes: &[u8], actions: &mut impl Actions) -> usize {
        let mut at = 0;
        while !self.partial.is_empty() && at < bytes.len() {
            match self.partial.push(bytes[at]) {
                utf8::Pushed::Char(c) => self.wide(c, actions),
                utf8::Pushed::More | utf8::Pushed::Dropped => {}
                utf8::Pushed::Refused => break,
            }
            at += 1;
        }
        at
    }

    /// The bytes of an unfinished sequence and character; fed to a terminal at rest, they bring it where we are.
    pub(crate) fn unfinished(&self) -> impl Iterator<Item = u8> + '_ {
        let sequence: &[u8] = if self.state == State::Ground { &[] } else { &self.sequence };
        sequence.iter().chain(self.partial.bytes()).copied()
    }

    /// Handles the ASCII that `bytes` begins with, at rest; says how many bytes that was.
    #[inline(always)]
    fn ground(&mut self, bytes: &[u8], actions: &mut impl Actions) -> usize {
        match bytes[0] {
            0x20..0x7f => {
                let len = printable_len(bytes);
                actions.print_ascii(&bytes[..len]);
                len
            }
            0x1b => self.escape(bytes, actions),
            0x7f => 1,
            control => {
                actions.execute(control);
                1
            }
        }
    }

    /// An ESC: the whole sequence at once if it is here and well-formed, else its first byte.
    #[inline(always)]
    fn escape(&mut self, bytes: &[u8], actions: &mut impl Actions) -> usize {
        match bytes.get(1) {
            Some(b'[') => {
                if let Some((function, len)) =
                    self.params.read(&bytes[2..]).or_else(|| csi(&mut self.params, &bytes[2..]))
                {
                    actions.csi(&self.params, function);
                    return 2 + len;
                }
            }
            Some(&last @ (b'0'..=b'O' | b'Q'..=b'W' | b'Y' | b'Z' | b'\\' | b'`'..=b'~')) => {
                actions.esc(Function { last, ..Function::default() });
                return 2;
            }
            _ => {}
        }
        self.begin(State::Escape, b"\x1b");
        1
    }

    fn begin(&mut self, state: State, introducer: &[u8]) {
        self.state = state;
        self.overlong = false;
        if self.sequence.capacity() > KEEP_CAPACITY {
            self.sequence = Vec::new();
        }
        self.sequence.clear();
        self.sequence.extend_from_slice(introducer);
    }

    /// A character beyond ASCII.
    fn wide(&mut self, c: char, actions: &mut impl Actions) {
        match c as u32 {
            control @ 0x80..=0x9f => self.c1(control as u8, actions),
            _ => match self.state {
                State::Ground => actions.print_char(c),
                State::Osc | State::DcsBody => {
                    self.append(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                State::CsiIgnore | State::DcsIgnore => {}
                State::Escape | State::Csi | State::DcsHead | State::OtherString => {
                    self.state = State::Ground;
                }
            },
        }
    }

    fn c1(&mut self, control: u8, actions: &mut impl Actions) {
        match (control, self.state) {
            (0x9c, State::Osc) => self.end_osc(StringEnd::Terminator, actions),
            (0x9c, State::DcsBody) => self.end_dcs(actions),
            (0x9c, _) => self.state = State::Ground,
            (0x90, _) => self.begin(State::DcsHead, b"\x1bP"),
            (0x9b, _) => self.begin(State::Csi, b"\x1b["),
            (0x9d, _) => self.begin(State::Osc, b"\x1b]"),
            (0x98 | 0x9e | 0x9f, _) => self.begin(State::OtherString, b"\x1b_"),
            _ => {
                self.state = State::Ground;
                actions.execute(control);
            }
        }
    }

    /// Handles the ASCII that `bytes` begins with, inside a sequence; says how many bytes that was.
    fn inside(&mut self, bytes: &[u8], actions: &mut impl Actions) -> usize {
        let byte = bytes[0];
        match (byte, self.state) {
            (0x07, State::Osc) => self.end_osc(StringEnd::Bell, actions),
            (0x1b, _) => {
                match self.state {
                    State::Osc => self.end_osc(StringEnd::Terminator, actions),
                    State::DcsBody => self.end_dcs(actions),
                    _ => {}
                }
                self.begin(State::Escape, b"\x1b");
            }
            // CAN and SUB abort whatever it is.
            (0x18 | 0x1a, _) => {
                self.state = State::Ground;
                actions.execute(byte);
            }
            (0..=0x1f, State::Escape | State::Csi | State::CsiIgnore) => actions.execute(byte),
            (0..=0x1f, State::DcsBody) => self.append(&[byte]),
            (0..=0x1f, _) => {}
            (_, State::Escape) => self.in_escape(byte, actions),
            (_, State::Csi) => self.in_csi(byte, actions),
            (0x40..=0x7e, State::CsiIgnore) => self.state = State::Ground,
            (_, State::DcsHead) => self.in_dcs_head(byte),
            (_, State::Osc) => {
                let len = printable_len(bytes).max(1);
                self.append(&bytes[..len]);
                return len;
            }
            (0x20..=0x7e, State::DcsBody) => {
                let len = printable_len(bytes);
                self.append(&bytes[..len]);
                return len;
            }
            _ => {}
        }
        1
    }

    fn in_escape(&mut self, byte: u8, actions: &mut impl Actions) {
        let intermediates = self.sequence.len() > 1;
        match byte {
            0x20..=0x2f => self.append_head(byte),
            b'[' if !intermediates => self.begin(State::Csi, b"\x1b["),
            b']' if !intermediates => self.begin(State::Osc, b"\x1b]"),
            b'P' if !intermediates => self.begin(State::DcsHead, b"\x1bP"),
            b'X' | b'^' | b'_' if !intermediates => self.begin(State::OtherString, b"\x1b_"),
            0x30..=0x7e => {
                self.state = State::Ground;
                let intermediate = match self.sequence[1..] {
                    [] => 0,
                    [one] => one,
                    _ => UNKNOWN,
                };
                actions.esc(Function { prefix: 0, intermediate, last: byte });
            }
            _ => {}
        }
    }

    fn in_csi(&mut self, byte: u8, actions: &mut impl Actions) {
        match byte {
            0x40..=0x7e => {
                self.state = State::Ground;
                self.sequence.push(byte);
                if let Some((function, _)) = csi(&mut self.params, &self.sequence[2..]) {
                    actions.csi(&self.params, function);
                }
            }
            0x20..=0x3f => {
                self.append_head(byte);
                if malformed(&self.sequence[2..]) {
                    self.state = State::CsiIgnore;
                }
            }
            _ => {}
        }
    }

    fn in_dcs_head(&mut self, byte: u8) {
        match byte {
            0x40..=0x7e => {
                self.state = State::DcsBody;
                self.sequence.push(byte);
                self.data_at = self.sequence.len();
            }
            0x20..=0x3f => {
                self.append_head(byte);
                if malformed(&self.sequence[2..]) {
                    self.state = State::DcsIgnore;
                }
            }
            _ => {}
        }
    }

    fn append_head(&mut self, byte: u8) {
        if self.sequence.len() < MAX_CSI {
            self.sequence.push(byte);
        }
    }

    /// Adds to a string. One that grows too long is replaced by one that means nothing, in us and in a viewer.
    fn append(&mut self, bytes: &[u8]) {
        if self.overlong {
            return;
        }
        if self.sequence.len() + bytes.len() <= MAX_STRING {
            return self.sequence.extend_from_slice(bytes);
        }
        let nothing: &[u8] = if self.state == State::DcsBody { b"\x1bPx" } else { b"\x1b]x" };
        self.begin(self.state, nothing);
        self.data_at = nothing.len();
        self.overlong = true;
    }

    fn end_osc(&mut self, end: StringEnd, actions: &mut impl Actions) {
        self.state = State::Ground;
        actions.osc(&self.sequence[2..], end);
    }

    fn end_dcs(&mut self, actions: &mut impl Actions) {
        self.state = State::Ground;
        let (head, data) = self.sequence.split_at(self.data_at);
        if let Some((function, _)) = csi(&mut self.params, &head[2..]) {
            actions.dcs(function, data);
        }
    }
}

/// Stands for two or more intermediate bytes, which no function we know has.
const UNKNOWN: u8 = 0xff;

/// Reads numbers, intermediate and final byte; `None` if they are unfinished, malformed or have other bytes
/// among them.
fn csi(params: &mut Params, bytes: &[u8]) -> Option<(Function, usize)> {
    params.clear();
    let mut function = Function::default();
    let mut at = 0;
    if let Some(&prefix @ b'<'..=b'?') = bytes.first() {
        function.prefix = prefix;
        at = 1;
    }
    loop {
        let byte = *bytes.get(at)?;
        at += 1;
        match byte {
            b'0'..=b'9' => params.digit(byte - b'0'),
            b';' => params.next(),
            b':' => params.next_sub(),
            0x40..=0x7e => {
                function.last = byte;
                return Some((function, at));
            }
            0x20..=0x2f => {
                function.intermediate = byte;
                break;
            }
            _ => return None,
        }
    }
    loop {
        let byte = *bytes.get(at)?;
        at += 1;
        match byte {
            0x40..=0x7e => {
                function.last = byte;
                return Some((function, at));
            }
            0x20..=0x2f => function.intermediate = UNKNOWN,
            _ => return None,
        }
    }
}

/// True when the newest byte cannot stand where it does: a prefix after the start, a number after an
/// intermediate.
fn malformed(head: &[u8]) -> bool {
    match head {
        [before @ .., b'<'..=b'?'] => !before.is_empty(),
        [.., before, b'0'..=b';'] => (0x20..=0x2f).contains(before),
        _ => false,
    }
}

/// How many bytes of printable ASCII `bytes` begins with.
#[inline]
fn printable_len(bytes: &[u8]) -> usize {
    let mut len = 0;
    while let Some(word) = bytes.get(len..len + 8) {
        let word = u64::from_le_bytes(word.try_into().unwrap_or_default());
        let other = not_printable(word);
        if other != 0 {
            return len + other.trailing_zeros() as usize / 8;
        }
        len += 8;
        // After a first word, more often follow. Without a branch inside, the compiler looks at all bytes of a
        // block at once.
        while let Some(block) = bytes.get(len..len + BLOCK)
            && !block.iter().fold(false, |other, byte| other | !(0x20..0x7f).contains(byte))
        {
            len += BLOCK;
        }
    }
    len + bytes[len..].iter().take_while(|byte| (0x20..0x7f).contains(*byte)).count()
}

/// Bytes that are looked at together.
const BLOCK: usize = 32;

/// Sets the top bit of each byte that is no printable ASCII, as far as the first such byte.
#[inline]
const fn not_printable(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x80 * ONES;
    let control = word.wrapping_sub(0x20 * ONES) & !word;
    let delete = (word ^ (0x7f * ONES)).wrapping_sub(ONES);
    (word | control | delete) & TOPS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_runs_end_at_the_first_other_byte() {
        let text = b"abcdefghij ~!@#$%^&*".repeat(5);
        for stop in [0u8, 0x1b, 0x1f, 0x7f, 0x80, 0xff] {
            for at in 0..text.len() {
                let mut bytes = text.clone();
                bytes[at] = stop;
                assert_eq!(printable_len(&bytes), at, "{stop:#x} at {at}");
            }
        }
        assert_eq!(printable_len(&text), text.len());
    }
}
