//! A disk that is full, and has room again later.

use std::fs;
use std::path::Path;

use model::Offset;
use recording::{BlockKind, Recording, Writer};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::life::{head, recording_in, temp_dir};
use testkit::again;

/// Larger than a page, so that a full disk takes part of it.
const CHUNK: [u8; 10_000] = [b'x'; 10_000];

/// Records until the disk is full, loses some output, makes room, and records on.
fn check_full_then_free(dir: &Path, make_room: impl FnOnce()) {
    let mut writer = Writer::create(dir, &head(0), b"screen").unwrap();
    let mut at = Offset(0);
    let mut recorded = 0;
    while writer.output(at, 1, &CHUNK).is_ok() {
        at += CHUNK.len();
        recorded += 1;
        assert!(recorded < 1000, "the disk does not get full");
    }
    assert!(recorded > 0, "the disk is not full from the beginning");
    let lost_from = at;
    for _ in 0..3 {
        at += CHUNK.len();
        writer.output(at, 2, &CHUNK).unwrap_err();
        assert_eq!(fs::metadata(writer.path()).unwrap().len(), writer.bytes(), "nothing of it stays behind");
    }
    assert!(writer.is_intact());
    let segments = fs::read_dir(dir).unwrap().count();
    writer.begin_segment(&head(at.0), &CHUNK.repeat(30)).unwrap_err();
    assert_eq!(fs::read_dir(dir).unwrap().count(), segments, "no segment is left that could not be begun");

    make_room();
    at += CHUNK.len();
    writer.output(at, 3, b"there is room").unwrap();

    let mut blocks = Recording::open(dir).unwrap().blocks();
    let kinds: Vec<_> = blocks.by_ref().skip(1 + recorded).map(|block| (block.at, block.kind)).collect();
    let gap = BlockKind::Gap { to: Some(at) };
    assert_eq!(kinds, [(lost_from, gap), (at, BlockKind::Output(b"there is room".to_vec()))]);
    assert_eq!(blocks.cuts(), []);
}

#[test]
fn d1_a_full_disk_leaves_a_gap_and_whole_blocks() {
    let Some(dir) = again::directory() else {
        let shell = ["unshare", "--user", "--map-root-user", "--mount", "sh"];
        let script = r#"mount -t tmpfs -o size=256k tmpfs "$dir" && exec "$@""#;
        return match again::run(&shell, script) {
            Ok(output) if output.stdout.is_empty() => {
                testkit::skip(&format!("no small disk: {}", String::from_utf8_lossy(&output.stderr)));
            }
            Ok(output) => again::assert_passed(&output),
            Err(error) => testkit::skip(&format!("no small disk: unshare: {error}")),
        };
    };
    let filler = dir.join("filler");
    fs::write(&filler, [0; 100_000]).unwrap();
    check_full_then_free(&dir.join("recording"), || fs::remove_file(&filler).unwrap());
}

#[test]
fn d1_a_file_that_may_not_grow_leaves_a_gap_and_whole_blocks() {
    let Some(dir) = again::directory() else {
        // Ignored across exec, so that a write beyond the limit is an error and no signal.
        return again::check(r#"trap '' XFSZ; ulimit -S -f 200; exec "$@""#);
    };
    check_full_then_free(&dir.join("recording"), || {
        let maximum = getrlimit(Resource::Fsize).maximum;
        setrlimit(Resource::Fsize, Rlimit { current: maximum, maximum }).unwrap();
    });
}

#[test]
fn d1_a_segment_that_cannot_be_begun_leaves_the_writer_where_it_was() {
    let dir = temp_dir();
    let dir = recording_in(&dir);
    let mut writer = Writer::create(&dir, &head(0), b"screen").unwrap();
    fs::rename(&dir, dir.with_extension("away")).unwrap();
    fs::write(&dir, b"in the way").unwrap();
    writer.begin_segment(&head(0), b"screen").unwrap_err();
    writer.output(Offset(0), 1, b"still here").unwrap();
    assert!(writer.is_intact());
}
