//! Reading takes bounded memory for any file.

use std::fs::{self, OpenOptions};

use model::Offset;
use recording::{Recording, Writer};
use testkit::{CountingAllocator, heap_of};

use crate::life::{HEAD_BYTES, head, segment, segment_bytes, temp_dir};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// What a reader reads ahead, one block of 64 KiB, and as much again for all the rest.
const ALLOWED_BYTES: usize = 256 << 10;

#[test]
fn a_long_segment_is_read_in_little_memory() {
    let dir = temp_dir();
    let mut writer = Writer::create(dir.path(), &head(0), b"screen").unwrap();
    let chunk = [b'x'; 64 << 10];
    for number in 0..100 {
        writer.output(Offset(number * chunk.len() as u64), 1, &chunk).unwrap();
    }
    let (blocks, heap) = heap_of(|| Recording::open(dir.path()).unwrap().blocks().count());
    assert_eq!(blocks, 101);
    assert!(heap.peak <= ALLOWED_BYTES, "{} bytes at most", heap.peak);
}

#[test]
fn a_length_is_believed_only_as_far_as_the_file_goes() {
    let dir = temp_dir();
    Writer::create(dir.path(), &head(0), b"screen").unwrap();
    let mut bytes = segment_bytes(dir.path(), 1);
    bytes[HEAD_BYTES + 1..HEAD_BYTES + 5].copy_from_slice(&(64_u32 << 20).to_le_bytes());
    fs::write(segment(dir.path(), 1), bytes).unwrap();
    let (blocks, heap) = heap_of(|| Recording::open(dir.path()).unwrap().blocks().count());
    assert_eq!(blocks, 0);
    assert!(heap.peak <= ALLOWED_BYTES, "{} bytes at most", heap.peak);
}

#[test]
fn a_length_is_believed_only_as_far_as_its_kind_allows() {
    let dir = temp_dir();
    let mut writer = Writer::create(dir.path(), &head(0), b"screen").unwrap();
    let start = writer.bytes() as usize;
    writer.output(Offset(0), 1, b"output").unwrap();
    let mut bytes = segment_bytes(dir.path(), 1);
    bytes[start + 1..start + 5].copy_from_slice(&u32::MAX.to_le_bytes());
    fs::write(segment(dir.path(), 1), bytes).unwrap();
    // Large enough for any length, and nothing on the disk.
    OpenOptions::new().write(true).open(segment(dir.path(), 1)).unwrap().set_len(8 << 30).unwrap();
    let (blocks, heap) = heap_of(|| Recording::open(dir.path()).unwrap().blocks().count());
    assert_eq!(blocks, 1);
    // So much is looked at for blocks behind it.
    assert!(heap.peak <= ALLOWED_BYTES + (16 << 20), "{} bytes at most", heap.peak);
}
