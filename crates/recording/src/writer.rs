//! Appending to the newest segment.

use std::fs::{self, File};
use std::io::{self, IoSlice};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use model::{Epoch, ExitStatus, Offset, TermSize};

use crate::append::write_all;
use crate::block::{Block, BlockKind, EncodedBlock};
use crate::directory;
use crate::segment_head::{SegmentHead, SegmentKind};

/// Appends to a recording, one system call for each block.
///
/// After an error nothing of the block is in the segment, and the writer can be used on. Output that could not be
/// recorded need not be brought again: offsets tell that it is missing, and the next block that can be written is
/// preceded by a gap that says so. A resize, an epoch or an exit has no offsets of its own and is the caller's to bring
/// again; a new segment, whose head and snapshot hold the size, the epoch and the screen, does it for all but the exit.
#[derive(Debug)]
pub struct Writer {
    dir: PathBuf,
    path: PathBuf,
    file: File,
    /// Bytes of the file up to the end of its last whole block.
    bytes: u64,
    tail: Tail,
    /// The offset at which the next block has to begin.
    end: Offset,
}

/// What the file holds behind its last whole block.
#[derive(Debug)]
pub(crate) enum Tail {
    /// Nothing.
    Clean,
    /// Perhaps part of a block that could neither be written nor cut.
    Torn,
}

impl Writer {
    /// Begins a recording, or the next segment of one: `snapshot` is the terminal at `head.at`.
    ///
    /// The directory is made if it is not there; it is the owner's alone, and so is the file.
    ///
    /// # Errors
    ///
    /// Errors of the file system; then no file is left. A snapshot of more than
    /// [`MAX_SNAPSHOT_BYTES`](crate::MAX_SNAPSHOT_BYTES) is refused.
    pub fn create(dir: &Path, head: &SegmentHead, snapshot: &[u8]) -> io::Result<Writer> {
        Writer::create_after(dir, 0, head, snapshot)
    }

    /// Goes on in a new segment, whose number was not used before even if the present file is gone.
    ///
    /// # Errors
    ///
    /// As for [`create`](Writer::create); the writer then stays with its present segment.
    pub fn begin_segment(&mut self, head: &SegmentHead, snapshot: &[u8]) -> io::Result<()> {
        let last = directory::number_of(&self.path).unwrap_or(0);
        *self = Writer::create_after(&self.dir, last, head, snapshot)?;
        Ok(())
    }

    fn create_after(dir: &Path, last: u32, head: &SegmentHead, snapshot: &[u8]) -> io::Result<Writer> {
        directory::prepare(dir)?;
        let (path, file) = directory::create_next(dir, last)?;
        let mut writer = Writer::at_end_of(dir, path, file, 0, head.at);
        let block = Block { at: head.at, time_us: head.time_us, kind: BlockKind::Snapshot(snapshot) };
        match writer.append_after(&head.encode(SegmentKind::Active), &block) {
            Ok(()) => Ok(writer),
            Err(error) => {
                // We report the first failure. The caller could do nothing about the unreadable file that may stay.
                let _ = fs::remove_file(&writer.path);
                Err(error)
            }
        }
    }

    pub(crate) fn at_end_of(dir: &Path, path: PathBuf, file: File, bytes: u64, end: Offset) -> Writer {
        // Torn until the end is checked: where the whole blocks end, something else may follow.
        Writer { dir: dir.to_owned(), path, file, bytes, tail: Tail::Torn, end }
    }

    /// Records what the child printed, beginning at `at`.
    ///
    /// # Errors
    ///
    /// As for all blocks: errors of the file system; an `at` before the end of the recording is refused, and so
    /// are more than [`MAX_OUTPUT_BYTES`](crate::MAX_OUTPUT_BYTES).
    pub fn output(&mut self, at: Offset, time_us: u64, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.append(at, time_us, BlockKind::Output(bytes))
    }

    /// Records that the terminal got another size.
    ///
    /// # Errors
    ///
    /// As for [`output`](Writer::output).
    pub fn resize(&mut self, at: Offset, time_us: u64, size: TermSize) -> io::Result<()> {
        self.append(at, time_us, BlockKind::Resize(size))
    }

    /// Records that output is missing from `at` to `to`, or an unknown amount from `at` on.
    ///
    /// It is needed for what never had an offset; a jump of offsets is noticed and marked without it.
    ///
    /// # Errors
    ///
    /// As for [`output`](Writer::output); a `to` before `at` is refused.
    pub fn gap(&mut self, at: Offset, time_us: u64, to: Option<Offset>) -> io::Result<()> {
        self.append(at, time_us, BlockKind::Gap { to })
    }

    /// Records that another epoch begins.
    ///
    /// # Errors
    ///
    /// As for [`output`](Writer::output).
    pub fn epoch(&mut self, at: Offset, time_us: u64, epoch: Epoch) -> io::Result<()> {
        self.append(at, time_us, BlockKind::Epoch(epoch))
    }

    /// Records how the child ended.
    ///
    /// # Errors
    ///
    /// As for [`output`](Writer::output).
    pub fn exit(&mut self, at: Offset, time_us: u64, status: ExitStatus) -> io::Result<()> {
        self.append(at, time_us, BlockKind::Exit(status))
    }

    /// Size of the present segment's file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The present segment's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until all that was appended is on the disk, the file's name included. That may take seconds.
    ///
    /// # Errors
    ///
    /// Errors of the file system: a power failure may lose some of the appended blocks.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()?;
        File::open(&self.dir)?.sync_all()
    }

    /// Whether the file still has a name, and all that was appended; if not, it is time for another segment.
    ///
    /// A file once truncated from outside stays noticed, however much is appended to it.
    pub fn is_intact(&self) -> bool {
        self.file.metadata().is_ok_and(|file| file.nlink() > 0 && file.size() >= self.bytes)
    }

    fn append(&mut self, at: Offset, time_us: u64, kind: BlockKind<&[u8]>) -> io::Result<()> {
        self.append_after(&[], &Block { at, time_us, kind })
    }

    /// Appends `front`, a gap if output is missing before the block, and the block, all or nothing.
    fn append_after(&mut self, front: &[u8], block: &Block<&[u8]>) -> io::Result<()> {
        if block.at < self.end {
            return Err(refused("the block's offset lies before the end of what is recorded"));
        }
        let end = block.kind.end(block.at).ok_or_else(|| refused("the block ends at no offset"))?;
        let encoded = EncodedBlock::new(block).ok_or_else(|| refused("the block is too long"))?;
        let gap = (block.at > self.end).then(|| self.gap_before(block));

        let nothing = [IoSlice::new(&[]); 3];
        let [g0, g1, g2] = gap.as_ref().map_or(nothing, EncodedBlock::slices);
        let [b0, b1, b2] = encoded.slices();
        self.write(&mut [IoSlice::new(front), g0, g1, g2, b0, b1, b2])?;
        self.end = end;
        Ok(())
    }

    fn gap_before(&self, block: &Block<&[u8]>) -> EncodedBlock<'static> {
        let kind = BlockKind::Gap { to: Some(block.at) };
        EncodedBlock::new(&Block { at: self.end, time_us: block.time_us, kind }).expect("a gap is short")
    }

    fn write(&mut self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.cut_tail()?;
        let length: usize = parts.iter().map(|part| part.len()).sum();
        let written = write_all(parts, |parts| Ok(rustix::io::writev(&self.file, parts)?));
        match written {
            Ok(()) => self.bytes += length as u64,
            Err(_) => {
                self.tail = Tail::Torn;
                // Should cutting fail as well, the next append tries again; the first error is the one to tell.
                let _ = self.cut_tail();
            }
        }
        written
    }

    /// Cuts the file back to its last whole block.
    pub(crate) fn cut_tail(&mut self) -> io::Result<()> {
        if let Tail::Torn = self.tail {
            // A file that is shorter was truncated from outside; making it longer would hide that.
            if self.file.metadata()?.size() > self.bytes {
                self.file.set_len(self.bytes)?;
            }
            self.tail = Tail::Clean;
        }
        Ok(())
    }
}

fn refused(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}
