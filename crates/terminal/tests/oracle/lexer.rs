//! Where one sequence ends and the next begins.

use std::ops::Range;

/// Cuts a stream into escape sequences, control characters and single characters.
///
/// Good enough to cut and to shrink by: what a broken sequence means is left to the terminals.
pub(crate) fn tokens(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let end = start + token_length(&bytes[start..]);
        tokens.push(start..end);
        start = end;
    }
    tokens
}

fn token_length(bytes: &[u8]) -> usize {
    match bytes {
        [0x1b, b'[', rest @ ..] => 2 + csi_length(rest),
        [0xc2, 0x9b, rest @ ..] => 2 + csi_length(rest),
        [0x1b, b']' | b'P' | b'X' | b'^' | b'_', rest @ ..] => 2 + string_length(rest),
        [0xc2, 0x9d | 0x90 | 0x98 | 0x9e | 0x9f, rest @ ..] => 2 + string_length(rest),
        [0x1b, rest @ ..] => 1 + escape_length(rest),
        _ => character_length(bytes),
    }
}

fn csi_length(rest: &[u8]) -> usize {
    for (i, &byte) in rest.iter().enumerate() {
        match byte {
            0x40..=0x7e | 0x18 | 0x1a => return i + 1,
            0x1b => return i,
            _ => {}
        }
    }
    rest.len()
}

fn string_length(rest: &[u8]) -> usize {
    for (i, window) in rest.iter().zip(rest.iter().skip(1).chain([&0])).enumerate() {
        match window {
            (0x07 | 0x18 | 0x1a, _) => return i + 1,
            (0x1b, b'\\') | (0xc2, 0x9c) => return i + 2,
            (0x1b, _) => return i,
            _ => {}
        }
    }
    rest.len()
}

fn escape_length(rest: &[u8]) -> usize {
    for (i, &byte) in rest.iter().enumerate() {
        match byte {
            0x30..=0x7e | 0x18 | 0x1a => return i + 1,
            0x1b => return i,
            _ => {}
        }
    }
    rest.len()
}

fn character_length(bytes: &[u8]) -> usize {
    let expected = match bytes[0] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    let continued = bytes.iter().skip(1).take(expected - 1).take_while(|&&byte| byte & 0xc0 == 0x80).count();
    1 + continued
}

/// Whether a token switches between the main and the alternate screen.
pub(crate) fn switches_screen(token: &[u8]) -> bool {
    let text = String::from_utf8_lossy(token);
    let body = text.strip_prefix("\x1b[?").or_else(|| text.strip_prefix("\u{9b}?"));
    body.and_then(|body| body.strip_suffix(['h', 'l']))
        .is_some_and(|modes| modes.split(';').any(|mode| matches!(mode, "47" | "1047" | "1049")))
}

#[test]
fn a_stream_falls_into_sequences_and_characters() {
    let stream = "a漢\x1b[31m\x1b]2;t\x07\x1b]2;t\x1b\\\x1b(0\r\x1b7\u{9b}2K\x1b[3".as_bytes();
    let tokens: Vec<&str> =
        tokens(stream).into_iter().map(|range| std::str::from_utf8(&stream[range]).unwrap()).collect();
    let expected = [
        "a",
        "漢",
        "\x1b[31m",
        "\x1b]2;t\x07",
        "\x1b]2;t\x1b\\",
        "\x1b(0",
        "\r",
        "\x1b7",
        "\u{9b}2K",
        "\x1b[3",
    ];
    assert_eq!(tokens, expected);
    assert!(
        switches_screen(b"\x1b[?25;1049h")
            && !switches_screen(b"\x1b[?1048h")
            && !switches_screen(b"\x1b[47h")
    );
}
