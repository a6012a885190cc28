//! Streams made to be expensive.

use masking::Masker;
use model::TermSize;
use testkit::heap_of;

use crate::common::{examples, rules, size};

/// Columns looked at for each byte, and the most memory held.
fn cost(size: TermSize, stream: impl Iterator<Item = Vec<u8>>) -> (f64, usize) {
    let rules = rules();
    let ((fed, looked_at), heap) = heap_of(|| {
        let mut masker = Masker::new(rules, size);
        let mut masks = 0;
        for part in stream {
            masker.feed(&part);
            masks += masker.take_masks().len();
        }
        masker.look();
        assert!(masks as u64 <= masker.position());
        (masker.position(), masker.columns_looked_at())
    });
    (looked_at as f64 / fed as f64, heap.peak)
}

fn parts(part: &str, bytes: usize) -> impl Iterator<Item = Vec<u8>> {
    let part = part.repeat((64 << 10) / part.len() + 1).into_bytes();
    (0..bytes.div_ceil(part.len())).map(move |_| part.clone())
}

/// A stream in parts, how many columns of it may be looked at for a byte, and how much memory it may take.
fn check(what: &str, size: TermSize, part: &str, columns: f64, memory: usize) {
    let (looked_at, peak) = cost(size, parts(part, 2 << 20));
    assert!(looked_at <= columns, "{what}: {looked_at} columns are looked at for each byte");
    assert!(peak <= memory, "{what}: {peak} bytes are held");
}

const MIB: usize = 1 << 20;

#[test]
fn ordinary_output_is_looked_at_once() {
    let line = "2026-11-16T11:33:49Z INFO compiled 12 crates in 3.4 seconds, nothing to see\r\n";
    check("lines", size(80, 24), line, 1.1, MIB);
    check("lines in a tall terminal", size(200, 1000), line, 1.1, 4 * MIB);
}

#[test]
fn a_line_without_end_costs_little() {
    check("no newline", size(80, 24), "0123456789 ", 2.0, MIB);
    check("no newline, largest terminal", size(1000, 1000), "0123456789 ", 2.0, 24 * MIB);
    check("no newline, one row", size(80, 1), "0123456789 ", 4.0, MIB);
    check("no newline, triggers", size(80, 24), "token sk- ", 12.0, MIB);
}

#[test]
fn overwriting_one_column_costs_little() {
    let full = "x".repeat(900);
    let spin = format!("{full}{}", "\r\\\r|\r/\r-".repeat(100_000));
    let (looked_at, peak) = cost(size(1000, 24), std::iter::once(spin.into_bytes()));
    assert!(looked_at < 60.0, "{looked_at} columns for each byte");
    assert!(peak < 2 * MIB, "{peak}");
    check("a spinner", size(80, 24), "\x1b[5;1H|\x1b[5;1H/", 12.0, MIB);
}

#[test]
fn strings_and_moves_without_end_cost_little() {
    let (looked_at, peak) =
        cost(size(80, 24), std::iter::once(b"\x1b]0;".to_vec()).chain(parts("secret text ", 4 << 20)));
    assert!(looked_at < 0.5 && peak < 4 * MIB, "{looked_at} columns, {peak} bytes");
    check("moves", size(80, 24), "\x1b[3;4H\x1b[2C\x1b[B\x1b[9D", 0.1, MIB);
    check("scrolls", size(80, 24), "\x1bM\x1bD\x1b[L\x1b[M\x1b[S\x1b[T", 0.1, MIB);
    check("marks", size(80, 24), "e\u{301}\u{302}\u{303}", 3.0, 2 * MIB);
    let (looked_at, _) = cost(size(80, 24), parts("x\x1b[9999b", 64 << 10));
    assert!(looked_at < 4000.0, "repeats: {looked_at} columns");
}

#[test]
fn secrets_without_end_cost_little() {
    let key = &examples()[0].text;
    check("keys", size(80, 24), &format!("{key} "), 12.0, 8 * MIB);
    check("keys in lines", size(80, 24), &format!("{key}\r\n"), 8.0, 8 * MIB);
    check("one key", size(80, 24), &format!("sk-ant-{}", "sk-ant-".repeat(100)), 12.0, 8 * MIB);
    check("half a key redrawn", size(80, 24), "\rsk-ant-abc", 60.0, 8 * MIB);
}
