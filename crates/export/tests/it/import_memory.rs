//! An import takes bounded memory for any file.

use std::io::{BufReader, Read, repeat};

use export::import::{Limits, import};
use testkit::{CountingAllocator, heap_of};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// A line, what it is parsed into, and what the line's buffer grew by.
const ALLOWED_BYTES: usize = 16 << 20;

const HEAD: &[u8] = b"{\"version\":3,\"term\":{\"cols\":80,\"rows\":24}}\n";

fn peak(file: impl Read) -> usize {
    let (_, heap) = heap_of(|| {
        import(BufReader::new(file), Limits::default()).map(|events| events.take_while(Result::is_ok).count())
    });
    heap.peak
}

#[test]
fn s39_an_endless_line_takes_bounded_memory() {
    for letter in [b'[', b'"', b'x', b' ', b'0'] {
        let taken = peak(HEAD.chain(repeat(letter).take(64 << 20)));
        assert!(taken < ALLOWED_BYTES, "{}: {taken}", char::from(letter));
    }
    let taken = peak(repeat(b'{').take(64 << 20));
    assert!(taken < 2 * ALLOWED_BYTES, "{taken}");
}

#[test]
fn s39_many_events_take_no_more_memory_than_one() {
    let file = [HEAD, &b"[0.001, \"o\", \"output\"]\n".repeat(200_000)].concat();
    let taken = peak(&file[..]);
    assert!(taken < 64 << 10, "{taken}");
}

#[test]
fn s39_a_large_file_of_version_1_takes_bounded_memory() {
    let mut file = br#"{"version":1,"width":80,"height":24,"stdout":[[0,""]"#.to_vec();
    while file.len() < 8 << 20 {
        file.extend_from_slice(br#",[0,""]"#);
    }
    file.extend_from_slice(b"]}");
    // The smallest event has seven bytes, and in memory thirty-two; a list that grows has room for twice as many.
    let taken = peak(&file[..]);
    assert!(taken < 160 << 20, "{taken}");
}
