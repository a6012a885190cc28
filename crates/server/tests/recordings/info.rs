use std::fs;

use model::{ExitStatus, MaskPolicy, Offset};
use server::recordings::{Gap, RecordingError, Stop, info};

use crate::life::{House, after_ms, seal, size};

#[test]
fn info_lists_times_sizes_gaps_and_the_exit() {
    let house = House::new();
    let mut life = house.life(1);
    life.wait_ms(10).print("one\r\n").resize(100, 30).miss(Some(7)).wait_ms(20).print("two\r\n");
    life.miss(None).resize(90, 20).segment().wait_ms(30).print("three\r\n").exit();
    for sealed in [false, true] {
        if sealed {
            seal(&life, MaskPolicy::Always);
        }
        let info = info(&life.dir, &Stop::default()).expect("a recording");
        assert_eq!((info.first_offset, info.end_offset), (Offset(0), life.at));
        assert_eq!((info.first_at, info.last_at), (after_ms(0), after_ms(60)));
        assert_eq!((info.segments, info.sealed_segments), (2, if sealed { 2 } else { 0 }));
        assert_eq!((info.resizes, info.size), (2, size(90, 20)));
        let gaps = [Gap { from: Offset(5), to: Some(Offset(12)) }, Gap { from: Offset(17), to: None }];
        assert_eq!((info.gaps.as_slice(), info.gap_count), (gaps.as_slice(), 2));
        assert_eq!(info.exit, Some(ExitStatus::Exited { code: 3 }));
        let files = fs::read_dir(life.dir.recording()).expect("a directory");
        let bytes: u64 = files.map(|file| file.expect("a file").metadata().expect("its size").len()).sum();
        assert_eq!(info.bytes_on_disk, bytes);
    }
}

#[test]
fn a_missing_segment_in_the_middle_is_a_gap() {
    let house = House::new();
    let mut life = house.life(1);
    let mut begins = Vec::new();
    for number in 0..4 {
        begins.push(life.at);
        life.print(format!("segment {number}\r\n")).segment();
    }
    life.exit();
    let files = || {
        let files = fs::read_dir(life.dir.recording()).expect("a directory");
        let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
        files.sort();
        files
    };
    fs::remove_file(&files()[2]).expect("removed");
    fs::remove_file(&files()[0]).expect("removed");
    let info = info(&life.dir, &Stop::default()).expect("a recording");
    assert_eq!(info.first_offset, begins[1], "missing segments at the start are not a gap");
    assert_eq!(info.gaps, [Gap { from: begins[2], to: Some(begins[3]) }]);
    assert_eq!(info.end_offset, life.at);
}

#[test]
fn info_lists_a_thousand_gaps_and_counts_the_rest() {
    let house = House::new();
    let mut life = house.life(1);
    for _ in 0..1_500 {
        life.print("x").miss(Some(1));
    }
    let info = info(&life.dir, &Stop::default()).expect("a recording");
    assert_eq!((info.gaps.len(), info.gap_count), (1_000, 1_500));
}

#[test]
fn info_counts_a_segment_that_cannot_be_read() {
    let house = House::new();
    let mut life = house.life(1);
    life.print("x").exit();
    fs::write(life.dir.recording().join("00000009.sealed"), b"garbage").expect("written");
    let info = info(&life.dir, &Stop::default()).expect("a recording");
    assert_eq!((info.segments, info.unreadable_segments), (1, 1));
    assert_eq!(info.last_at, after_ms(0));
}

#[test]
fn a_recording_with_only_damaged_files_is_an_error() {
    let house = House::new();
    let dir = house.home().worker("k7f2m3qa".parse().expect("an id"));
    fs::create_dir_all(dir.recording()).expect("made");
    fs::write(dir.recording().join("00000009.sealed"), b"garbage").expect("written");
    assert!(matches!(info(&dir, &Stop::default()), Err(RecordingError::Read(_))));
}

#[test]
fn a_worker_without_a_recording_is_an_error() {
    let house = House::new();
    let dir = house.home().worker("k7f2m3qa".parse().expect("an id"));
    assert!(matches!(info(&dir, &Stop::default()), Err(RecordingError::Empty)));
    fs::create_dir_all(dir.recording()).expect("made");
    assert!(matches!(info(&dir, &Stop::default()), Err(RecordingError::Empty)));
}
