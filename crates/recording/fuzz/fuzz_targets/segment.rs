//! Any segment is read without a panic, and what is read of it follows one from the other.
//!
//! `cargo +nightly fuzz run segment` in `crates/recording`, with `cargo install cargo-fuzz`.

#![no_main]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use model::{Epoch, Offset, TermSize, WorkerId};
use recording::{BlockKind, SegmentHead, SegmentReader, Texts, Writer};
use tempfile::TempDir;

/// How long a head is.
const HEAD_BYTES: usize = 47;

static DIR: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a directory for segments"));

/// A segment with nothing but its snapshot, at offset zero.
static BEGINNING: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let head = SegmentHead {
        worker: WorkerId::from_random([0; WorkerId::RANDOM_BYTES]),
        epoch: Epoch(0),
        at: Offset(0),
        time_us: 0,
        size: TermSize::MIN,
    };
    let writer = Writer::create(&DIR.path().join("whole"), &head, b"").expect("a segment");
    fs::read(writer.path()).expect("the written segment")
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let path = DIR.path().join("00000001.active");
    check(&path, bytes);
    check(&path, &[&BEGINNING, bytes].concat());
    check(&path, &[&BEGINNING[..], &summed(bytes)].concat());
    check(&path, &[&sealed_head()[..], &summed(bytes)].concat());
    check_texts(&path);
});

/// The head of a sealed segment.
fn sealed_head() -> Vec<u8> {
    let mut head = BEGINNING[..HEAD_BYTES - 4].to_vec();
    head[10] = 2;
    let sum = crc32fast::hash(&head);
    head.extend(sum.to_le_bytes());
    head
}

fn check_texts(path: &Path) {
    if let Ok(Some(texts)) = Texts::open(path) {
        for text in texts {
            let _ = (text.may_contain(b"any"), text.lines(), text.places());
        }
    }
}

/// Blocks with the right checksums, made from the fuzzer's bytes: a length, then so many bytes of kind, offset, time and
/// payload.
fn summed(mut bytes: &[u8]) -> Vec<u8> {
    let mut blocks = Vec::new();
    while let Some((&length, rest)) = bytes.split_first()
        && let Some((block, rest)) = rest.split_at_checked(usize::from(length).max(17))
    {
        let start = blocks.len();
        blocks.push(block[0]);
        blocks.extend((block.len() as u32 - 17).to_le_bytes());
        blocks.extend(&block[1..]);
        let sum = crc32fast::hash(&blocks[start..]);
        blocks.extend(sum.to_le_bytes());
        bytes = rest;
    }
    blocks
}

fn check(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).expect("a segment");
    let Ok(mut reader) = SegmentReader::open(path) else { return };
    let mut at = reader.head().at;
    while let Some(block) = reader.next() {
        assert_eq!(block.at, at);
        match block.kind {
            BlockKind::Output(bytes) => at += bytes.len(),
            BlockKind::Gap { to: Some(to) } => at = to,
            _ => (),
        }
        assert_eq!(reader.at(), at);
    }
    assert!(reader.bytes_left() <= bytes.len() as u64);
}
