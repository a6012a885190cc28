//! The numbers of a control sequence.

use crate::head::Numbers;
use crate::visitor::Function;

/// So many numbers of a sequence count, and as many sub-numbers; the rest is passed over.
const MAX_PARAMS: usize = 32;

/// Numbers of so many digits do not overflow.
const SAFE_DIGITS: usize = 9;

/// Numbers stop growing here: far beyond every screen, far from overflow.
const LARGE: i32 = 100_000_000;

/// The numbers between `CSI` and the final byte: `38:5:1;4` has the number 38 with two sub-numbers, then 4.
#[derive(Debug)]
pub struct Params {
    items: [i32; 2 * MAX_PARAMS],
    /// Which items are sub-numbers of the number before them.
    subs: u64,
    len: usize,
    mains: usize,
    /// Where digits go: past the limit they go nowhere.
    open: bool,
}

impl Default for Params {
    fn default() -> Params {
        Params { items: [0; 2 * MAX_PARAMS], subs: 0, len: 1, mains: 1, open: true }
    }
}

impl Params {
    /// Reads the plain and frequent form at once: numbers with semicolons, then a final byte. Anything else, and
    /// what is unfinished, gives `None`.
    #[inline(always)]
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Option<(Function, usize)> {
        let mut mains = 0;
        let mut number: i32 = 0;
        let mut start = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            let digit = byte.wrapping_sub(b'0');
            if digit < 10 {
                number = number.wrapping_mul(10).wrapping_add(i32::from(digit));
                continue;
            }
            if at - start > SAFE_DIGITS || mains == MAX_PARAMS {
                return None;
            }
            self.items[mains] = number;
            mains += 1;
            number = 0;
            start = at + 1;
            if byte == b';' {
                continue;
            }
            if !(0x40..0x7f).contains(&byte) {
                return None;
            }
            (self.subs, self.len, self.mains, self.open) = (0, mains, mains, true);
            return Some((Function { last: byte, ..Function::default() }, at + 1));
        }
        None
    }

    /// The numbers, if none has sub-numbers.
    #[inline]
    pub fn plain(&self) -> Option<&[i32]> {
        if self.subs == 0 { self.items.get(..self.len) } else { None }
    }

    /// Past the last number that counts there is nothing a sub-number could belong to.
    fn room_for_sub(&self) -> bool {
        self.open || self.mains < MAX_PARAMS
    }

    /// The numbers in order, each with its sub-numbers; a missing sub-number is -1.
    #[inline]
    pub fn iter(&self) -> Iter<'_> {
        Iter { params: self, at: 0 }
    }

    /// A number, or zero when it is missing.
    #[inline]
    pub fn get(&self, index: usize) -> u32 {
        let item = if self.subs == 0 {
            if index < self.len { self.items[index] } else { 0 }
        } else {
            self.iter().nth(index).map_or(0, |(number, _)| number)
        };
        item.max(0) as u32
    }

    /// A count: missing and zero mean one.
    #[inline]
    pub fn count(&self, index: usize) -> usize {
        self.get(index).max(1) as usize
    }
}

impl Numbers for Params {
    #[inline]
    fn clear(&mut self) {
        self.items[0] = 0;
        self.subs = 0;
        self.len = 1;
        self.mains = 1;
        self.open = true;
    }

    #[inline]
    fn digit(&mut self, digit: u8) {
        if self.open {
            let item = &mut self.items[self.len - 1];
            if *item < LARGE {
                *item = (*item).max(0) * 10 + i32::from(digit);
            }
        }
    }

    #[inline]
    fn next(&mut self) {
        self.open = self.mains < MAX_PARAMS;
        if self.open {
            self.items[self.len] = 0;
            self.len += 1;
            self.mains += 1;
        }
    }

    fn next_sub(&mut self) {
        self.open =
            self.mains <= MAX_PARAMS && self.subs.count_ones() < MAX_PARAMS as u32 && self.room_for_sub();
        if self.open {
            self.items[self.len] = -1;
            self.subs |= 1 << self.len;
            self.len += 1;
        }
    }
}

/// See [`Params::iter`].
#[derive(Debug)]
pub struct Iter<'a> {
    params: &'a Params,
    at: usize,
}

impl<'a> Iterator for Iter<'a> {
    type Item = (i32, &'a [i32]);

    #[inline]
    fn next(&mut self) -> Option<(i32, &'a [i32])> {
        let Params { items, subs, len, .. } = self.params;
        if self.at >= *len {
            return None;
        }
        let number = items[self.at];
        let start = self.at + 1;
        let mut end = start;
        while end < *len && subs >> end & 1 == 1 {
            end += 1;
        }
        self.at = end;
        Some((number, &items[start..end]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Vec<(i32, Vec<i32>)> {
        let mut params = Params::default();
        for byte in text.bytes() {
            match byte {
                b';' => params.next(),
                b':' => params.next_sub(),
                digit => params.digit(digit - b'0'),
            }
        }
        params.iter().map(|(number, subs)| (number, subs.to_vec())).collect()
    }

    #[test]
    fn parameters_and_sub_parameters_are_read() {
        assert_eq!(parse(""), [(0, vec![])]);
        assert_eq!(parse(";5"), [(0, vec![]), (5, vec![])]);
        assert_eq!(parse("38:2::1:20;4:3"), [(38, vec![2, -1, 1, 20]), (4, vec![3])]);
    }

    #[test]
    fn the_number_of_parameters_is_bounded() {
        assert_eq!(parse(&"1;".repeat(500)).len(), MAX_PARAMS);
        assert_eq!(parse(&"1:".repeat(500))[0].1.len(), MAX_PARAMS);
        assert!(parse(&"9".repeat(500))[0].0 > 1000);
        parse(&"1;2:3:".repeat(500));
    }
}
