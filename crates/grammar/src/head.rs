//! What stands between the introducer and the final byte of a sequence: prefix, numbers, intermediate bytes.

use crate::visitor::Function;

/// Takes the numbers of a sequence, byte by byte.
pub(crate) trait Numbers {
    /// Back to a single zero, which is what a sequence without numbers has.
    fn clear(&mut self);
    /// A digit of the newest number.
    fn digit(&mut self, digit: u8);
    /// A semicolon: the next number.
    fn next(&mut self);
    /// A colon: the next sub-number.
    fn next_sub(&mut self);
}

/// Passes over the numbers.
pub(crate) struct Unread;

impl Numbers for Unread {
    #[inline(always)]
    fn clear(&mut self) {}
    #[inline(always)]
    fn digit(&mut self, _digit: u8) {}
    #[inline(always)]
    fn next(&mut self) {}
    #[inline(always)]
    fn next_sub(&mut self) {}
}

/// Stands for two or more intermediate bytes, which no function we know has.
pub(crate) const SEVERAL: u8 = 0xff;

/// Reads what follows the introducer, up to the final byte; says how many bytes that was. `None` if it is unfinished,
/// malformed or has other bytes among it.
#[inline]
pub(crate) fn read(numbers: &mut impl Numbers, bytes: &[u8]) -> Option<(Function, usize)> {
    numbers.clear();
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
            b'0'..=b'9' => numbers.digit(byte - b'0'),
            b';' => numbers.next(),
            b':' => numbers.next_sub(),
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
            0x20..=0x2f => function.intermediate = SEVERAL,
            _ => return None,
        }
    }
}

/// Whether the newest byte cannot stand where it does: a prefix after the start, a number after an intermediate.
pub(crate) fn is_malformed(head: &[u8]) -> bool {
    match head {
        [before @ .., b'<'..=b'?'] => !before.is_empty(),
        [.., before, b'0'..=b';'] => (0x20..=0x2f).contains(before),
        _ => false,
    }
}
