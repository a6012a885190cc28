//! Endless sequences take bounded memory, and what is too long means nothing.

use grammar::{Grammar, MAX_HEAD, MAX_STRING, Void};
use testkit::{CountingAllocator, heap_of};

use crate::tokens::{Token, Tokens, tokens};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Looks at nothing and keeps every string.
struct Idle;

impl grammar::Visitor for Idle {
    fn keeps(_kind: grammar::StringKind) -> bool {
        true
    }
    fn text(&mut self, _text: &[u8], _at: u64) {}
    fn character(&mut self, _c: char, _place: std::ops::Range<u64>) {}
    fn control(&mut self, _control: u8, _place: std::ops::Range<u64>) {}
    fn escape(&mut self, _sequence: grammar::Sequence<'_>) {}
    fn sequence(&mut self, _params: &grammar::Params, _sequence: grammar::Sequence<'_>) {}
    fn string_ends(&mut self, _string: grammar::ControlString<'_>) {}
}

#[test]
fn endless_sequences_take_bounded_memory() {
    for (start, more) in [
        (&b"\x1b"[..], &b"    "[..]),
        (b"\x1b[", b"1;"),
        (b"\x1b[", b"00000"),
        (b"\x1b[0?", b"1;"),
        (b"\x1b]", b"0;title"),
        (b"\x1b]", "é".as_bytes()),
        (b"\x1bP", b"1;"),
        (b"\x1bPq", b"~~~\n"),
        (b"\x1b_", b"Gpicture"),
        (b"", b"\xf0"),
    ] {
        let chunk = more.repeat(4096 / more.len());
        let (grammar, heap) = heap_of(|| {
            let mut grammar = Grammar::default();
            grammar.feed(start, &mut Idle);
            for _ in 0..500 {
                grammar.feed(&chunk, &mut Idle);
            }
            grammar
        });
        let what = start.escape_ascii();
        assert!(heap.peak <= 2 * MAX_STRING + MAX_HEAD, "{what}: {heap:?}");
        assert!(grammar.unfinished().count() <= MAX_STRING + 4, "{what}");
    }
}

#[test]
fn a_control_sequence_that_is_too_long_means_nothing_in_any_split() {
    for (zeros, obeyed) in [(MAX_HEAD - 3, true), (MAX_HEAD - 2, false), (5 * MAX_HEAD, false)] {
        let stream = [&b"\x1b["[..], &vec![b'0'; zeros], b"5D"].concat();
        for pieces in [vec![&stream[..]], stream.chunks(1).collect(), stream.chunks(1000).collect()] {
            match (&tokens(pieces).0.kinds()[..], obeyed) {
                ([Token::Sequence { numbers, .. }], true) => assert_eq!(numbers[0].0, 5),
                ([Token::Void(Void::Malformed)], false) => {}
                (other, _) => panic!("{zeros} zeros: {other:?}"),
            }
        }
    }
}

#[test]
fn a_string_that_is_too_long_means_nothing_and_ends_where_it_ends() {
    for (len, kept) in [(MAX_STRING - 2, true), (MAX_STRING - 1, false)] {
        let stream = [&b"\x1b]"[..], &vec![b'0'; len], b"\x07after"].concat();
        for pieces in [vec![&stream[..]], stream.chunks(7).collect()] {
            let (Tokens { tokens, .. }, _) = tokens(pieces);
            let [(Token::String { text, .. }, _), (Token::Text(after), _)] = &tokens[..] else {
                panic!("{tokens:?}")
            };
            assert_eq!(after, b"after");
            assert_eq!(text.len() == len, kept);
            assert!(kept || text == b"x");
        }
    }
}
