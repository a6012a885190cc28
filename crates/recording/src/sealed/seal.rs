//! Putting a sealed segment in the place of an active one.

use std::fs;
use std::io;
use std::path::Path;

use model::Offset;

use crate::block::{Block, BlockKind};
use crate::directory;
use crate::line::Line;
use crate::recording::Segment;
use crate::segment_head::{HEAD_BYTES, SegmentHead, SegmentKind};
use crate::segment_reader::SegmentReader;

use super::contents::{Contents, Masked, Place};
use super::outer::{self, PACK, TEXT};
use super::pack::{self, FULL_PACK_BYTES};
use super::text::{FULL_TEXT_BYTES, Text};

/// A segment that was sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// Size of the file before.
    pub before_bytes: u64,
    /// Size of the file now.
    pub after_bytes: u64,
}

/// Puts a sealed segment in the place of an active one: `blocks` are what it shall hold, `lines` the text of those.
///
/// At every instant one of the two is there and whole. A reader of the active one can read on. Only one process
/// may do this at a time, and no writer may append to the segment any more.
///
/// # Errors
///
/// Errors of the file system, and when `blocks` do not follow each other from the head's offset on. The active
/// segment is then still there.
pub fn seal(segment: &Segment, blocks: &[Block], lines: &[Line], masked: Masked) -> io::Result<Sealed> {
    let bytes = encode(&segment.head, blocks, lines, masked)?;
    let (sealing, sealed) = directory::sealing_and_sealed(&segment.path)?;
    // The active segment goes only when the sealed one's name is on the disk.
    files::replace_private_through(&sealing, &sealed, &bytes)?;
    match fs::remove_file(&segment.path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    Ok(Sealed { before_bytes: segment.bytes, after_bytes: bytes.len() as u64 })
}

/// Removes the leftovers of a sealing that was stopped: files that are not whole, and active segments
/// whose sealed ones are whole. Returns how many. No other process may be sealing.
///
/// # Errors
///
/// Errors of the file system.
pub fn remove_leftovers(dir: &Path) -> io::Result<usize> {
    let mut removed = 0;
    for path in directory::leftovers(dir)? {
        let is_needless = match directory::sealed_in_place_of(&path) {
            Some(sealed) => SegmentReader::open(&sealed).is_ok(),
            None => true,
        };
        if is_needless {
            fs::remove_file(&path)?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// A part of the file before its place is known.
struct Part {
    kind: u8,
    at: Offset,
    time_us: u64,
    payload: Vec<u8>,
}

fn encode(head: &SegmentHead, blocks: &[Block], lines: &[Line], masked: Masked) -> io::Result<Vec<u8>> {
    let mut parts = texts(lines)?;
    parts.append(&mut packs(head, blocks)?);
    let mut position = HEAD_BYTES as u64 + Contents::bytes(parts.len());
    let mut places = Vec::with_capacity(parts.len());
    for part in &parts {
        places.push(Place { kind: part.kind, position, at: part.at, time_us: part.time_us });
        position += outer::block_bytes(part.payload.len());
    }
    let end = blocks.last().and_then(|block| block.kind.end(block.at)).unwrap_or(head.at);
    let end_time_us = blocks.iter().map(|block| block.time_us).max().unwrap_or(head.time_us);
    let contents = Contents { masked, end, end_time_us, places };

    let mut file = head.encode(SegmentKind::Sealed).to_vec();
    contents.append_to(&mut file);
    for part in &parts {
        outer::append(&mut file, part.kind, part.at, part.time_us, &part.payload);
    }
    contents.append_copy_to(&mut file);
    Ok(file)
}

fn texts(lines: &[Line]) -> io::Result<Vec<Part>> {
    let mut texts = Vec::new();
    let mut rest = lines;
    while let Some(first) = rest.first() {
        let mut bytes = 0;
        let count = rest.iter().take_while(|line| {
            let is_full = bytes >= FULL_TEXT_BYTES;
            bytes += line.text.len() + 1;
            !is_full
        });
        let (now, later) = rest.split_at(count.count());
        texts.push(Part { kind: TEXT, at: first.at, time_us: first.time_us, payload: Text::encode(now)? });
        rest = later;
    }
    Ok(texts)
}

fn packs(head: &SegmentHead, blocks: &[Block]) -> io::Result<Vec<Part>> {
    if !matches!(blocks.first(), Some(Block { kind: BlockKind::Snapshot(_), .. })) {
        return Err(refused("a segment begins with a snapshot"));
    }
    let mut packs = Vec::new();
    let mut at = head.at;
    let (mut open, mut begins) = (Vec::new(), None);
    for block in blocks {
        let end = block.kind.end(block.at).filter(|_| block.at == at);
        at = end.ok_or_else(|| refused("the blocks do not follow each other"))?;
        begins.get_or_insert((block.at, block.time_us));
        pack::append(&mut open, block)?;
        if open.len() >= FULL_PACK_BYTES {
            packs.extend(close(&mut open, &mut begins)?);
        }
    }
    packs.extend(close(&mut open, &mut begins)?);
    Ok(packs)
}

fn close(open: &mut Vec<u8>, begins: &mut Option<(Offset, u64)>) -> io::Result<Option<Part>> {
    let Some((at, time_us)) = begins.take() else { return Ok(None) };
    let payload = pack::compress(open)?;
    open.clear();
    Ok(Some(Part { kind: PACK, at, time_us, payload }))
}

fn refused(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}
