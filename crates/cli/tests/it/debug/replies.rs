//! `abide debug replies`

use crate::abide::output;

fn replies(input: &[u8]) -> String {
    String::from_utf8(output(&["debug", "replies", "--cols", "40", "--rows", "10"], input)).expect("ASCII")
}

#[test]
fn every_query_is_answered_once_and_in_order() {
    assert_eq!(replies(b"\x1b[5n"), "\x1b[0n");
    assert_eq!(replies(b"\x1b[3;7H\x1b[6n\x1b[5n"), "\x1b[3;7R\x1b[0n");
}

#[test]
fn other_sequences_are_not_answered() {
    assert_eq!(replies(b"hello\r\n\x1b[31mred\x1b[0m\x07"), "");
}
