//! Control sequences: `CSI … final`.

use grammar::plain_sequence;

use crate::modes::{self, Kind};
use crate::verdict::{Source, Verdict};

/// A control sequence, taken apart. Prefix and intermediate are zero where there is none.
pub(crate) struct Csi<'a> {
    pub(crate) prefix: u8,
    pub(crate) numbers: &'a [u8],
    pub(crate) intermediate: u8,
    pub(crate) last: u8,
}

impl Csi<'_> {
    /// The numbers as they are written: each may have sub-numbers after a colon, which say nothing about it here.
    pub(crate) fn items(&self) -> impl Iterator<Item = &[u8]> {
        self.numbers.split(|&byte| byte == b';')
    }
}

/// The length of the frequent kind of sequence, introducer included, that `bytes` begins with: one of plain numbers
/// that only draws, and so passes.
#[inline]
pub(crate) fn drawing_len(bytes: &[u8]) -> Option<usize> {
    plain_sequence(bytes).filter(|&(_, last)| only_draws(0, 0, last)).map(|(len, _)| len)
}

/// Judges what follows the introducer, up to the final byte.
pub(crate) fn judge(body: &[u8], source: Source) -> Verdict {
    let Some(csi) = read(body) else { return Verdict::Drop };
    match (csi.prefix, csi.intermediate, csi.last) {
        (0, 0, b'h' | b'l') => modes::judge(&csi, Kind::Ansi, source),
        (b'?', 0, b'h' | b'l') => modes::judge(&csi, Kind::Private, source),
        // Erasing beyond the screen (3) would take the scrollback of the person before it.
        (0 | b'?', 0, b'J') => {
            let most = if source == Source::ForEmulator { 3 } else { 2 };
            Verdict::pass_if(csi.items().next().is_none_or(|item| number(item) <= most))
        }
        (prefix, intermediate, last) => Verdict::pass_if(only_draws(prefix, intermediate, last)),
    }
}

/// Whether a function does nothing but draw, move the cursor or choose how keys are sent. Those that are not here
/// ask, print, resize, have effects elsewhere, or mean nothing to the model.
#[inline]
fn only_draws(prefix: u8, intermediate: u8, last: u8) -> bool {
    match (prefix, intermediate) {
        (0, 0) => {
            matches!(last, b'@'..=b'I' | b'K'..=b'M' | b'P' | b'S' | b'T' | b'X' | b'Z' | b'`' | b'a' | b'b'
            | b'd'..=b'g' | b'm' | b'r' | b's' | b'u')
        }
        (b'?', 0) => last == b'K',
        // The keyboard protocols of kitty and xterm.
        (b'>', 0) => matches!(last, b'u' | b'm' | b'n'),
        (b'<' | b'=', 0) => last == b'u',
        (0, b' ') => matches!(last, b'q' | b'@' | b'A'),
        (0, b'!') => last == b'p',
        (0, b'"') => last == b'q',
        (0, b'\'') => matches!(last, b'}' | b'~'),
        _ => false,
    }
}

fn read(body: &[u8]) -> Option<Csi<'_>> {
    let (&last, head) = body.split_last()?;
    let (prefix, head) = match head {
        [prefix @ b'<'..=b'?', rest @ ..] => (*prefix, rest),
        _ => (0, head),
    };
    let end = head.iter().position(|byte| !(b'0'..=b';').contains(byte)).unwrap_or(head.len());
    let (numbers, intermediates) = head.split_at(end);
    let intermediate = match intermediates {
        [] => 0,
        [one @ 0x20..=0x2f] => *one,
        _ => return None,
    };
    Some(Csi { prefix, numbers, intermediate, last })
}

/// The number an item stands for. One that overflows is larger than any that means something.
pub(crate) fn number(item: &[u8]) -> u32 {
    let digits = item.split(|&byte| byte == b':').next().unwrap_or_default();
    digits.iter().fold(0u32, |number, digit| {
        number.saturating_mul(10).saturating_add(u32::from(digit.wrapping_sub(b'0')))
    })
}
