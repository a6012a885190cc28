//! The bound of a recording.

use std::fs;
use std::path::PathBuf;

use recording::{Bound, Bounded, Recording, SegmentHead, Surplus, Writer, excess, trim};

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
fn d5_the_newest_segment_stays_with_any_size() {
    let dir = temp_dir();
    let mut writer = write_lives(dir.path(), 3);
    assert_eq!(trim(dir.path(), 0).unwrap().len(), 2);
    assert!(writer.is_intact());
    assert_eq!(trim(dir.path(), 0).unwrap().len(), 0);
    writer.begin_segment(&head(3 * LIFE_BYTES), b"screen").unwrap();
    assert_eq!(writer.path(), segment(dir.path(), 4));
}

#[test]
fn d5_the_newest_readable_segment_stays_even_if_an_unreadable_one_is_newer() {
    let dir = temp_dir();
    write_lives(dir.path(), 3);
    let bytes = segment_bytes(dir.path(), 3);
    fs::write(segment(dir.path(), 3), &bytes[..HEAD_BYTES + 1]).unwrap();
    assert_eq!(trim(dir.path(), 0).unwrap(), [segment(dir.path(), 1)]);
    assert_eq!(Recording::open(dir.path()).unwrap().newest().unwrap().unwrap().number(), 2);
}

#[test]
fn d5_of_many_recordings_the_oldest_goes_first_and_the_newest_of_each_stays() {
    let dir = temp_dir();
    let dirs = [dir.path().join("a"), dir.path().join("b"), dir.path().join("none")];
    for (index, dir) in dirs.iter().take(2).enumerate() {
        let mut writer = Writer::create(dir, &at_time(0, index as u64), b"screen").unwrap();
        for number in 1..4 {
            writer.begin_segment(&at_time(0, number * 10 + index as u64), b"screen").unwrap();
        }
    }
    let each = segment_bytes(&dirs[0], 1).len() as u64;
    assert_eq!(surplus(&dirs, u64::MAX, 8 * each), []);
    let goes: Vec<_> = surplus(&dirs, u64::MAX, 5 * each).into_iter().map(|file| file.path).collect();
    assert_eq!(goes, [segment(&dirs[0], 1), segment(&dirs[1], 1), segment(&dirs[0], 2)]);
    let all = surplus(&dirs, u64::MAX, 0);
    assert_eq!(all.len(), 6, "the newest of each stays");
    all.iter().for_each(|file| file.remove().unwrap());
    assert_eq!(surplus(&dirs, u64::MAX, 0), []);
    assert_eq!(Recording::open(&dirs[1]).unwrap().segments()[0].number, 4);
}

#[test]
fn d5_a_clock_that_was_set_back_does_not_make_the_newest_go_first() {
    let dir = temp_dir();
    let mut writer = Writer::create(dir.path(), &at_time(0, 1000), b"screen").unwrap();
    writer.begin_segment(&at_time(0, 10), b"screen").unwrap();
    writer.begin_segment(&at_time(0, 20), b"screen").unwrap();
    let each = segment_bytes(dir.path(), 1).len() as u64;
    assert_eq!(trim(dir.path(), 2 * each).unwrap(), [segment(dir.path(), 1)]);
}

fn surplus(dirs: &[PathBuf], most_bytes: u64, all_bytes: u64) -> Vec<Surplus> {
    let recordings: Vec<_> = dirs.iter().map(|dir| Bounded { dir: dir.clone(), most_bytes }).collect();
    excess(&recordings, all_bytes).files
}

#[test]
fn d5_both_bounds_hold_at_once() {
    let dir = temp_dir();
    let dirs = [dir.path().join("a"), dir.path().join("b")];
    write_lives(&dirs[0], 6);
    write_lives(&dirs[1], 3);
    let each = segment_bytes(&dirs[0], 1).len() as u64;
    let goes = surplus(&dirs, 4 * each, 5 * each);
    let over: Vec<_> = goes.iter().map(|file| (file.recording, file.over)).collect();
    // Two of the first are over its own bound; of the seven that stay, two more go, the oldest of all.
    assert_eq!(over, [(0, Bound::Each), (0, Bound::Each), (0, Bound::All), (0, Bound::All)]);
}

#[test]
fn a_recording_that_cannot_be_read_is_reported_and_the_others_are_trimmed() {
    let dir = temp_dir();
    let dirs = [dir.path().join("a"), dir.path().join("file")];
    write_lives(&dirs[0], 3);
    fs::write(&dirs[1], b"no directory").unwrap();
    let recordings = dirs.each_ref().map(|dir| Bounded { dir: dir.clone(), most_bytes: 1 });
    let excess = excess(&recordings, u64::MAX);
    assert_eq!(excess.files.len(), 2);
    assert_eq!(excess.unreadable.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1]);
}

fn at_time(at: u64, time_us: u64) -> SegmentHead {
    SegmentHead { time_us, ..head(at) }
}
