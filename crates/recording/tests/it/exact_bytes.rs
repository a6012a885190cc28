//! The format, byte by byte. What is written here was written by a release once, and stays readable.

use std::fs;

use model::{Epoch, ExitStatus, Offset, TermSize};
use recording::{LineKind, Recording, Texts, Writer};

use crate::life::{
    head, life, recording_in, seal_all, sealed, segment, segment_bytes, temp_dir, write_lives,
};

#[rustfmt::skip]
const SMALL_SEGMENT: &[u8] = &[
    0x89, b'a', b'b', b'i', b'd', b'e', b'\r', b'\n',   // magic
    1, 0,                                               // format version
    1,                                                  // kind: active
    b'1', b'2', b'3', b'4', b'5', b'6', b'7', b'8',     // worker
    3, 0, 0, 0,                                         // epoch
    0, 1, 0, 0, 0, 0, 0, 0,                             // offset at which it starts: 256
    0x40, 0x42, 0x0f, 0, 0, 0, 0, 0,                    // time: one second after the Unix epoch
    80, 0, 24, 0,                                       // columns, rows
    0xe5, 0xce, 0xff, 0x16,                             // checksum of all before

    1,                                                  // kind: snapshot
    2, 0, 0, 0,                                         // length of the payload
    0, 1, 0, 0, 0, 0, 0, 0,                             // offset
    0x40, 0x42, 0x0f, 0, 0, 0, 0, 0,                    // time
    0x1b, b'c',                                         // payload: the snapshot
    0xa6, 0x09, 0x56, 0x8a,                             // checksum of the block before it

    2,                                                  // kind: output
    3, 0, 0, 0,                                         // length
    0, 1, 0, 0, 0, 0, 0, 0,                             // offset of the first byte
    7, 0, 0, 0, 0, 0, 0, 0,                             // time
    b'h', b'i', b'\n',                                  // payload: what the child printed
    0x18, 0x3f, 0x58, 0xd8,                             // checksum

    3,                                                  // kind: resize
    4, 0, 0, 0,                                         // length
    3, 1, 0, 0, 0, 0, 0, 0,                             // offset
    8, 0, 0, 0, 0, 0, 0, 0,                             // time
    100, 0, 30, 0,                                      // payload: columns, rows
    0x64, 0xc2, 0x66, 0xab,                             // checksum

    4,                                                  // kind: gap
    8, 0, 0, 0,                                         // length
    3, 1, 0, 0, 0, 0, 0, 0,                             // offset of the first byte missing
    9, 0, 0, 0, 0, 0, 0, 0,                             // time
    0, 2, 0, 0, 0, 0, 0, 0,                             // payload: offset of the first byte not missing
    0x14, 0x13, 0x1c, 0xd8,                             // checksum

    4,                                                  // kind: gap
    0, 0, 0, 0,                                         // length: it is unknown how much is missing
    0, 2, 0, 0, 0, 0, 0, 0,                             // offset of the first byte missing, and of the next one there
    10, 0, 0, 0, 0, 0, 0, 0,                            // time
    0x69, 0x6c, 0xbb, 0x6a,                             // checksum

    5,                                                  // kind: epoch
    4, 0, 0, 0,                                         // length
    0, 2, 0, 0, 0, 0, 0, 0,                             // offset
    11, 0, 0, 0, 0, 0, 0, 0,                            // time
    4, 0, 0, 0,                                         // payload: the epoch that begins
    0x8d, 0x7f, 0xbb, 0x54,                             // checksum

    6,                                                  // kind: exit
    2, 0, 0, 0,                                         // length
    0, 2, 0, 0, 0, 0, 0, 0,                             // offset
    12, 0, 0, 0, 0, 0, 0, 0,                            // time
    2, 15,                                              // payload: killed by a signal, number 15
    0xe4, 0x90, 0xb3, 0xdd,                             // checksum
];

#[test]
fn a_small_segment_has_exactly_these_bytes() {
    let dir = temp_dir();
    let dir = recording_in(&dir);
    let mut writer = Writer::create(&dir, &head(0x100), b"\x1bc").unwrap();
    writer.output(Offset(0x100), 7, b"hi\n").unwrap();
    writer.resize(Offset(0x103), 8, TermSize::clamped(100, 30)).unwrap();
    writer.gap(Offset(0x103), 9, Some(Offset(0x200))).unwrap();
    writer.gap(Offset(0x200), 10, None).unwrap();
    writer.epoch(Offset(0x200), 11, Epoch(4)).unwrap();
    writer.exit(Offset(0x200), 12, ExitStatus::Killed { signal: 15 }).unwrap();
    assert_eq!(segment_bytes(&dir, 1), SMALL_SEGMENT);
    assert_eq!(writer.bytes(), SMALL_SEGMENT.len() as u64);
}

#[test]
fn d6_a_segment_of_format_version_1_stays_readable() {
    let dir = temp_dir();
    fs::write(segment(dir.path(), 1), SMALL_SEGMENT).unwrap();
    let recording = Recording::open(dir.path()).unwrap();
    assert_eq!(recording.segments()[0].head, head(0x100));
    let mut blocks = recording.blocks();
    assert_eq!(blocks.by_ref().count(), 7);
    assert_eq!(blocks.cuts(), []);
}

/// A sealed segment as the first release that had them wrote it: [`life`](crate::life::life) and its lines.
const SEALED_SEGMENT: &[u8] = include_bytes!("../fixtures/version-1.sealed");

#[test]
fn d6_a_sealed_segment_of_format_version_1_stays_readable() {
    let dir = temp_dir();
    let path = sealed(dir.path(), 1);
    fs::write(&path, SEALED_SEGMENT).unwrap();
    let recording = Recording::open(dir.path()).unwrap();
    assert_eq!(recording.segments()[0].head, head(0));
    let mut blocks = recording.blocks();
    assert_eq!(blocks.by_ref().collect::<Vec<_>>(), life(0));
    assert_eq!(blocks.cuts(), []);
    let texts: Vec<_> = Texts::open(&path).unwrap().unwrap().collect();
    let lines = format!("one\ntwelve bytes\n{}\n", "x".repeat(40));
    assert_eq!(texts[0].lines().unwrap(), lines.as_bytes());
    assert_eq!(texts[0].places().unwrap()[1], (Offset(10), 4, LineKind::Printed));
    assert!(texts[0].may_contain(b"Twelve") && !texts[0].may_contain(b"thirteen"));
}

/// Writes the file above anew, should there be a version 2: its file goes beside the first.
#[test]
#[ignore = "writes a fixture"]
fn write_the_sealed_segment_of_this_version() {
    let dir = temp_dir();
    write_lives(dir.path(), 1);
    seal_all(dir.path());
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/version-1.sealed");
    fs::copy(sealed(dir.path(), 1), fixture).unwrap();
}
