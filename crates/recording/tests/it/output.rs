//! Output alone, from any offset on.

use std::fs;

use model::Offset;
use recording::{Recording, Stretch, Writer, trim};

use crate::life::{HEAD_BYTES, LIFE_BYTES, head, segment, segment_bytes, temp_dir, write_lives};

fn output(at: u64, bytes: &[u8]) -> Stretch {
    Stretch::Output { at: Offset(at), bytes: bytes.to_vec() }
}

fn gap(from: u64, to: Option<u64>) -> Stretch {
    Stretch::Gap { from: Offset(from), to: to.map(Offset) }
}

fn read_from(dir: &std::path::Path, from: u64) -> Vec<Stretch> {
    Recording::open(dir).unwrap().output_from(Offset(from)).unwrap().collect()
}

#[test]
fn output_begins_at_the_byte_that_is_asked_for() {
    let dir = temp_dir();
    write_lives(dir.path(), 1);
    let all = [
        output(0, b"one"),
        gap(3, Some(10)),
        output(10, b"twelve bytes"),
        gap(22, None),
        output(22, &[b'x'; 40]),
    ];
    assert_eq!(read_from(dir.path(), 0), all);
    assert_eq!(read_from(dir.path(), 2)[..2], [output(2, b"e"), gap(3, Some(10))]);
    assert_eq!(read_from(dir.path(), 5)[0], gap(5, Some(10)));
    assert_eq!(read_from(dir.path(), 17)[0], output(17, b"bytes"));
    assert_eq!(read_from(dir.path(), 22)[0], gap(22, None));
    assert_eq!(read_from(dir.path(), 23), [output(23, &[b'x'; 39])]);
    assert_eq!(read_from(dir.path(), 62), []);
}

#[test]
fn every_offset_comes_once_across_segments() {
    let dir = temp_dir();
    write_lives(dir.path(), 4);
    for from in 0..4 * LIFE_BYTES {
        let mut at = from;
        for stretch in read_from(dir.path(), from) {
            match stretch {
                Stretch::Output { at: Offset(start), bytes } => {
                    assert_eq!(start, at);
                    at += bytes.len() as u64;
                }
                Stretch::Gap { from: Offset(start), to } => {
                    assert_eq!(start, at);
                    at = to.map_or(at, |to| to.0);
                }
            }
        }
        assert_eq!(at, 4 * LIFE_BYTES);
    }
}

#[test]
fn what_was_trimmed_or_damaged_is_a_gap() {
    let dir = temp_dir();
    write_lives(dir.path(), 3);
    let bytes = segment_bytes(dir.path(), 2);
    fs::write(segment(dir.path(), 2), &bytes[..bytes.len() - 50]).unwrap();
    assert!(read_from(dir.path(), 80).contains(&gap(LIFE_BYTES + 22, Some(2 * LIFE_BYTES))));
    trim(dir.path(), 0).unwrap();
    assert_eq!(read_from(dir.path(), 80)[0], gap(80, Some(2 * LIFE_BYTES)));
}

#[test]
fn a_segment_that_was_never_begun_hides_nothing() {
    let dir = temp_dir();
    write_lives(dir.path(), 2);
    let bytes = segment_bytes(dir.path(), 2);
    fs::write(segment(dir.path(), 2), &bytes[..HEAD_BYTES + 1]).unwrap();
    let mut writer = Writer::reopen(dir.path()).unwrap().unwrap().writer.unwrap();
    writer.output(Offset(LIFE_BYTES), 9, b"goes on").unwrap();
    writer.begin_segment(&head(LIFE_BYTES + 7), b"screen").unwrap();
    assert_eq!(read_from(dir.path(), LIFE_BYTES), [output(LIFE_BYTES, b"goes on")]);
}
