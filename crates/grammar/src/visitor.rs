//! What a stream consists of, and the trait that is told about it.

use std::ops::Range;

use crate::params::Params;

/// Is told what a stream consists of, in the stream's order.
///
/// Places are ranges of byte positions. Those of text, characters, controls, sequences, strings and void bytes follow
/// each other without a gap. Only the controls that a program prints inside a sequence lie within the place of that
/// sequence; they work at once, so they come first.
pub trait Visitor {
    /// Whether the numbers of control sequences are read. A visitor that does not look at them saves that work, and
    /// is given [`Params`] that mean nothing.
    const READS_NUMBERS: bool = true;

    /// Whether the text of such strings is kept until they end. What is not kept is empty in [`ControlString::text`].
    fn keeps(kind: StringKind) -> bool;

    /// Reads by itself from the front of `bytes`, which begin at position `at`, outside of any sequence. Says how many
    /// bytes it took; the grammar reads on from there. For things that a visitor handles faster when it sees several
    /// of them at once.
    #[inline(always)]
    fn shortcut(&mut self, _bytes: &[u8], _at: u64) -> usize {
        0
    }

    /// Whether to stop reading after the thing that was visited last. See [`Grammar::feed`](crate::Grammar::feed).
    #[inline(always)]
    fn stops(&self) -> bool {
        false
    }

    /// Printable ASCII, never empty, from position `at` on. A split of the stream may cut it into several calls.
    fn text(&mut self, text: &[u8], at: u64);

    /// Any other printable character.
    fn character(&mut self, c: char, place: Range<u64>);

    /// A control character: C0, or C1 in its two bytes of UTF-8. Introducers and terminators are not among them.
    fn control(&mut self, control: u8, place: Range<u64>);

    /// An escape sequence: `ESC … final`.
    fn escape(&mut self, sequence: Sequence<'_>);

    /// A control sequence: `CSI … final`.
    fn sequence(&mut self, params: &Params, sequence: Sequence<'_>);

    /// A string begins; its introducer is at `introducer`.
    #[inline(always)]
    fn string_begins(&mut self, _kind: StringKind, _introducer: Range<u64>) {}

    /// The next bytes of a string, which follow the introducer and each other without a gap. All of them come, also
    /// those that do not belong to the string's text. What ends the string is not among them.
    #[inline(always)]
    fn string_part(&mut self, _bytes: &[u8]) {}

    /// A string ended, for any reason.
    fn string_ends(&mut self, string: ControlString<'_>);

    /// Bytes that mean nothing.
    #[inline(always)]
    fn void(&mut self, _void: Void, _place: Range<u64>) {}
}

/// Which function a sequence names: private prefix, intermediate byte and final byte, zero where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// One of `<=>?`.
    pub prefix: u8,
    /// A byte between space and slash; 0xff for two or more, which no known function has.
    pub intermediate: u8,
    /// The final byte.
    pub last: u8,
}

/// A whole sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence<'a> {
    /// What it asks for.
    pub function: Function,
    /// Its bytes in the seven-bit form, from ESC to the final byte, without anything that does not belong to it.
    pub bytes: &'a [u8],
    /// From its introducer to its final byte.
    pub place: Range<u64>,
}

/// The kinds of control strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringKind {
    /// OSC: a command to the system around the terminal.
    System,
    /// DCS: a device control string.
    Device,
    /// SOS, PM and APC.
    Other,
}

/// A string that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlString<'a> {
    /// Which kind it is.
    pub kind: StringKind,
    /// What a device control string asks for.
    pub function: Function,
    /// Its text, without the numbers and the function of a device control string. A string that was too long has a
    /// number or function in its place that means nothing.
    pub text: &'a [u8],
    /// How it ended. `None` if it was aborted or malformed: it means nothing.
    pub terminator: Option<Terminator>,
    /// From its introducer to its terminator. An ESC that ends a string is the beginning of the next sequence.
    pub place: Range<u64>,
}

/// What ends a control string. An answer to it ends the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// BEL, which ends an OSC.
    Bell,
    /// ESC, or ST as a C1 control.
    St,
}

impl Terminator {
    /// How it is written, in seven bits.
    pub fn as_str(self) -> &'static str {
        match self {
            Terminator::Bell => "\x07",
            Terminator::St => "\x1b\\",
        }
    }
}

/// Why bytes mean nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Void {
    /// They are no character in UTF-8, or a byte order mark.
    Invalid,
    /// DEL, or a string terminator with no string before it.
    Idle,
    /// A sequence that did not reach its final byte.
    Aborted,
    /// A control sequence with bytes that cannot stand where they do, or with too many.
    Malformed,
}
