//! Files that were cut, zeroed, doubled, flipped, or were never ours.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use recording::{Block, BlockKind, Cut, OpenError, Recording, SegmentReader};
use rustix::fs::Mode;
use testkit::Random;

use crate::life::{
    BLOCK_BYTES, BLOCK_HEAD_BYTES, HEAD_BYTES, LIFE_BYTES, life, read, segment, segment_bytes, temp_dir,
    write_lives,
};

/// Where in the file each block of [`life`] ends.
fn block_ends(bytes: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut position = HEAD_BYTES;
    while position < bytes.len() {
        let length: [u8; 4] = bytes[position + 1..position + 5].try_into().unwrap();
        position += BLOCK_BYTES + u32::from_le_bytes(length) as usize;
        ends.push(position);
    }
    ends
}

/// The blocks that lie before the first byte that differs.
fn whole_blocks(whole: &[u8], damaged: &[u8]) -> usize {
    let same = whole.iter().zip(damaged).take_while(|(a, b)| a == b).count();
    if same < HEAD_BYTES { 0 } else { block_ends(whole).iter().filter(|end| **end <= same).count() }
}

fn read_file(path: &Path) -> (Vec<Block>, u64) {
    match SegmentReader::open(path) {
        Ok(mut reader) => (reader.by_ref().collect(), reader.bytes_left()),
        Err(OpenError::Io(error)) => panic!("{error}"),
        Err(_) => (Vec::new(), fs::metadata(path).unwrap().len()),
    }
}

/// Damages a segment in as many ways as there are seeds, and hands each to `check` with the blocks read from it and
/// the blocks that lay before the damage.
fn damage_each(
    seeds: std::ops::Range<u64>,
    damage: impl Fn(&mut Random, &mut Vec<u8>),
    check: impl Fn(&[Block], &[Block]),
) {
    let dir = temp_dir();
    write_lives(dir.path(), 1);
    let (whole, blocks) = (segment_bytes(dir.path(), 1), life(0));
    let path = segment(dir.path(), 2);
    for seed in seeds {
        let mut bytes = whole.clone();
        damage(&mut Random::new(seed), &mut bytes);
        fs::write(&path, &bytes).unwrap();
        let (read, cut_bytes) = read_file(&path);
        let expected = &blocks[..whole_blocks(&whole, &bytes)];
        check(&read, expected);
        if read.len() == expected.len() && !read.is_empty() {
            let read_bytes = block_ends(&whole)[read.len() - 1];
            assert_eq!(cut_bytes, (bytes.len() - read_bytes) as u64, "what was cut is told, seed {seed}");
        }
    }
}

fn reads_what_was_before(read: &[Block], before: &[Block]) {
    assert_eq!(read, before);
}

#[test]
fn d3_flipped_segments_are_read_up_to_the_damage() {
    damage_each(
        0..6_000,
        |random, bytes| {
            for _ in 0..random.between(1, 4) {
                let place = random.below(bytes.len());
                bytes[place] ^= 1 << random.below(8);
            }
        },
        reads_what_was_before,
    );
}

/// Run by `cargo xtask soak recording`.
#[test]
#[ignore = "takes minutes"]
fn soak_a_million_damages_of_an_active_segment() {
    damage_each(
        10_000..1_010_000,
        |random, bytes| {
            let place = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[place] ^= 1 << random.below(8),
                1 => bytes.truncate(place),
                _ => bytes[place..].fill(0),
            }
        },
        reads_what_was_before,
    );
}

#[test]
fn d3_torn_segments_are_read_up_to_the_cut() {
    damage_each(
        0..2_000,
        |random, bytes| bytes.truncate(random.below(bytes.len() + 1)),
        reads_what_was_before,
    );
}

#[test]
fn d3_zeroed_and_overwritten_tails_are_cut() {
    damage_each(
        0..2_000,
        |random, bytes| {
            bytes.truncate(random.below(bytes.len() + 1));
            let added = random.below(200);
            let zeroes = random.percent(50);
            bytes.extend((0..added).map(|_| if zeroes { 0 } else { random.below(256) as u8 }));
        },
        reads_what_was_before,
    );
}

#[test]
fn d3_a_doubled_tail_gives_no_output_twice() {
    let moves = |block: &&Block| matches!(block.kind, BlockKind::Output(_) | BlockKind::Gap { to: Some(_) });
    damage_each(
        0..1_000,
        |random, bytes| {
            let ends = block_ends(bytes);
            let tail = if random.percent(50) { random.pick(&ends) } else { random.below(bytes.len()) };
            bytes.extend_from_within(tail..);
        },
        |read, _| {
            assert_eq!(read[..9], life(0));
            assert_eq!(read[9..].iter().find(moves), None);
        },
    );
}

#[test]
fn d3_damage_costs_one_segment_and_is_reported() {
    let dir = temp_dir();
    write_lives(dir.path(), 3);
    let mut bytes = segment_bytes(dir.path(), 2);
    let ends = block_ends(&bytes);
    bytes[ends[3] + BLOCK_HEAD_BYTES] ^= 1;
    fs::write(segment(dir.path(), 2), &bytes).unwrap();

    let mut blocks = Recording::open(dir.path()).unwrap().blocks();
    let read: Vec<_> = blocks.by_ref().collect();
    let expected = [&life(0)[..], &life(LIFE_BYTES)[..4], &life(2 * LIFE_BYTES)[..]].concat();
    assert_eq!(read, expected);
    assert_eq!(blocks.cuts(), [Cut { number: 2, bytes: (bytes.len() - ends[3]) as u64 }]);
}

#[test]
fn a_segment_without_a_whole_snapshot_is_ignored() {
    let dir = temp_dir();
    write_lives(dir.path(), 2);
    let bytes = segment_bytes(dir.path(), 2);
    fs::write(segment(dir.path(), 2), &bytes[..HEAD_BYTES + BLOCK_BYTES]).unwrap();
    fs::write(segment(dir.path(), 3), b"").unwrap();

    let recording = Recording::open(dir.path()).unwrap();
    assert_eq!(recording.newest().unwrap().unwrap().number(), 1);
    assert_eq!(recording.unreadable().len(), 1);
    let mut blocks = recording.blocks();
    assert_eq!(blocks.by_ref().collect::<Vec<_>>(), life(0));
    assert_eq!(blocks.cuts(), [Cut { number: 2, bytes: BLOCK_BYTES as u64 }]);
}

#[test]
fn a_segment_that_begins_with_anything_but_a_snapshot_is_ignored() {
    let dir = temp_dir();
    write_lives(dir.path(), 1);
    let mut bytes = segment_bytes(dir.path(), 1);
    bytes.drain(HEAD_BYTES..block_ends(&bytes)[0]);
    fs::write(segment(dir.path(), 1), bytes).unwrap();
    assert_eq!(read(dir.path()), []);
}

/// A whole block of any kind.
fn block(kind: u8, payload: &[u8], at: u64) -> Vec<u8> {
    let mut block = vec![kind];
    block.extend((payload.len() as u32).to_le_bytes());
    block.extend(at.to_le_bytes());
    block.extend(77_u64.to_le_bytes());
    block.extend(payload);
    let sum = crc32fast::hash(&block);
    block.extend(sum.to_le_bytes());
    block
}

#[test]
fn blocks_of_unknown_kinds_are_passed_over() {
    let dir = temp_dir();
    write_lives(dir.path(), 1);
    let mut bytes = segment_bytes(dir.path(), 1);
    let first_two = block_ends(&bytes)[1];
    let strange = block(200, b"from another time", 3);
    bytes.splice(first_two..first_two, strange);
    fs::write(segment(dir.path(), 1), bytes).unwrap();
    assert_eq!(read(dir.path()), life(0));
}

#[test]
fn a_whole_block_that_makes_no_sense_is_damage() {
    let nonsense = [
        block(3, b"xyz", LIFE_BYTES),
        block(4, b"1234567", LIFE_BYTES),
        block(4, &(LIFE_BYTES - 1).to_le_bytes(), LIFE_BYTES),
        block(5, b"", LIFE_BYTES),
        block(6, b"\x01", LIFE_BYTES),
        block(2, b"jumps ahead", LIFE_BYTES + 1),
        block(2, b"falls back", LIFE_BYTES - 1),
        block(2, &vec![0; (1 << 20) + 1], LIFE_BYTES),
    ];
    for strange in nonsense {
        let dir = temp_dir();
        write_lives(dir.path(), 1);
        let mut bytes = segment_bytes(dir.path(), 1);
        bytes.extend(&strange);
        bytes.extend(block(2, b"after it", LIFE_BYTES));
        fs::write(segment(dir.path(), 1), bytes).unwrap();
        assert_eq!(read(dir.path()), life(0), "kind {}", strange[0]);
    }
}

#[test]
fn foreign_files_are_left_alone() {
    let dir = temp_dir();
    write_lives(dir.path(), 1);
    let file = |name: &str| dir.path().join(name);
    for name in
        ["notes", "1.active", "0000000a.active", "000000002.active", "00000002.active.bak", "00000002.txt"]
    {
        fs::copy(segment(dir.path(), 1), file(name)).unwrap();
    }
    fs::create_dir(file("00000003.active")).unwrap();
    symlink(segment(dir.path(), 1), file("00000004.active")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, file("00000005.active"), Mode::RUSR | Mode::WUSR).unwrap();

    let recording = Recording::open(dir.path()).unwrap();
    assert_eq!(recording.segments().len(), 1);
    assert_eq!(recording.unreadable().len(), 0);
    assert!(SegmentReader::open(&file("00000004.active")).is_err(), "links are not followed");
    assert!(SegmentReader::open(&file("00000005.active")).is_err(), "a pipe is not waited for");
}

#[test]
fn a_file_that_is_no_readable_segment_says_why() {
    let dir = temp_dir();
    write_lives(dir.path(), 1);
    let whole = segment_bytes(dir.path(), 1);
    let changed = |place: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[place] = byte;
        fs::write(segment(dir.path(), 1), bytes).unwrap();
        SegmentReader::open(&segment(dir.path(), 1)).unwrap_err()
    };
    assert!(matches!(changed(0, b'x'), OpenError::NotASegment));
    assert!(matches!(changed(8, 2), OpenError::Version(2)));
    assert!(matches!(changed(10, 9), OpenError::Kind(9)));
    assert!(matches!(changed(20, 0xff), OpenError::Damaged));
}
