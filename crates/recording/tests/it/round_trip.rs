//! A reader gets the blocks that the writer wrote.

use std::fs;

use model::{Epoch, ExitStatus, Offset, TermSize};
use proptest::collection::vec;
use proptest::prelude::*;
use recording::{Block, BlockKind, MAX_OUTPUT_BYTES, MAX_SNAPSHOT_BYTES, Recording, Writer};

use crate::life::{BLOCK_BYTES, HEAD_BYTES, head, life, read, recording_in, temp_dir, write_lives};

/// Something that happens next, and a new segment before it or not.
#[derive(Clone, Debug)]
struct Step {
    new_segment: Option<Vec<u8>>,
    lost_bytes: u64,
    time_us: u64,
    kind: BlockKind,
}

fn step() -> impl Strategy<Value = Step> {
    let status = prop_oneof![
        any::<u8>().prop_map(|code| ExitStatus::Exited { code }),
        any::<u8>().prop_map(|signal| ExitStatus::Killed { signal }),
        Just(ExitStatus::Unknown),
    ];
    let kind = prop_oneof![
        8 => vec(any::<u8>(), 1..200).prop_map(BlockKind::Output),
        1 => (any::<u16>(), any::<u16>()).prop_map(|(cols, rows)| BlockKind::Resize(TermSize::clamped(cols, rows))),
        1 => proptest::option::of(0..1000_u64).prop_map(|bytes| BlockKind::Gap { to: bytes.map(Offset) }),
        1 => any::<u32>().prop_map(|epoch| BlockKind::Epoch(Epoch(epoch))),
        1 => status.prop_map(BlockKind::Exit),
    ];
    let new_segment = prop_oneof![9 => Just(None), 1 => vec(any::<u8>(), 0..300).prop_map(Some)];
    let lost_bytes = prop_oneof![9 => Just(0), 1 => 1..100_u64];
    (new_segment, lost_bytes, any::<u64>(), kind).prop_map(|(new_segment, lost_bytes, time_us, kind)| Step {
        new_segment,
        lost_bytes,
        time_us,
        kind,
    })
}

/// Writes one block of any kind.
fn write(writer: &mut Writer, block: &Block) {
    let (at, time_us) = (block.at, block.time_us);
    match &block.kind {
        BlockKind::Snapshot(_) => unreachable!("snapshots begin segments"),
        BlockKind::Output(bytes) => writer.output(at, time_us, bytes),
        BlockKind::Resize(size) => writer.resize(at, time_us, *size),
        BlockKind::Gap { to } => writer.gap(at, time_us, *to),
        BlockKind::Epoch(epoch) => writer.epoch(at, time_us, *epoch),
        BlockKind::Exit(status) => writer.exit(at, time_us, *status),
    }
    .unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_reader_gets_the_blocks_that_were_written(steps in vec(step(), 0..60)) {
        let dir = temp_dir();
        let mut writer = Writer::create(dir.path(), &head(0), b"first").unwrap();
        let mut written = vec![Block { at: Offset(0), time_us: 1_000_000, kind: BlockKind::Snapshot(b"first".to_vec()) }];
        let mut at = Offset(0);
        for Step { new_segment, lost_bytes, time_us, mut kind } in steps {
            if let Some(snapshot) = new_segment {
                writer.begin_segment(&head(at.0), &snapshot).unwrap();
                written.push(Block { at, time_us: 1_000_000, kind: BlockKind::Snapshot(snapshot) });
            }
            if lost_bytes > 0 {
                let to = Offset(at.0 + lost_bytes);
                written.push(Block { at, time_us, kind: BlockKind::Gap { to: Some(to) } });
                at = to;
            }
            if let BlockKind::Gap { to: Some(to) } = &mut kind {
                to.0 += at.0;
            }
            let block = Block { at, time_us, kind };
            write(&mut writer, &block);
            match &block.kind {
                BlockKind::Output(bytes) => at += bytes.len(),
                BlockKind::Gap { to: Some(to) } => at = *to,
                _ => (),
            }
            written.push(block);
        }
        let mut blocks = Recording::open(dir.path()).unwrap().blocks();
        prop_assert_eq!(blocks.by_ref().collect::<Vec<_>>(), written);
        prop_assert_eq!(blocks.cuts(), []);
    }
}

#[test]
fn segments_are_read_in_the_order_they_were_begun() {
    let dir = temp_dir();
    write_lives(dir.path(), 12);
    let recording = Recording::open(dir.path()).unwrap();
    let numbers: Vec<_> = recording.segments().iter().map(|segment| segment.number).collect();
    assert_eq!(numbers, Vec::from_iter(1..=12));
    let newest = recording.newest().unwrap().unwrap();
    assert_eq!((newest.number(), newest.collect::<Vec<_>>()), (12, life(11 * 62)));
}

#[test]
fn a_jump_of_offsets_is_marked_as_a_gap() {
    let dir = temp_dir();
    let mut writer = Writer::create(dir.path(), &head(0), b"").unwrap();
    writer.output(Offset(100), 1, b"later").unwrap();
    let kinds: Vec<_> = read(dir.path()).into_iter().map(|block| (block.at.0, block.kind)).collect();
    let gap = BlockKind::Gap { to: Some(Offset(100)) };
    assert_eq!(kinds[1..], [(0, gap), (100, BlockKind::Output(b"later".to_vec()))]);
}

#[test]
fn blocks_that_no_reader_accepts_are_not_written() {
    let dir = temp_dir();
    let dir = recording_in(&dir);
    assert!(Writer::create(&dir, &head(0), &vec![0; MAX_SNAPSHOT_BYTES + 1]).is_err());
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0, "a refused segment leaves no file");

    let mut writer = Writer::create(&dir, &head(10), b"").unwrap();
    let bytes = writer.bytes();
    assert!(writer.output(Offset(10), 1, &vec![0; MAX_OUTPUT_BYTES + 1]).is_err());
    assert!(writer.output(Offset(9), 1, b"before the end").is_err());
    assert!(writer.output(Offset(u64::MAX), 1, b"beyond all offsets").is_err());
    assert!(writer.gap(Offset(10), 1, Some(Offset(9))).is_err());
    writer.output(Offset(10), 1, b"").unwrap();
    assert_eq!((writer.bytes(), fs::metadata(writer.path()).unwrap().len()), (bytes, bytes));
}

#[test]
fn the_largest_blocks_come_back() {
    let dir = temp_dir();
    let snapshot = vec![b's'; MAX_SNAPSHOT_BYTES];
    let output = vec![b'o'; MAX_OUTPUT_BYTES];
    let mut writer = Writer::create(dir.path(), &head(0), &snapshot).unwrap();
    writer.output(Offset(0), 1, &output).unwrap();
    assert_eq!(writer.bytes(), (HEAD_BYTES + 2 * BLOCK_BYTES + MAX_SNAPSHOT_BYTES + MAX_OUTPUT_BYTES) as u64);
    let kinds: Vec<_> = read(dir.path()).into_iter().map(|block| block.kind).collect();
    assert!(kinds == [BlockKind::Snapshot(snapshot), BlockKind::Output(output)]);
}
