//! What xterm.js does where terminals differ, and what readers of output get wrong.

use grammar::{StringKind, Void};

use crate::tokens::{Token, tokens};

/// A short form of the tokens, in any split.
fn told(stream: &str) -> String {
    told_of(stream.as_bytes())
}

fn told_of(stream: &[u8]) -> String {
    let whole = short(tokens([stream]).0.kinds());
    assert_eq!(short(tokens(stream.chunks(1)).0.kinds()), whole, "byte by byte");
    whole
}

fn short(tokens: Vec<Token>) -> String {
    let words = tokens.into_iter().map(|token| match token {
        Token::Text(text) => String::from_utf8(text).expect("ASCII"),
        Token::Character(c) => format!("{c}"),
        Token::Control(control) => format!("<{control:02x}>"),
        Token::Escape { bytes, .. } | Token::Sequence { bytes, .. } => {
            format!("<{}>", bytes[1..].escape_ascii())
        }
        Token::String { kind, text, terminator, .. } => {
            let kind = match kind {
                StringKind::System => "osc",
                StringKind::Device => "dcs",
                StringKind::Other => "other",
            };
            let end = if terminator.is_some() { "" } else { " void" };
            format!("<{kind} {}{end}>", text.escape_ascii())
        }
        Token::Void(Void::Invalid) => "<invalid>".to_owned(),
        Token::Void(Void::Idle) => "<idle>".to_owned(),
        Token::Void(Void::Aborted) => "<aborted>".to_owned(),
        Token::Void(Void::Malformed) => "<malformed>".to_owned(),
    });
    words.collect()
}

#[test]
fn a_byte_order_mark_inside_a_sequence_changes_nothing() {
    assert_eq!(told("a\u{feff}b"), "a<invalid>b");
    assert_eq!(told("\x1b[\u{feff}5Dx"), "<[5D>x");
    assert_eq!(told("\x1b\u{feff}[?1049hx"), "<[?1049h>x");
    assert_eq!(told("\x1b_a\u{feff}hidden\x1b\\b"), "<other ><\\\\>b");
    assert_eq!(told("\x1bP\u{feff}q1\x1b\\b"), "<dcs 1><\\\\>b");
}

#[test]
fn invalid_bytes_inside_a_sequence_change_nothing() {
    assert_eq!(told_of(b"\x1b[\xff5\xe6\xbcDx"), "<[5D>x");
    assert_eq!(told_of(b"\x1b]0;a\xe6\xbcb\x07c"), "<osc 0;ab>c");
    assert_eq!(told_of(b"a\xc0\x80\xffb"), "a<invalid><invalid>b");
}

#[test]
fn every_byte_of_a_string_is_handed_out_valid_or_not() {
    let stream = b"\x1b]0;a\xe6\xbcb\x01\x7f\xef\xbb\xbf\xf0\x9f\x98\x80\x07";
    for pieces in [vec![&stream[..]], stream.chunks(1).collect()] {
        let [Token::String { all, text, .. }] = &tokens(pieces).0.kinds()[..] else { panic!("one string") };
        assert_eq!(all, &(2, stream[2..stream.len() - 1].to_vec()));
        assert_eq!(text, b"0;ab\x7f\xf0\x9f\x98\x80");
    }
}

#[test]
fn the_terminator_of_a_string_is_not_part_of_it() {
    for stream in ["\x1b_aé", "\x1bP1é", "\x1b]a\x07", "\u{9d}a\u{9c}", "\x1b_a\x18", "\x1b]a\u{85}"] {
        let kinds = tokens([stream.as_bytes()]).0.kinds();
        let Some(Token::String { all: (_, all), .. }) = kinds.first() else {
            panic!("{stream:?}: {kinds:?}")
        };
        assert!(matches!(&all[..], b"a" | b"1"), "{stream:?}: {all:x?}");
    }
}

#[test]
fn a_prefix_stands_only_in_front() {
    assert_eq!(told("\x1b[0?1049hx"), "<malformed>x");
    assert_eq!(told("\x1b[:?1049hx"), "<malformed>x");
    assert_eq!(told("\x1b[??1049hx"), "<malformed>x");
    assert_eq!(told("\x1b[ 1qx"), "<malformed>x");
    assert_eq!(told("\x1b[?1049hx"), "<[?1049h>x");
}

#[test]
fn a_character_beyond_ascii_ends_what_it_cannot_be_in() {
    assert_eq!(told("\x1bPéshown"), "<dcs  void>shown");
    assert_eq!(told("\x1b_aéshown"), "<other  void>shown");
    assert_eq!(told("\x1b[1éshown"), "<aborted>shown");
    assert_eq!(told("\x1béshown"), "<aborted>shown");
    assert_eq!(told("\x1b]0;é\x07b"), "<osc 0;\\xc3\\xa9>b");
    assert_eq!(told("\x1bPqé\x1b\\b"), "<dcs \\xc3\\xa9><\\\\>b");
    assert_eq!(told("\x1bP0?é1\x1b\\b"), "<dcs  void><\\\\>b");
    assert_eq!(told("\x1b[0?é1hb"), "<malformed>b");
}

#[test]
fn cancel_aborts_everything_and_is_a_control_itself() {
    assert_eq!(told("\x1b[1\x18x"), "<aborted><18>x");
    assert_eq!(told("\x1b\x1ax"), "<aborted><1a>x");
    assert_eq!(told("\x1b]0;a\x18x"), "<osc 0;a void><18>x");
    assert_eq!(told("\x1bPq1\x1ax"), "<dcs 1 void><1a>x");
}

#[test]
fn controls_inside_a_sequence_work_before_it_does() {
    assert_eq!(told("\x1b[1\n;2\x7fHx"), "<0a><[1;2H>x");
    assert_eq!(told("\x1b(\rBx"), "<0d><(B>x");
    assert_eq!(told("\x1b[0?\nhx"), "<0a><malformed>x");
    assert_eq!(told("\x1b]0;a\nb\x07x"), "<osc 0;ab>x");
    assert_eq!(told("\x1bPqa\nb\x7fc\x1b\\"), "<dcs a\\nbc><\\\\>");
}

#[test]
fn any_esc_ends_a_string_and_begins_a_sequence() {
    assert_eq!(told("\x1b]0;a\x1b[6n"), "<osc 0;a><[6n>");
    assert_eq!(told("\x1bPq1\x1b]0;b\x07"), "<dcs 1><osc 0;b>");
    assert_eq!(told("\x1bP1\x1b\\"), "<dcs  void><\\\\>");
    assert_eq!(told("\x1b\x1b[m"), "<aborted><[m>");
}

#[test]
fn only_an_osc_ends_at_a_bell() {
    assert_eq!(told("\x1b]0;a\x07b"), "<osc 0;a>b");
    assert_eq!(told("\x1bPqa\x07b\x1b\\"), "<dcs a\\x07b><\\\\>");
    assert_eq!(told("\x1b_a\x07b\x1b\\"), "<other ><\\\\>");
}

#[test]
fn c1_controls_are_the_short_form_of_an_esc_and_a_letter() {
    assert_eq!(told("\u{9b}?25lx"), "<[?25l>x");
    assert_eq!(told("\u{9d}0;a\u{9c}x"), "<osc 0;a>x");
    assert_eq!(told("\u{90}qa\u{9c}x"), "<dcs a>x");
    assert_eq!(told("\u{9f}a\u{9c}x\u{9c}"), "<other >x<idle>");
    assert_eq!(told("\x1b[1\u{9c}x"), "<aborted>x");
    assert_eq!(told("\u{84}\x1b[1\u{85}x"), "<84><aborted><85>x");
    assert_eq!(told("\u{9d}0;a\u{85}x"), "<osc 0;a void><85>x");
    assert_eq!(told("\u{9d}0;a\u{9b}mx"), "<osc 0;a void><[m>x");
    // As single bytes they are no UTF-8.
    assert_eq!(told_of(b"\x9b6nx"), "<invalid>6nx");
}
