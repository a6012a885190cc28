//! The masker reads odd sequences as the terminal does: a secret that the terminal shows is masked.

use terminal::{HistoryLimit, Terminal};

use crate::common::{Example, Stream, examples, masks, rules, size};

fn key() -> Example {
    examples()[0].clone()
}

/// A key in two parts with something odd between them. The terminal shows the whole key.
fn check(between: &str) {
    let key = key();
    let mut stream = Stream::new();
    stream.plain("line\r\n").part(&key, 0..10).plain(between).part(&key, 10..key.text.len());
    let mut terminal = Terminal::new(size(500, 24), HistoryLimit::default());
    terminal.feed(&stream.bytes);
    let shown = terminal.text(0).replace('\u{301}', "");
    assert!(shown.contains(&key.text), "{between:?}: the terminal shows {shown}");
    stream.check_hidden(size(500, 24), between);
    let whole = masks(&rules(), size(500, 24), [&stream.bytes[..]]);
    assert_eq!(masks(&rules(), size(500, 24), stream.bytes.chunks(1)), whole, "{between:?}");
}

#[test]
fn a_byte_order_mark_does_not_end_a_sequence() {
    check("xxxxx\x1b[\u{feff}5D");
    check("xxxxx\x1b\u{feff}[5D");
    check("\x1b_a\u{feff}b\x1b\\");
}

#[test]
fn a_prefix_behind_a_number_makes_a_sequence_meaningless() {
    check("\x1b[0?1049h");
    check("\x1b[:?1049h");
}

#[test]
fn a_character_beyond_ascii_ends_strings_that_cannot_hold_it() {
    check("\x1b_éx\x08");
    check("\x1bPé");
    check("\u{90}1;é");
}

#[test]
fn a_control_sequence_that_is_too_long_is_meaningless() {
    check(&format!("\x1b[{}5D", "0".repeat(1500)));
}

#[test]
fn a_mark_behind_an_aborted_sequence_has_a_column_of_its_own() {
    check("\x1b[\x18\u{301}\x08");
    check("\x1b\x1a\u{301}\x08");
}

#[test]
fn a_mark_behind_a_string_without_meaning_joins_the_character_before_it() {
    check("\u{9f}x\u{9c}\u{301}");
    check("\u{90}0?x\u{9c}\u{301}");
}

#[test]
fn reverse_index_is_no_c1_control() {
    check("\u{8d}");
}

#[test]
fn bytes_that_are_no_utf_8_keep_their_place_in_a_string() {
    let key = key();
    for invalid in [&b"\xe6\xbc"[..], b"\xf0\x9f\x98", b"\xff", b"\xc2"] {
        let mut stream = Stream::new();
        stream.plain([b"\x1b]0;", invalid, b" "].concat()).example(&key).plain("\x07");
        stream.check(size(80, 24), "in one piece");
        let whole = masks(&rules(), size(80, 24), [&stream.bytes[..]]);
        for at in 0..stream.bytes.len() {
            let (one, other) = stream.bytes.split_at(at);
            assert_eq!(masks(&rules(), size(80, 24), [one, other]), whole, "{invalid:x?}, split at {at}");
        }
    }
}
