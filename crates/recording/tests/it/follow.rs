//! Reading what is still being written.

use std::fs;

use model::Offset;
use recording::{Recording, Writer};

use crate::life::{LIFE_BYTES, head, life, segment, segment_bytes, temp_dir, write_life};

#[test]
fn a_reader_goes_on_when_more_was_appended() {
    let dir = temp_dir();
    let mut writer = Writer::create(dir.path(), &head(0), b"screen").unwrap();
    let mut reader = Recording::open(dir.path()).unwrap().newest().unwrap().unwrap();
    assert_eq!(reader.by_ref().collect::<Vec<_>>(), life(0)[..1]);
    assert_eq!(reader.next(), None);
    write_life(&mut writer, 0);
    assert_eq!(reader.by_ref().collect::<Vec<_>>(), life(0)[1..]);
    assert_eq!((reader.at(), reader.bytes_left()), (Offset(LIFE_BYTES), 0));
}

#[test]
fn a_block_that_is_half_written_comes_when_it_is_whole() {
    let source = temp_dir();
    let mut writer = Writer::create(source.path(), &head(0), b"screen").unwrap();
    let start = writer.bytes() as usize;
    write_life(&mut writer, 0);
    let bytes = segment_bytes(source.path(), 1);

    let dir = temp_dir();
    let path = segment(dir.path(), 1);
    fs::write(&path, &bytes[..start]).unwrap();
    let mut reader = Recording::open(dir.path()).unwrap().newest().unwrap().unwrap();
    let mut read = Vec::from_iter(reader.by_ref());
    for length in start..=bytes.len() {
        fs::write(&path, &bytes[..length]).unwrap();
        read.extend(reader.by_ref());
    }
    assert_eq!(read, life(0));
}

#[test]
fn a_block_that_failed_is_read_anew() {
    let dir = temp_dir();
    let mut writer = Writer::create(dir.path(), &head(0), b"screen").unwrap();
    let mut reader = Recording::open(dir.path()).unwrap().newest().unwrap().unwrap();
    let bytes = segment_bytes(dir.path(), 1);
    let torn = [&bytes[..], &[2, 200, 0, 0, 0, 0, 0, 0]].concat();
    fs::write(segment(dir.path(), 1), torn).unwrap();
    assert_eq!(reader.by_ref().count(), 1);
    assert_eq!(reader.bytes_left(), 8);
    fs::write(segment(dir.path(), 1), bytes).unwrap();
    write_life(&mut writer, 0);
    assert_eq!(reader.collect::<Vec<_>>(), life(0)[1..]);
}

#[test]
fn a_reader_finds_the_segment_that_follows() {
    let dir = temp_dir();
    let mut writer = Writer::create(dir.path(), &head(0), b"screen").unwrap();
    let reader = Recording::open(dir.path()).unwrap().newest().unwrap().unwrap();
    assert!(reader.newer().unwrap().is_none());

    fs::write(segment(dir.path(), 2), &segment_bytes(dir.path(), 1)[..60]).unwrap();
    assert!(reader.newer().unwrap().is_none(), "its snapshot is not whole yet");

    writer.begin_segment(&head(0), b"screen").unwrap();
    writer.begin_segment(&head(0), b"screen").unwrap();
    let newer = reader.newer().unwrap().unwrap();
    assert_eq!(newer.number(), 3, "none is left out");
    assert_eq!(newer.newer().unwrap().unwrap().number(), 4);
}
