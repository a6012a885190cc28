//! Files that were cut, zeroed, doubled, flipped, or were never ours.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use model::Offset;
use recording::{Block, BlockKind, Cut, OpenError, Recording, SegmentReader};
use rustix::fs::Mode;
use testkit::Random;

use crate::life::{
    BLOCK_BYTES, BLOCK_HEAD_BYTES, HEAD_BYTES, LIFE_BYTES, life, read, segment, segment_bytes, temp_dir,
    write_lives,
};

const CHECKSUM_BYTES: usize = BLOCK_BYTES - BLOCK_HEAD_BYTES;

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

/// The blocks of which every byte is as it was. Without the first, which is the screen, nothing can be shown; and a head
/// must still say whose it is.
fn blocks_left(whole: &[u8], damaged: &[u8]) -> Vec<Block> {
    let is_same = |from: usize, to: usize| damaged.get(from..to) == Some(&whole[from..to]);
    let mut from = HEAD_BYTES;
    let mut left = Vec::new();
    for (block, end) in life(0).into_iter().zip(block_ends(whole)) {
        if is_same(from, end) {
            left.push(block);
        }
        from = end;
    }
    let is_ours = is_same(11, 19) && left.first() == life(0).first();
    if is_ours { left } else { Vec::new() }
}

/// Checks that the reader returned these blocks, one after the other, with gaps for missing output between them.
fn assert_read(read: &[Block], expected: &[Block], what: &str) {
    let whole = life(0);
    let (ours, gaps): (Vec<&Block>, Vec<&Block>) = read.iter().partition(|block| whole.contains(block));
    assert!(ours.iter().copied().eq(expected), "{what}: {read:?}");
    assert!(gaps.iter().all(|gap| matches!(gap.kind, BlockKind::Gap { to: Some(_) })), "{what}: {read:?}");
    for pair in read.windows(2) {
        assert_eq!(pair[0].end(), Some(pair[1].at), "{what}: blocks follow each other");
    }
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
            assert_eq!(
                cut_bytes,
                (bytes.len() - read_bytes) as u64,
                "the reader says how much it cut, seed {seed}"
            );
        }
    }
}

fn reads_all_blocks_before(read: &[Block], before: &[Block]) {
    assert_eq!(read, before);
}

#[test]
fn d3_one_flip_anywhere_costs_one_block_and_the_rest_is_read() {
    let dir = temp_dir();
    write_lives(dir.path(), 1);
    let whole = segment_bytes(dir.path(), 1);
    let path = segment(dir.path(), 2);
    for place in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[place] ^= 1 << bit;
            fs::write(&path, &bytes).unwrap();
            let (read, _) = read_file(&path);
            // An id that differs may still be one.
            if (11..19).contains(&place) && !read.is_empty() {
                continue;
            }
            assert_read(&read, &blocks_left(&whole, &bytes), &format!("bit {bit} of byte {place}"));
        }
    }
}

#[test]
fn d3_flipped_segments_are_read_up_to_the_damage_and_behind_it() {
    let dir = temp_dir();
    write_lives(dir.path(), 1);
    let whole = segment_bytes(dir.path(), 1);
    let path = segment(dir.path(), 2);
    for seed in 0..6_000 {
        let mut random = Random::new(seed);
        let mut bytes = whole.clone();
        for _ in 0..random.between(2, 4) {
            // In a head a length may reach beyond the end, as that of a block which is just being written: what is
            // behind it is then taken for its payload if that has damage too.
            let payloads = block_ends(&whole).into_iter().map(|end| end - CHECKSUM_BYTES);
            let place = random.pick(&payloads.collect::<Vec<_>>()) + random.below(CHECKSUM_BYTES);
            bytes[place] ^= 1 << random.below(8);
        }
        fs::write(&path, &bytes).unwrap();
        assert_read(&read_file(&path).0, &blocks_left(&whole, &bytes), &format!("seed {seed}"));
    }
}

#[test]
fn d3_segments_flipped_anywhere_are_read_at_least_up_to_the_damage() {
    damage_each(
        0..6_000,
        |random, bytes| {
            for _ in 0..random.between(1, 4) {
                let place = random.below(bytes.len());
                bytes[place] ^= 1 << random.below(8);
            }
        },
        |read, before| assert!(read.starts_with(before), "{read:?}"),
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
        |read, before| assert!(read.starts_with(before), "{read:?}"),
    );
}

#[test]
fn d3_torn_segments_are_read_up_to_the_cut() {
    damage_each(
        0..2_000,
        |random, bytes| bytes.truncate(random.below(bytes.len() + 1)),
        reads_all_blocks_before,
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
        reads_all_blocks_before,
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
fn d3_damage_costs_one_block_and_is_reported() {
    let dir = temp_dir();
    write_lives(dir.path(), 3);
    let mut bytes = segment_bytes(dir.path(), 2);
    let ends = block_ends(&bytes);
    bytes[ends[3] + BLOCK_HEAD_BYTES] ^= 1;
    fs::write(segment(dir.path(), 2), &bytes).unwrap();

    let mut blocks = Recording::open(dir.path()).unwrap().blocks();
    let read: Vec<_> = blocks.by_ref().collect();
    let at = |offset| Offset(LIFE_BYTES + offset);
    let gap = Block { at: at(10), time_us: 5, kind: BlockKind::Gap { to: Some(at(22)) } };
    let damaged = life(LIFE_BYTES);
    let expected = [&life(0)[..], &damaged[..4], &[gap], &damaged[5..], &life(2 * LIFE_BYTES)[..]].concat();
    assert_eq!(read, expected);
    assert_eq!(blocks.cuts(), [Cut { number: 2, bytes: (ends[4] - ends[3]) as u64 }]);
}

#[test]
fn d3_output_that_looks_like_blocks_is_read_as_output() {
    let forged = [block(2, b"forged", 1_000), block(6, b"\x01\x00", 1_006)].concat();
    let whole = |at: u64| block(2, &[b"before ", &forged[..], b" behind"].concat(), at);
    let dir = temp_dir();
    write_lives(dir.path(), 1);
    let begins = segment_bytes(dir.path(), 1);
    let check = |bytes: &[u8], expected: &[&[u8]], what: &str| {
        fs::write(segment(dir.path(), 1), [&begins, bytes].concat()).unwrap();
        let read = read(dir.path());
        let printed: Vec<&[u8]> = read[9..]
            .iter()
            .filter_map(|block| match &block.kind {
                BlockKind::Output(bytes) => Some(&bytes[..]),
                _ => None,
            })
            .collect();
        assert_eq!(printed, expected, "{what}");
    };
    let unfinished = whole(LIFE_BYTES);
    for length in 0..unfinished.len() - 1 {
        // If the cut is right behind bytes that look like blocks, no reader can tell.
        if length != BLOCK_HEAD_BYTES + 7 + forged.len() && length != BLOCK_HEAD_BYTES + 7 + BLOCK_BYTES + 6 {
            check(&unfinished[..length], &[], &format!("{length} bytes of a block that is being written"));
        }
    }
    let mut damaged = whole(LIFE_BYTES);
    damaged[BLOCK_HEAD_BYTES] ^= 1;
    let next = LIFE_BYTES + (damaged.len() - BLOCK_BYTES) as u64;
    check(&[damaged, block(2, b"next", next)].concat(), &[b"next"], "a damaged payload");
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
        let read = read(dir.path());
        assert_eq!(read[..9], life(0), "kind {}", strange[0]);
        let is_after = |block: &Block| block.kind == BlockKind::Output(b"after it".to_vec());
        assert!(read.len() == 10 && is_after(&read[9]), "kind {}: {read:?}", strange[0]);
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
    // Where the first block is whole, a damaged head is made do with.
    let whole = segment_bytes(dir.path(), 1)[..HEAD_BYTES].to_vec();
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
