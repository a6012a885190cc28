use std::fs;

use model::{MaskPolicy, Offset};
use server::recordings::{Bound, Chunk, Span, Stop, output};
use testkit::Random;

use crate::life::{House, Life, after_ms, numbered, rules, seal, secret};

fn chunk(life: &Life, span: Span, limit: usize) -> Chunk {
    let chunk = output(&life.dir, &rules(), span, limit, &Stop::default()).expect("a recording");
    assert_eq!(chunk.to - chunk.from, chunk.bytes.len(), "{span:?}");
    assert!(chunk.bytes.len() <= limit, "{span:?}");
    chunk
}

/// All output in a range, read chunk by chunk.
fn everything(life: &Life, mut span: Span, limit: usize) -> Vec<u8> {
    let mut all = Vec::new();
    loop {
        let chunk = chunk(life, span, limit);
        all.extend_from_slice(&chunk.bytes);
        if !chunk.more {
            return all;
        }
        assert!(!chunk.bytes.is_empty(), "a chunk is not empty if more follows");
        span.from = Some(Bound::Offset(chunk.to));
    }
}

fn offsets(from: u64, to: u64) -> Span {
    Span { from: Some(Bound::Offset(Offset(from))), to: Some(Bound::Offset(Offset(to))) }
}

#[test]
fn all_chunks_together_are_the_printed_output() {
    for seed in 0..8 {
        let house = House::new();
        let mut life = house.life(1);
        let printed = numbered(&mut life, seed);
        let mut random = Random::new(seed);
        for sealed in [false, true] {
            if sealed {
                seal(&life, MaskPolicy::Always);
            }
            assert_eq!(everything(&life, Span::default(), 1 << 20), printed, "seed {seed}");
            for _ in 0..20 {
                let from = random.below(printed.len());
                let to = random.between(from, printed.len());
                let span = offsets(from as u64, to as u64);
                let limit = random.between(printed.len() / 8, printed.len());
                assert_eq!(everything(&life, span, limit), printed[from..to], "seed {seed}: {span:?}");
            }
        }
    }
}

#[test]
fn a_range_can_be_given_by_times() {
    let house = House::new();
    let mut life = house.life(1);
    for letter in ["a", "b", "c", "d", "e", "f"] {
        life.wait_ms(1_000).print(letter);
        if letter == "c" {
            life.segment();
        }
    }
    life.exit();
    let between = |from: u64, to: u64| {
        let span = Span { from: Some(Bound::Time(after_ms(from))), to: Some(Bound::Time(after_ms(to))) };
        String::from_utf8(everything(&life, span, 100)).expect("text").replace("\x1b[H\x1b[2J", "|")
    };
    assert_eq!(between(0, 9_000), "abc|def");
    assert_eq!(between(2_000, 5_000), "bc|de");
    assert_eq!(between(2_001, 4_999), "c|d");
    assert_eq!(between(3_500, 3_600), "");
    assert_eq!(between(0, 0), "");
    assert_eq!(between(7_000, 9_000), "");
    let mixed = Span { from: Some(Bound::Offset(Offset(1))), to: Some(Bound::Time(after_ms(2_000))) };
    assert_eq!(everything(&life, mixed, 1), b"b");
}

#[test]
fn a_chunk_ends_at_a_gap() {
    let house = House::new();
    let mut life = house.life(1);
    life.print("one").miss(Some(10)).print("two").exit();
    let first = chunk(&life, Span::default(), 100);
    assert_eq!((first.from, first.bytes.as_slice(), first.more), (Offset(0), b"one".as_slice(), true));
    let second = chunk(&life, Span { from: Some(Bound::Offset(first.to)), to: None }, 100);
    assert_eq!((second.from, second.bytes.as_slice(), second.more), (Offset(13), b"two".as_slice(), false));
}

#[test]
fn an_incomplete_segment_does_not_hide_output_of_the_one_before() {
    let (house, elsewhere) = (House::new(), House::new());
    let mut life = house.life(1);
    life.print("0123456789").print("abcdefghij").exit();
    elsewhere.life(1).print("01234").segment();
    let begun = elsewhere.home().worker(life.dir.id()).recording().join("00000002.active");
    let head = fs::read(begun).expect("a segment")[..47].to_vec();
    fs::write(life.dir.recording().join("00000002.active"), head).expect("written");
    let chunk = chunk(&life, Span { from: Some(Bound::Offset(Offset(15))), to: None }, 100);
    assert_eq!((chunk.from, chunk.bytes.as_slice()), (Offset(15), b"fghij".as_slice()));
}

#[test]
fn an_empty_chunk_says_where_to_continue() {
    let house = House::new();
    let mut life = house.life(1);
    life.print("one").print("two").exit();
    for (span, at) in [(offsets(3, 3), 3), (offsets(6, 9), 6), (offsets(99, 100), 6), (offsets(2, 1), 2)] {
        let chunk = chunk(&life, span, 100);
        assert_eq!((chunk.to, chunk.more), (Offset(at), false), "{span:?}");
        assert!(chunk.bytes.is_empty(), "{span:?}");
    }
    let none = chunk(&life, Span::default(), 0);
    assert_eq!((none.to, none.more), (Offset(0), true));
    life.print("three");
    let later = chunk(&life, Span { from: Some(Bound::Offset(Offset(6))), to: None }, 100);
    assert_eq!(later.bytes, b"three");
}

#[test]
fn s38_secrets_are_masked_for_every_split_and_limit() {
    let secret = secret();
    for split in 0..=secret.len() {
        let house = House::new();
        let mut life = house.life(1);
        life.print("token ").print(&secret[..split]);
        if split % 3 == 0 {
            life.segment_showing(format!("\x1bctoken {}", &secret[..split]).as_bytes());
        }
        life.print(&secret[split..]).print("\r\n").exit();
        let policy = [None, Some(MaskPolicy::Never), Some(MaskPolicy::Always)][split % 3];
        if let Some(policy) = policy {
            seal(&life, policy);
        }
        let whole = everything(&life, Span::default(), 1 << 20);
        assert_eq!(whole.len(), "token \r\n".len() + secret.len());
        for limit in [1, 7, 1 << 20] {
            let printed = everything(&life, Span::default(), limit);
            assert_eq!(printed, whole, "split at {split}, {limit} bytes at a time");
        }
        let shown = String::from_utf8(whole).expect("text");
        for part in secret.as_bytes().windows(6).skip(4) {
            let part = std::str::from_utf8(part).expect("text");
            assert!(!shown.contains(part), "split at {split}: {shown}");
        }
    }
}
