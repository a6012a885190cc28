//! Sealed files that were cut or flipped: every pack that is whole is read.

use std::fs;
use std::path::Path;

use model::Offset;
use recording::{Block, BlockKind, Masked, OpenError, Recording, SegmentReader, Texts, Writer, seal};
use testkit::Random;

use crate::life::{BLOCK_BYTES, HEAD_BYTES, head, lines_of, sealed, temp_dir};

const CONTENTS: u8 = 16;
const TEXT: u8 = 17;
const PACK: u8 = 18;

/// Output that fills a pack, and compresses well.
const PACK_OUTPUT: usize = 520 << 10;

const PACKS: usize = 3;

fn blocks() -> Vec<Block> {
    let mut blocks = vec![Block { at: Offset(0), time_us: 0, kind: BlockKind::Snapshot(b"screen".to_vec()) }];
    for number in 0..PACKS {
        let at = Offset((number * PACK_OUTPUT) as u64);
        let bytes = vec![b'a' + number as u8; PACK_OUTPUT];
        blocks.push(Block { at, time_us: number as u64, kind: BlockKind::Output(bytes) });
    }
    blocks
}

/// The kind of each part of the file, where it begins and where it ends.
fn parts(bytes: &[u8]) -> Vec<(u8, usize, usize)> {
    let mut parts = Vec::new();
    let mut position = HEAD_BYTES;
    while position + 4 < bytes.len() {
        let length: [u8; 4] = bytes[position + 1..position + 5].try_into().unwrap();
        let end = position + BLOCK_BYTES + u32::from_le_bytes(length) as usize;
        parts.push((bytes[position], position, end));
        position = end;
    }
    parts
}

/// What is read, as the offsets of the stretches that are there.
fn read(path: &Path) -> Vec<u64> {
    let reader = match SegmentReader::open(path) {
        Ok(reader) => reader,
        Err(OpenError::Io(error)) => panic!("{error}"),
        Err(_) => return Vec::new(),
    };
    let mut at = Offset(0);
    let mut offsets = Vec::new();
    for block in reader {
        assert_eq!(block.at, at, "blocks follow each other, with gaps for missing output");
        match block.kind {
            BlockKind::Output(bytes) => {
                assert!(bytes.iter().all(|byte| *byte == b'a' + (at.0 / PACK_OUTPUT as u64) as u8));
                offsets.push(at.0);
                at += bytes.len();
            }
            BlockKind::Gap { to } => at = to.unwrap(),
            _ => {}
        }
    }
    offsets
}

/// How many texts are read, each of which is one that was written.
fn read_texts(path: &Path) -> usize {
    let texts = match Texts::open(path) {
        Ok(texts) => texts.expect("a sealed segment has texts"),
        Err(OpenError::Io(error)) => panic!("{error}"),
        Err(_) => return 0,
    };
    let is_ours = |text: &recording::Text| {
        let (lines, places) = (text.lines().unwrap(), text.places().unwrap());
        let letters: Vec<u8> =
            lines.split(|byte| *byte == b'\n').filter_map(|line| line.first().copied()).collect();
        assert_eq!(letters.len(), places.len());
        assert!(letters.iter().all(|letter| text.may_contain(&[*letter; 4])));
    };
    texts.inspect(is_ours).count()
}

fn damage_each(seeds: std::ops::Range<u64>, damage: impl Fn(&mut Random, &mut Vec<u8>)) {
    let dir = temp_dir();
    drop(Writer::create(dir.path(), &head(0), b"screen").unwrap());
    let segments = Recording::open(dir.path()).unwrap();
    seal(&segments.segments()[0], &blocks(), &lines_of(&blocks()[1..]), Masked::Yes).unwrap();
    let path = sealed(dir.path(), 1);
    let whole = fs::read(&path).unwrap();
    let parts = parts(&whole);
    for seed in seeds {
        let mut bytes = whole.clone();
        damage(&mut Random::new(seed), &mut bytes);
        fs::write(&path, &bytes).unwrap();
        let is_same = |from: usize, to: usize| bytes.get(from..to) == Some(&whole[from..to]);
        let is_told = is_same(0, HEAD_BYTES)
            && parts.iter().any(|&(kind, from, to)| {
                let is_last = to + 4 == whole.len();
                kind == CONTENTS
                    && is_same(from, to)
                    && (!is_last || (bytes.len() == whole.len() && is_same(to, to + 4)))
            });
        let packs = parts.iter().filter(|(kind, ..)| *kind == PACK);
        let expected: Vec<u64> = packs
            .enumerate()
            .filter(|(_, (_, from, to))| is_told && is_same(*from, *to))
            .map(|(number, _)| (number * PACK_OUTPUT) as u64)
            .collect();
        assert_eq!(read(&path), expected, "seed {seed}");
        let is_whole = |&(kind, from, to): &(u8, usize, usize)| kind == TEXT && is_told && is_same(from, to);
        assert_eq!(read_texts(&path), parts.iter().filter(|part| is_whole(part)).count(), "seed {seed}");
    }
}

fn flip(random: &mut Random, bytes: &mut [u8]) {
    for _ in 0..random.between(1, 4) {
        let place = random.below(bytes.len());
        bytes[place] ^= 1 << random.below(8);
    }
}

fn cut(random: &mut Random, bytes: &mut Vec<u8>) {
    bytes.truncate(random.below(bytes.len() + 1));
}

fn zero(random: &mut Random, bytes: &mut [u8]) {
    let from = random.below(bytes.len());
    let to = (from + random.between(1, 400)).min(bytes.len());
    bytes[from..to].fill(0);
}

#[test]
fn d3_flips_in_a_sealed_segment_cost_one_pack_each() {
    damage_each(0..3_000, |random, bytes| flip(random, bytes));
}

#[test]
fn d3_a_torn_sealed_segment_is_read_up_to_the_cut() {
    damage_each(0..1_000, cut);
}

#[test]
fn d3_zeroed_stretches_of_a_sealed_segment_cost_their_packs() {
    damage_each(0..1_000, |random, bytes| zero(random, bytes));
}

/// Run by `cargo xtask soak recording`.
#[test]
#[ignore = "takes minutes"]
fn soak_a_hundred_thousand_damages_of_a_sealed_segment() {
    damage_each(10_000..60_000, |random, bytes| flip(random, bytes));
    damage_each(60_000..85_000, cut);
    damage_each(85_000..110_000, |random, bytes| zero(random, bytes));
}
