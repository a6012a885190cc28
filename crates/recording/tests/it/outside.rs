//! Other programs change the files of a recording that is being written.

use std::fs::{self, OpenOptions};

use model::Offset;
use recording::Writer;

use crate::life::{head, life, read, recording_in, segment, temp_dir, write_life};

#[test]
fn d4_a_removed_file_is_noticed_and_its_number_not_used_again() {
    let dir = temp_dir();
    let mut writer = Writer::create(dir.path(), &head(0), b"screen").unwrap();
    assert!(writer.is_intact());
    fs::remove_file(writer.path()).unwrap();
    assert!(!writer.is_intact());

    writer.begin_segment(&head(0), b"screen").unwrap();
    assert!(writer.is_intact());
    assert_eq!(writer.path(), segment(dir.path(), 2));
}

#[test]
fn d4_a_removed_directory_comes_back() {
    let dir = temp_dir();
    let dir = recording_in(&dir);
    let mut writer = Writer::create(&dir, &head(0), b"screen").unwrap();
    fs::remove_dir_all(&dir).unwrap();
    assert!(!writer.is_intact());
    writer.begin_segment(&head(0), b"screen").unwrap();
    write_life(&mut writer, 0);
    assert_eq!(read(&dir), life(0));
}

#[test]
fn d4_a_truncated_file_is_noticed_however_much_is_appended() {
    let dir = temp_dir();
    let mut writer = Writer::create(dir.path(), &head(0), b"screen").unwrap();
    let file = OpenOptions::new().write(true).open(writer.path()).unwrap();
    file.set_len(writer.bytes() - 1).unwrap();
    assert!(!writer.is_intact());
    for number in 0..100 {
        writer.output(Offset(number * 4), 1, b"more").unwrap();
    }
    assert!(!writer.is_intact());
}

#[test]
fn d4_blocks_before_the_truncation_are_read() {
    let dir = temp_dir();
    let mut writer = Writer::create(dir.path(), &head(0), b"screen").unwrap();
    writer.output(Offset(0), 1, b"one").unwrap();
    let kept_bytes = writer.bytes();
    writer.output(Offset(3), 2, b"two").unwrap();
    OpenOptions::new().write(true).open(writer.path()).unwrap().set_len(kept_bytes).unwrap();
    writer.output(Offset(6), 3, b"three").unwrap();
    assert_eq!(read(dir.path()), life(0)[..2]);
}

#[test]
fn numbers_of_segments_with_another_file_ending_are_not_used_again() {
    let dir = temp_dir();
    fs::write(dir.path().join("00000041.other"), b"").unwrap();
    let writer = Writer::create(dir.path(), &head(0), b"screen").unwrap();
    assert_eq!(writer.path(), segment(dir.path(), 42));
}
