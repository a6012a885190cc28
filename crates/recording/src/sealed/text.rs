//! The settled text of a segment, for searches.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::vec;

use model::Offset;

use crate::directory::{self, READING};
use crate::line::{Line, LineKind};
use crate::segment_head::{HEAD_BYTES, SegmentHead, SegmentKind};
use crate::segment_reader::OpenError;

use super::contents::{Contents, Place};
use super::filter;
use super::outer::{self, TEXT};
use super::pack;

/// A text is closed when its lines take so much.
pub(super) const FULL_TEXT_BYTES: usize = 1 << 20;

/// More than any text takes: a full one and a last line of the largest size.
const MOST_TEXT_BYTES: usize = 64 << 20;

/// The lines of text of a sealed segment, in parts that can be passed over.
#[derive(Debug)]
pub struct Texts {
    file: File,
    places: vec::IntoIter<Place>,
    lost: usize,
}

impl Texts {
    /// Opens the texts of a segment; nothing if it is active and has none.
    ///
    /// # Errors
    ///
    /// As for [`SegmentReader::open`](crate::SegmentReader::open).
    pub fn open(path: &Path) -> Result<Option<Texts>, OpenError> {
        let mut file = directory::open(path, READING)?;
        let mut bytes = Vec::with_capacity(HEAD_BYTES);
        file.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut bytes).map_err(|_| OpenError::Damaged)?;
        if SegmentHead::decode(&bytes)?.0 == SegmentKind::Active {
            return Ok(None);
        }
        let contents = Contents::read(&file).ok_or(OpenError::Damaged)?;
        let places = contents.texts().collect::<Vec<_>>().into_iter();
        Ok(Some(Texts { file, places, lost: 0 }))
    }

    /// How many of the texts read so far were damaged.
    pub fn lost(&self) -> usize {
        self.lost
    }
}

impl Iterator for Texts {
    type Item = Text;

    fn next(&mut self) -> Option<Text> {
        loop {
            let place = self.places.next()?;
            match outer::read(&self.file, place.position, TEXT).and_then(|outer| Text::new(outer.payload)) {
                Some(text) => return Some(text),
                None => self.lost += 1,
            }
        }
    }
}

/// Some lines of text, still compressed.
#[derive(Debug)]
pub struct Text {
    payload: Vec<u8>,
    filter_end: usize,
    lines_end: usize,
}

impl Text {
    fn new(payload: Vec<u8>) -> Option<Text> {
        let (lengths, rest) = payload.split_first_chunk::<8>()?;
        let [f0, f1, f2, f3, t0, t1, t2, t3] = *lengths;
        let filter = u32::from_le_bytes([f0, f1, f2, f3]) as usize;
        let lines = u32::from_le_bytes([t0, t1, t2, t3]) as usize;
        if filter.checked_add(lines)? > rest.len() {
            return None;
        }
        Some(Text { filter_end: 8 + filter, lines_end: 8 + filter + lines, payload })
    }

    /// The payload for these lines: filter, lines, places.
    ///
    /// # Errors
    ///
    /// When the compressor has no memory.
    pub(super) fn encode(lines: &[Line]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        let mut places = Vec::new();
        let (mut at, mut time_us) = (0, 0);
        for line in lines {
            // A line feed in a line would make two of it.
            text.extend(line.text.bytes().map(|byte| if byte == b'\n' { b' ' } else { byte }));
            text.push(b'\n');
            push_number(
                &mut places,
                line.at.0.saturating_sub(at) << 1 | u64::from(line.kind == LineKind::Frame),
            );
            push_number(&mut places, line.time_us.wrapping_sub(time_us));
            (at, time_us) = (line.at.0.max(at), line.time_us);
        }
        let filter = filter::filter(&text);
        let (text, places) = (pack::compress(&text)?, pack::compress(&places)?);
        let length = |part: &[u8]| u32::try_from(part.len()).map(u32::to_le_bytes).map_err(io::Error::other);
        Ok([&length(&filter)?[..], &length(&text)?, &filter, &text, &places].concat())
    }

    /// Whether it may contain `needle` in one of its lines, in capitals or small letters. False is certain.
    pub fn may_contain(&self, needle: &[u8]) -> bool {
        filter::may_contain(&self.payload[8..self.filter_end], needle)
    }

    /// The lines, each with a line feed behind it.
    ///
    /// # Errors
    ///
    /// When they cannot be decompressed.
    pub fn lines(&self) -> io::Result<Vec<u8>> {
        let compressed = &self.payload[self.filter_end..self.lines_end];
        pack::decompress(compressed, MOST_TEXT_BYTES).ok_or_else(damaged)
    }

    /// Where each of the lines was settled, when it changed last, and where it comes from.
    ///
    /// # Errors
    ///
    /// When they cannot be decompressed.
    pub fn places(&self) -> io::Result<Vec<(Offset, u64, LineKind)>> {
        let bytes = pack::decompress(&self.payload[self.lines_end..], MOST_TEXT_BYTES).ok_or_else(damaged)?;
        let mut numbers = bytes.as_slice();
        let mut places = Vec::new();
        let (mut at, mut time_us) = (0u64, 0u64);
        while let (Some(moved), Some(passed)) = (take_number(&mut numbers), take_number(&mut numbers)) {
            at = at.saturating_add(moved >> 1);
            time_us = time_us.wrapping_add(passed);
            let kind = if moved & 1 == 1 { LineKind::Frame } else { LineKind::Printed };
            places.push((Offset(at), time_us, kind));
        }
        Ok(places)
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the text is damaged")
}

/// Seven bits in each byte, the lowest first; the eighth says that more follow.
fn push_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, u64::MAX / 2, u64::MAX] {
            let mut bytes = Vec::new();
            push_number(&mut bytes, number);
            assert_eq!(take_number(&mut bytes.as_slice()), Some(number));
        }
        assert_eq!(take_number(&mut [0x80; 3].as_slice()), None, "an unfinished one is none");
    }
}
