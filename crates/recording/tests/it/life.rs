//! A recording to try things on.

use std::fs;
use std::path::{Path, PathBuf};

use model::{Epoch, ExitStatus, Offset, TermSize, WorkerId};
use recording::{Block, BlockKind, Line, LineKind, Masked, Recording, SegmentHead, Writer};
use tempfile::TempDir;

/// The length of a segment's head, of a block's head, and of a block besides its payload.
pub(crate) const HEAD_BYTES: usize = 47;
pub(crate) const BLOCK_HEAD_BYTES: usize = 21;
pub(crate) const BLOCK_BYTES: usize = BLOCK_HEAD_BYTES + 4;

pub(crate) fn temp_dir() -> TempDir {
    tempfile::tempdir().expect("a directory to try things in")
}

/// Where a recording goes in a directory.
pub(crate) fn recording_in(dir: &TempDir) -> PathBuf {
    dir.path().join("recording")
}

/// A worker's head at an offset.
pub(crate) fn head(at: u64) -> SegmentHead {
    SegmentHead {
        worker: WorkerId::from_random([1, 2, 3, 4, 5, 6, 7, 8]),
        epoch: Epoch(3),
        at: Offset(at),
        time_us: 1_000_000,
        size: TermSize::clamped(80, 24),
    }
}

/// Something of every kind, from `head(at)` on, written to a new segment of `writer`'s.
pub(crate) fn write_life(writer: &mut Writer, at: u64) {
    writer.output(Offset(at), 1, b"one").unwrap();
    writer.resize(Offset(at + 3), 2, TermSize::clamped(100, 30)).unwrap();
    writer.gap(Offset(at + 3), 3, Some(Offset(at + 10))).unwrap();
    writer.output(Offset(at + 10), 4, b"twelve bytes").unwrap();
    writer.gap(Offset(at + 22), 5, None).unwrap();
    writer.epoch(Offset(at + 22), 6, Epoch(4)).unwrap();
    writer.output(Offset(at + 22), 7, &[b'x'; 40]).unwrap();
    writer.exit(Offset(at + 62), 8, ExitStatus::Killed { signal: 9 }).unwrap();
}

/// What [`write_life`] writes, with the snapshot before it.
pub(crate) fn life(at: u64) -> Vec<Block> {
    let kinds = [
        (at, BlockKind::Snapshot(b"screen".to_vec())),
        (at, BlockKind::Output(b"one".to_vec())),
        (at + 3, BlockKind::Resize(TermSize::clamped(100, 30))),
        (at + 3, BlockKind::Gap { to: Some(Offset(at + 10)) }),
        (at + 10, BlockKind::Output(b"twelve bytes".to_vec())),
        (at + 22, BlockKind::Gap { to: None }),
        (at + 22, BlockKind::Epoch(Epoch(4))),
        (at + 22, BlockKind::Output(vec![b'x'; 40])),
        (at + 62, BlockKind::Exit(ExitStatus::Killed { signal: 9 })),
    ];
    let times = [1_000_000, 1, 2, 3, 4, 5, 6, 7, 8];
    kinds
        .into_iter()
        .zip(times)
        .map(|((at, kind), time_us)| Block { at: Offset(at), time_us, kind })
        .collect()
}

/// How much output [`write_life`] counts.
pub(crate) const LIFE_BYTES: u64 = 62;

/// A recording of so many segments, each with [`life`] in it.
pub(crate) fn write_lives(dir: &Path, segments: u64) -> Writer {
    let mut writer = Writer::create(dir, &head(0), b"screen").unwrap();
    write_life(&mut writer, 0);
    for number in 1..segments {
        let at = number * LIFE_BYTES;
        writer.begin_segment(&head(at), b"screen").unwrap();
        write_life(&mut writer, at);
    }
    writer
}

/// All whole blocks of a recording.
pub(crate) fn read(dir: &Path) -> Vec<Block> {
    Recording::open(dir).unwrap().blocks().collect()
}

/// The file of the segment with this number.
pub(crate) fn segment(dir: &Path, number: u32) -> PathBuf {
    dir.join(format!("{number:08}.active"))
}

/// The bytes of the segment with this number.
pub(crate) fn segment_bytes(dir: &Path, number: u32) -> Vec<u8> {
    fs::read(segment(dir, number)).unwrap()
}

/// Seals every segment as it is, with a line of text for each stretch of output.
pub(crate) fn seal_all(dir: &Path) {
    for segment in Recording::open(dir).unwrap().segments() {
        let blocks: Vec<Block> = recording::SegmentReader::open(&segment.path).unwrap().collect();
        recording::seal(segment, &blocks, &lines_of(&blocks), Masked::Yes).unwrap();
    }
}

/// A line for each stretch of output.
pub(crate) fn lines_of(blocks: &[Block]) -> Vec<Line> {
    let line = |block: &Block| match &block.kind {
        BlockKind::Output(bytes) => Some(Line {
            at: block.at,
            time_us: block.time_us,
            kind: LineKind::Printed,
            text: String::from_utf8_lossy(bytes).into_owned(),
        }),
        _ => None,
    };
    blocks.iter().filter_map(line).collect()
}

/// The file of a sealed segment with this number.
pub(crate) fn sealed(dir: &Path, number: u32) -> PathBuf {
    dir.join(format!("{number:08}.sealed"))
}
