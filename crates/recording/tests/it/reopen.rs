//! A host that goes on with what another one left.

use std::fs;

use model::{Epoch, ExitStatus, Offset, TermSize};
use recording::Writer;

use crate::life::{
    HEAD_BYTES, LIFE_BYTES, head, life, read, recording_in, seal_all, segment, segment_bytes, temp_dir,
    write_life, write_lives,
};

#[test]
fn a_reopened_recording_returns_its_last_state() {
    let dir = temp_dir();
    drop(write_lives(dir.path(), 2));
    let reopened = Writer::reopen(dir.path()).unwrap().unwrap();
    assert_eq!(reopened.worker, head(0).worker);
    assert_eq!(reopened.at, Offset(2 * LIFE_BYTES));
    assert_eq!(reopened.epoch, Epoch(4));
    assert_eq!(reopened.size, TermSize::clamped(100, 30));
    assert_eq!(reopened.exit, Some(ExitStatus::Killed { signal: 9 }));
    assert_eq!(reopened.cut_bytes, 0);
    assert_eq!(reopened.writer.as_ref().unwrap().bytes(), segment_bytes(dir.path(), 2).len() as u64);
}

#[test]
fn d3_a_torn_tail_is_cut_and_the_recording_goes_on_behind_it() {
    let dir = temp_dir();
    let mut writer = Writer::create(dir.path(), &head(0), b"screen").unwrap();
    let start = writer.bytes();
    writer.output(Offset(0), 1, b"one").unwrap();
    let (whole, bytes) = (writer.bytes(), segment_bytes(dir.path(), 1));
    for length in start..whole {
        fs::write(segment(dir.path(), 1), &bytes[..length as usize]).unwrap();
        let mut reopened = Writer::reopen(dir.path()).unwrap().unwrap();
        assert_eq!((reopened.at, reopened.cut_bytes), (Offset(0), length - start));
        assert_eq!(reopened.writer.as_ref().unwrap().bytes(), start);
        write_life(reopened.writer.as_mut().unwrap(), 0);
        assert_eq!(read(dir.path()), life(0));
    }
}

#[test]
fn a_segment_that_was_never_begun_is_passed_over() {
    let dir = temp_dir();
    let writer = write_lives(dir.path(), 2);
    let bytes = segment_bytes(dir.path(), 2);
    fs::write(segment(dir.path(), 2), &bytes[..HEAD_BYTES + 5]).unwrap();
    drop(writer);

    let mut writer = Writer::reopen(dir.path()).unwrap().unwrap().writer.unwrap();
    assert_eq!(writer.path(), segment(dir.path(), 1));
    writer.begin_segment(&head(LIFE_BYTES), b"screen").unwrap();
    assert_eq!(writer.path(), segment(dir.path(), 3));
    write_life(&mut writer, LIFE_BYTES);
    assert_eq!(read(dir.path()), [life(0), life(LIFE_BYTES)].concat());
}

#[test]
fn an_exit_of_an_earlier_epoch_is_not_returned() {
    let dir = temp_dir();
    let mut writer = write_lives(dir.path(), 1);
    writer.epoch(Offset(LIFE_BYTES), 9, Epoch(5)).unwrap();
    let reopened = Writer::reopen(dir.path()).unwrap().unwrap();
    assert_eq!((reopened.epoch, reopened.exit), (Epoch(5), None));
}

#[test]
fn a_directory_without_segments_has_nothing_to_reopen() {
    let dir = temp_dir();
    assert!(Writer::reopen(&recording_in(&dir)).unwrap().is_none());
    assert!(Writer::reopen(dir.path()).unwrap().is_none());
    fs::write(segment(dir.path(), 1), b"").unwrap();
    assert!(Writer::reopen(dir.path()).unwrap().is_none());
}

#[test]
fn a_sealed_recording_returns_its_last_state_and_begins_another_segment() {
    let dir = temp_dir();
    drop(write_lives(dir.path(), 1));
    seal_all(dir.path());
    let reopened = Writer::reopen(dir.path()).unwrap().unwrap();
    assert_eq!((reopened.at, reopened.epoch), (Offset(LIFE_BYTES), Epoch(4)));
    assert!(reopened.writer.is_none(), "nothing is appended to a sealed segment");
    let mut writer = Writer::create(dir.path(), &head(LIFE_BYTES), b"screen").unwrap();
    assert_eq!(writer.path(), segment(dir.path(), 2));
    write_life(&mut writer, LIFE_BYTES);
    assert_eq!(read(dir.path()), [life(0), life(LIFE_BYTES)].concat());
}
