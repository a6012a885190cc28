//! Sealed segments: read like active ones, smaller, and with their text.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use model::{Offset, TermSize};
use recording::{
    Block, BlockKind, Line, LineKind, Masked, Recording, SegmentKind, SegmentReader, Texts, Writer, seal,
    trim,
};
use testkit::Random;

use crate::life::{
    LIFE_BYTES, head, life, read, recording_in, seal_all, sealed, segment, segment_bytes, temp_dir,
    write_life, write_lives,
};

#[test]
fn a_sealed_recording_reads_as_it_was() {
    let dir = temp_dir();
    write_lives(dir.path(), 3);
    let before = read(dir.path());
    seal_all(dir.path());
    assert_eq!(read(dir.path()), before);
    let recording = Recording::open(dir.path()).unwrap();
    assert!(recording.segments().iter().all(|segment| segment.kind == SegmentKind::Sealed));
    assert_eq!(recording.segments()[1].head, head(LIFE_BYTES));
    assert!(!segment(dir.path(), 1).exists(), "the raw one is gone");
    let newest = recording.newest().unwrap().unwrap();
    assert_eq!(newest.head().at, Offset(2 * LIFE_BYTES));
}

#[test]
fn a_reader_of_an_active_segment_reads_on_while_it_is_sealed() {
    let dir = temp_dir();
    write_lives(dir.path(), 2);
    let recording = Recording::open(dir.path()).unwrap();
    let mut reader = SegmentReader::open(&recording.segments()[0].path).unwrap();
    let mut blocks: Vec<Block> = reader.by_ref().take(3).collect();
    seal_all(dir.path());
    blocks.extend(reader.by_ref());
    assert_eq!(blocks, life(0));
    assert_eq!(recording.blocks().collect::<Vec<_>>(), [life(0), life(LIFE_BYTES)].concat());
    let next = reader.newer().unwrap().unwrap();
    assert_eq!((next.kind(), next.head().at), (SegmentKind::Sealed, Offset(LIFE_BYTES)));
}

#[test]
fn a_host_goes_on_behind_segments_that_are_sealed_meanwhile() {
    let dir = temp_dir();
    let mut writer = write_lives(dir.path(), 1);
    let at = LIFE_BYTES;
    writer.begin_segment(&head(at), b"screen").unwrap();
    let recording = Recording::open(dir.path()).unwrap();
    let blocks = life(0);
    seal(&recording.segments()[0], &blocks, &[], Masked::Yes).unwrap();
    write_life(&mut writer, at);
    assert_eq!(read(dir.path()), [life(0), life(at)].concat());
}

/// Blocks of a segment with much output, in several packs.
fn many_blocks(seed: u64) -> Vec<Block> {
    let mut random = Random::new(seed);
    let mut blocks = vec![Block { at: Offset(7), time_us: 9, kind: BlockKind::Snapshot(vec![b's'; 3000]) }];
    let mut at = 7;
    for number in 0..random.between(1, 60) as u64 {
        let kind = match random.below(10) {
            0 => BlockKind::Resize(TermSize::clamped(10 + number as u16, 20)),
            1 => BlockKind::Gap { to: Some(Offset(at + 5)) },
            2 => BlockKind::Gap { to: None },
            _ => {
                let length = random.between(1, 100_000);
                BlockKind::Output((0..length).map(|_| b'a' + random.below(4) as u8).collect())
            }
        };
        let block: Block = Block { at: Offset(at), time_us: 10 + number, kind };
        at += match &block.kind {
            BlockKind::Output(bytes) => bytes.len() as u64,
            BlockKind::Gap { to: Some(_) } => 5,
            _ => 0,
        };
        blocks.push(block);
    }
    blocks
}

#[test]
fn any_blocks_come_back_from_a_sealed_segment() {
    for seed in 0..40 {
        let dir = temp_dir();
        drop(Writer::create(dir.path(), &head(7), b"screen").unwrap());
        let blocks = many_blocks(seed);
        let recording = Recording::open(dir.path()).unwrap();
        let sizes = seal(&recording.segments()[0], &blocks, &[], Masked::No).unwrap();
        assert_eq!(sizes.after_bytes, fs::metadata(sealed(dir.path(), 1)).unwrap().len());
        assert_eq!(read(dir.path()), blocks, "seed {seed}");
        let recording = Recording::open(dir.path()).unwrap();
        assert_eq!(SegmentReader::open(&recording.segments()[0].path).unwrap().masked(), Masked::No);
    }
}

#[test]
fn lines_come_back_with_their_places() {
    let dir = temp_dir();
    drop(Writer::create(dir.path(), &head(0), b"screen").unwrap());
    let mut random = Random::new(1);
    let mut at = 0;
    let lines: Vec<Line> = (0..60_000)
        .map(|number| {
            at += random.below(200) as u64;
            let kind = if random.percent(10) { LineKind::Frame } else { LineKind::Printed };
            Line {
                at: Offset(at),
                time_us: at * 3,
                kind,
                text: format!("line {number} ä {}", "x".repeat(random.below(60))),
            }
        })
        .collect();
    let recording = Recording::open(dir.path()).unwrap();
    seal(&recording.segments()[0], &life(0), &lines, Masked::Yes).unwrap();
    let mut read = Vec::new();
    let mut texts = Texts::open(&sealed(dir.path(), 1)).unwrap().unwrap();
    let mut parts = 0;
    for text in &mut texts {
        parts += 1;
        let bytes = text.lines().unwrap();
        let words = str::from_utf8(&bytes).unwrap().lines();
        read.extend(words.zip(text.places().unwrap()).map(|(text, (at, time_us, kind))| Line {
            at,
            time_us,
            kind,
            text: text.to_owned(),
        }));
        assert!(text.may_contain(b"LINE") && !text.may_contain(b"no such word"));
    }
    assert_eq!(texts.lost(), 0);
    assert!(parts > 1, "in parts that can be passed over");
    assert_eq!(read, lines);
}

#[test]
fn active_segments_have_no_text() {
    let dir = temp_dir();
    write_lives(dir.path(), 1);
    assert!(Texts::open(&segment(dir.path(), 1)).unwrap().is_none());
}

#[test]
fn a_sealing_that_is_stopped_leaves_a_recording_that_reads_as_before() {
    let dir = temp_dir();
    write_lives(dir.path(), 2);
    let active = segment_bytes(dir.path(), 1);
    fs::write(dir.path().join("00000001.sealing"), b"half of it").unwrap();
    assert_eq!(read(dir.path()), [life(0), life(LIFE_BYTES)].concat());
    seal_all(dir.path());
    assert!(!dir.path().join("00000001.sealing").exists());
    // Stopped between putting the one in place and taking the other away.
    fs::write(segment(dir.path(), 1), active).unwrap();
    let recording = Recording::open(dir.path()).unwrap();
    assert_eq!(recording.segments().len(), 2);
    assert_eq!(recording.segments()[0].kind, SegmentKind::Sealed);
    assert_eq!(read(dir.path()), [life(0), life(LIFE_BYTES)].concat());

    fs::write(dir.path().join("00000002.sealing"), b"half of it").unwrap();
    assert_eq!(recording::remove_leftovers(dir.path()).unwrap(), 2, "what is raw or not whole goes");
    assert!(!segment(dir.path(), 1).exists() && !dir.path().join("00000002.sealing").exists());
    assert_eq!(read(dir.path()), [life(0), life(LIFE_BYTES)].concat());
}

#[test]
fn an_active_segment_stays_as_long_as_the_sealed_one_beside_it_is_not_whole() {
    let dir = temp_dir();
    write_lives(dir.path(), 1);
    fs::write(sealed(dir.path(), 1), b"damaged").unwrap();
    assert_eq!(recording::remove_leftovers(dir.path()).unwrap(), 0);
    assert!(segment(dir.path(), 1).exists());
}

#[test]
fn blocks_that_do_not_follow_each_other_are_refused_and_the_active_segment_stays() {
    let dir = temp_dir();
    write_lives(dir.path(), 1);
    let recording = Recording::open(dir.path()).unwrap();
    let mut blocks = life(0);
    blocks.remove(1);
    assert!(seal(&recording.segments()[0], &blocks, &[], Masked::Yes).is_err());
    assert!(seal(&recording.segments()[0], &life(0)[1..], &[], Masked::Yes).is_err());
    assert_eq!(read(dir.path()), life(0));
}

#[test]
fn sealed_segments_are_the_owners_alone() {
    let dir = temp_dir();
    let recording = recording_in(&dir);
    write_lives(&recording, 1);
    seal_all(&recording);
    let mode = fs::metadata(sealed(&recording, 1)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn d5_trimming_counts_and_removes_every_kind() {
    let dir = temp_dir();
    write_lives(dir.path(), 3);
    seal_all(dir.path());
    fs::write(segment(dir.path(), 1), [0; 5000]).unwrap();
    fs::write(dir.path().join("00000002.sealing"), [0; 5000]).unwrap();
    let all: u64 =
        fs::read_dir(dir.path()).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert_eq!(trim(dir.path(), all).unwrap().len(), 0);
    let removed = trim(dir.path(), 1).unwrap();
    assert_eq!(removed.len(), 4);
    assert_eq!(read(dir.path()), life(2 * LIFE_BYTES), "the newest stays");
}
