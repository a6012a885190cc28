//! Reading a whole recording.

use std::io;
use std::path::{Path, PathBuf};
use std::vec;

use crate::block::Block;
use crate::directory;
use crate::segment_head::{SegmentHead, SegmentKind};
use crate::segment_reader::{OpenError, SegmentReader};

/// The segments that a recording had when it was opened.
#[derive(Debug)]
pub struct Recording {
    segments: Vec<Segment>,
    unreadable: Vec<Unreadable>,
}

/// A segment whose head is whole.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Its number; later segments have higher ones.
    pub number: u32,
    /// Its file.
    pub path: PathBuf,
    /// What kind it was when the recording was opened.
    pub kind: SegmentKind,
    /// What it says of itself.
    pub head: SegmentHead,
    /// Size of the file when the recording was opened.
    pub bytes: u64,
}

/// A file that is named like a segment and cannot be read as one.
#[derive(Debug)]
pub struct Unreadable {
    /// The file.
    pub path: PathBuf,
    /// Why not.
    pub error: OpenError,
    /// Size of the file when the recording was opened.
    pub bytes: u64,
}

/// Bytes at the end of a segment that are no whole blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The segment's number.
    pub number: u32,
    /// How many bytes were cut.
    pub bytes: u64,
}

impl Recording {
    /// Opens the recording in a directory; files that are not ours are left alone.
    ///
    /// # Errors
    ///
    /// When the directory or a segment in it cannot be opened. A damaged segment is no error.
    pub fn open(dir: &Path) -> io::Result<Recording> {
        let mut recording = Recording { segments: Vec::new(), unreadable: Vec::new() };
        for entry in directory::segments(dir)? {
            let directory::Entry { number, path, bytes } = entry;
            match SegmentReader::open(&path) {
                Ok(reader) => {
                    let (kind, head) = (reader.kind(), *reader.head());
                    let path = reader.path().to_owned();
                    recording.segments.push(Segment { number, path, kind, head, bytes });
                }
                // It was trimmed away since the directory was listed.
                Err(OpenError::Io(error)) if error.kind() == io::ErrorKind::NotFound => (),
                Err(OpenError::Io(error)) => return Err(error),
                Err(error) => recording.unreadable.push(Unreadable { path, error, bytes }),
            }
        }
        Ok(recording)
    }

    /// The segments, oldest first. The first block of one may still turn out not to be whole; then it holds nothing.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The files that are named like segments and cannot be read.
    pub fn unreadable(&self) -> &[Unreadable] {
        &self.unreadable
    }

    /// Opens the newest segment that has a whole snapshot, and with it the terminal's latest known state.
    ///
    /// # Errors
    ///
    /// When a segment cannot be opened.
    pub fn newest(&self) -> io::Result<Option<SegmentReader>> {
        for segment in self.segments.iter().rev() {
            if let Some(reader) = SegmentReader::open_whole(&segment.path)? {
                return Ok(Some(reader));
            }
        }
        Ok(None)
    }

    /// All whole blocks, oldest first.
    pub fn blocks(&self) -> Blocks {
        Blocks::new(self.segments.clone())
    }
}

/// Iterator over the blocks of segments, one segment after the other.
///
/// It reads every whole block and skips damaged ones. [`cuts`](Blocks::cuts) says what it skipped.
#[derive(Debug)]
pub struct Blocks {
    present: Option<SegmentReader>,
    later: vec::IntoIter<Segment>,
    cuts: Vec<Cut>,
}

impl Blocks {
    fn new(segments: Vec<Segment>) -> Blocks {
        Blocks { present: None, later: segments.into_iter(), cuts: Vec::new() }
    }

    /// The parts that were skipped, of the segments that have been read to their end.
    pub fn cuts(&self) -> &[Cut] {
        &self.cuts
    }

    fn cut(&mut self, number: u32, bytes: u64) {
        if bytes > 0 {
            self.cuts.push(Cut { number, bytes });
        }
    }
}

impl Iterator for Blocks {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        loop {
            if let Some(reader) = &mut self.present {
                if let Some(block) = reader.next() {
                    return Some(block);
                }
                let (number, bytes) = (reader.number(), reader.bytes_left());
                self.present = None;
                self.cut(number, bytes);
            }
            let segment = self.later.next()?;
            match SegmentReader::open(&segment.path) {
                Ok(reader) => self.present = Some(reader),
                Err(_) => self.cut(segment.number, segment.bytes),
            }
        }
    }
}
