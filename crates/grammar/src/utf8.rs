//! Decodes UTF-8 as xterm.js does: it drops what is invalid, and byte order marks, and puts nothing in their place.

/// What a slice begins with.
#[derive(Debug)]
pub enum Decoded {
    /// A character and its length.
    Char(char, usize),
    /// So many bytes mean nothing.
    Invalid(usize),
    /// The slice ends inside a character.
    Unfinished(Partial),
}

/// The first bytes of a character.
#[derive(Clone, Copy, Debug, Default)]
pub struct Partial {
    bytes: [u8; 4],
    len: u8,
}

/// The result of giving a byte to a [`Partial`].
pub(crate) enum Pushed {
    /// It completed a character.
    Char(char),
    /// It belongs to the character, which is still unfinished.
    More,
    /// It completed something that is no character.
    Dropped,
    /// It does not belong to the character; that is dropped, the byte still to be looked at.
    Refused,
}

/// How many bytes a character has, by its first one.
#[inline]
fn length(first: u8) -> Option<usize> {
    match first {
        0xc0..=0xdf => Some(2),
        0xe0..=0xef => Some(3),
        0xf0..=0xf7 => Some(4),
        _ => None,
    }
}

#[inline(always)]
fn char_of(bytes: &[u8]) -> Option<char> {
    const BYTE_ORDER_MARK: char = '\u{feff}';
    let (code, smallest) = match *bytes {
        [a, b] => (u32::from(a & 0x1f) << 6 | bits(b), 0x80),
        [a, b, c] => (u32::from(a & 0xf) << 12 | bits(b) << 6 | bits(c), 0x800),
        [a, b, c, d] => (u32::from(a & 7) << 18 | bits(b) << 12 | bits(c) << 6 | bits(d), 0x1_0000),
        _ => return None,
    };
    char::from_u32(code).filter(|&c| code >= smallest && c != BYTE_ORDER_MARK)
}

#[inline]
fn bits(continuation: u8) -> u32 {
    u32::from(continuation & 0x3f)
}

/// Decodes the character that `bytes` begins with; its first byte is not ASCII.
#[inline]
pub fn decode(bytes: &[u8]) -> Decoded {
    match *bytes {
        [0xe0..=0xef, b, c, ..] if is_continuation(b) && is_continuation(c) => whole::<3>(bytes),
        [0xc0..=0xdf, b, ..] if is_continuation(b) => whole::<2>(bytes),
        [0xf0..=0xf7, b, c, d, ..] if is_continuation(b) && is_continuation(c) && is_continuation(d) => {
            whole::<4>(bytes)
        }
        _ => cut_short(bytes),
    }
}

/// Decodes as many bytes as their first one promises.
#[inline(always)]
fn whole<const LEN: usize>(bytes: &[u8]) -> Decoded {
    bytes.get(..LEN).and_then(char_of).map_or(Decoded::Invalid(LEN), |c| Decoded::Char(c, LEN))
}

#[inline]
pub(crate) fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// What `bytes` begins with is no whole character.
#[cold]
fn cut_short(bytes: &[u8]) -> Decoded {
    let Some(len) = length(bytes[0]) else { return Decoded::Invalid(1) };
    let here = 1 + bytes.iter().take(len).skip(1).take_while(|byte| is_continuation(**byte)).count();
    if here < bytes.len() {
        return Decoded::Invalid(here);
    }
    let mut partial = Partial { bytes: [0; 4], len: here as u8 };
    partial.bytes[..here].copy_from_slice(bytes);
    Decoded::Unfinished(partial)
}

impl Partial {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    pub(crate) fn push(&mut self, byte: u8) -> Pushed {
        if !is_continuation(byte) {
            self.len = 0;
            return Pushed::Refused;
        }
        self.bytes[usize::from(self.len)] = byte;
        self.len += 1;
        if length(self.bytes[0]) != Some(usize::from(self.len)) {
            return Pushed::More;
        }
        let decoded = char_of(self.bytes());
        self.len = 0;
        decoded.map_or(Pushed::Dropped, Pushed::Char)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8], split: usize) -> String {
        let mut text = String::new();
        let mut partial = Partial::default();
        for part in [&bytes[..split], &bytes[split..]] {
            let mut at = 0;
            while at < part.len() {
                if !partial.is_empty() {
                    match partial.push(part[at]) {
                        Pushed::Char(c) => text.push(c),
                        Pushed::More | Pushed::Dropped => {}
                        Pushed::Refused => continue,
                    }
                    at += 1;
                } else if part[at] < 0x80 {
                    text.push(part[at] as char);
                    at += 1;
                } else {
                    match decode(&part[at..]) {
                        Decoded::Char(c, len) => {
                            text.push(c);
                            at += len;
                        }
                        Decoded::Invalid(len) => at += len,
                        Decoded::Unfinished(rest) => {
                            partial = rest;
                            break;
                        }
                    }
                }
            }
        }
        text
    }

    #[test]
    fn invalid_bytes_vanish_wherever_the_stream_is_split() {
        for (bytes, expected) in [
            ("aé中😀z".as_bytes(), "aé中😀z"),
            (b"a\xffb\xc0\x80c\xe2\x82d\xed\xa0\x80e\xf4\x90\x80\x80f", "abcdef"),
            (b"\xef\xbb\xbfx\xe2\x28\xf0\x9f\x98g", "x(g"),
        ] {
            for split in 0..=bytes.len() {
                assert_eq!(all(bytes, split), expected, "{bytes:x?} split at {split}");
            }
        }
    }
}
