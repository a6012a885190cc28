//! The content of a plain text.

use export::{Range, Subject, text};
use recording::Recording;

use crate::life::{BEGIN_US, output, recorded, size, subject};

fn written(recording: &Recording, subject: &Subject, times: bool) -> String {
    let mut out = Vec::new();
    text(recording, subject, times, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn every_line_is_written_once() {
    let printed = (0..300).map(|n| output(n, &format!("\u{1b}[31mline {n}\u{1b}[m\r\n")));
    let recorded = recorded(size(40, 10), printed);
    let expected: String = (0..300).map(|n| format!("line {n}\n")).collect();
    assert_eq!(written(&recorded.recording, &subject(), false), expected);
}

#[test]
fn lines_have_times_if_the_options_ask_for_them() {
    let recorded =
        recorded(size(40, 1), [output(0, "one\r\n"), output(5_000, "two\r\n"), output(9_000, "three")]);
    assert_eq!(
        written(&recorded.recording, &subject(), true),
        "2026-11-15T23:56:40Z  one\n2026-11-15T23:56:45Z  two\n2026-11-15T23:56:49Z  three\n"
    );
}

#[test]
fn a_part_has_the_lines_that_settled_in_it() {
    let recorded =
        recorded(size(40, 1), [output(0, "one\r\n"), output(5_000, "two\r\n"), output(9_000, "three")]);
    let range = Range { from_us: Some(BEGIN_US + 1_000_000), to_us: Some(BEGIN_US + 6_000_000) };
    assert_eq!(written(&recorded.recording, &Subject { range, ..subject() }, false), "two\n");
}
