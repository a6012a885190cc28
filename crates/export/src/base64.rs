//! Bytes as text.

use std::io::{self, Write};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// How many bytes are turned into text at once.
const GATHERED_BYTES: usize = 3 << 10;

/// Writes what is written to it as base64.
pub(crate) struct Base64Writer<W> {
    out: W,
    /// Less than [`GATHERED_BYTES`].
    gathered: Vec<u8>,
}

impl<W: Write> Base64Writer<W> {
    pub(crate) fn new(out: W) -> Base64Writer<W> {
        Base64Writer { out, gathered: Vec::with_capacity(GATHERED_BYTES) }
    }

    /// Writes what is left, and gives the writer beneath back.
    pub(crate) fn end(mut self) -> io::Result<W> {
        self.out.write_all(encode(&self.gathered).as_bytes())?;
        Ok(self.out)
    }
}

impl<W: Write> Write for Base64Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(GATHERED_BYTES - self.gathered.len());
        self.gathered.extend_from_slice(&bytes[..taken]);
        if self.gathered.len() == GATHERED_BYTES {
            self.out.write_all(encode(&self.gathered).as_bytes())?;
            self.gathered.clear();
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Bytes as base64, filled up with `=` to whole groups of four.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let three = [group[0], group.get(1).copied().unwrap_or(0), group.get(2).copied().unwrap_or(0)];
        let number = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        for place in 0..4 {
            let letter = ALPHABET[(number >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= group.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_the_standards_text() {
        let shown = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| encode(text.as_bytes()));
        assert_eq!(shown, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }

    #[test]
    fn any_pieces_give_the_same_text() {
        let bytes: Vec<u8> = (0..10_000u32).map(|n| (n * 7 % 251) as u8).collect();
        for piece in [1, 2, 1000, 3072, 9999] {
            let mut writer = Base64Writer::new(Vec::new());
            bytes.chunks(piece).for_each(|piece| writer.write_all(piece).unwrap());
            assert_eq!(String::from_utf8(writer.end().unwrap()).unwrap(), encode(&bytes), "{piece}");
        }
    }
}
