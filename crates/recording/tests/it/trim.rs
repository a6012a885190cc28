//! The bound of a recording.

use std::fs;

use recording::{Recording, trim};

use crate::life::{HEAD_BYTES, LIFE_BYTES, head, life, read, segment, segment_bytes, temp_dir, write_lives};

#[test]
fn d5_the_oldest_segments_go_until_the_rest_fit() {
    let dir = temp_dir();
    write_lives(dir.path(), 5);
    let each = segment_bytes(dir.path(), 1).len() as u64;
    assert!(trim(dir.path(), 5 * each).unwrap().is_empty());
    assert_eq!(trim(dir.path(), 3 * each + 1).unwrap(), [segment(dir.path(), 1), segment(dir.path(), 2)]);
    let kept: Vec<_> = (2..5).flat_map(|number| life(number * LIFE_BYTES)).collect();
    assert_eq!(read(dir.path()), kept);
}

#[test]
fn d5_the_newest_segment_stays_whatever_its_size() {
    let dir = temp_dir();
    let mut writer = write_lives(dir.path(), 3);
    assert_eq!(trim(dir.path(), 0).unwrap().len(), 2);
    assert!(writer.is_intact());
    assert_eq!(trim(dir.path(), 0).unwrap().len(), 0);
    writer.begin_segment(&head(3 * LIFE_BYTES), b"screen").unwrap();
    assert_eq!(writer.path(), segment(dir.path(), 4));
}

#[test]
fn d5_what_can_be_read_is_not_given_up_for_what_cannot() {
    let dir = temp_dir();
    write_lives(dir.path(), 3);
    let bytes = segment_bytes(dir.path(), 3);
    fs::write(segment(dir.path(), 3), &bytes[..HEAD_BYTES + 1]).unwrap();
    assert_eq!(trim(dir.path(), 0).unwrap(), [segment(dir.path(), 1)]);
    assert_eq!(Recording::open(dir.path()).unwrap().newest().unwrap().unwrap().number(), 2);
}
