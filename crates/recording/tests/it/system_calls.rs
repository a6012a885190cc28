//! The system calls of an append.

use std::fs;

use model::Offset;
use recording::Writer;

use crate::life::{head, temp_dir};

/// How often this thread has asked the kernel to write, if the kernel counts.
fn write_calls() -> Option<u64> {
    let counts = fs::read_to_string("/proc/thread-self/io").ok()?;
    counts.lines().find_map(|line| line.strip_prefix("syscw: "))?.parse().ok()
}

#[test]
fn an_append_is_one_write() {
    let dir = temp_dir();
    let mut writer = Writer::create(dir.path(), &head(0), b"screen").unwrap();
    let chunk = [b'x'; 64 << 10];
    let Some(before) = write_calls() else {
        testkit::skip("the kernel does not count system calls");
        return;
    };
    for number in 0..10 {
        writer.output(Offset(number * chunk.len() as u64), 1, &chunk).unwrap();
    }
    writer.output(Offset(1 << 30), 2, b"after a gap").unwrap();
    assert_eq!(write_calls().unwrap() - before, 11);
}
