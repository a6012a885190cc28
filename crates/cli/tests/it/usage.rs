//! Words for people who have not said, or not said rightly, what they want.

use crate::abide::{failure, output};

#[test]
fn bare_abide_says_what_it_is_and_what_works() {
    let words = String::from_utf8(output(&[], b"")).unwrap();
    for expected in ["abide keeps terminals", "abide debug shell", "abide debug snapshot", "abide help"] {
        assert!(words.contains(expected), "{expected}:\n{words}");
    }
}

#[test]
fn sizes_that_make_no_terminal_are_refused_with_those_that_do() {
    for (option, value, way_on) in [
        ("--cols", "0", "columns from 2 to 1000"),
        ("--cols", "-5", "columns from 2 to 1000"),
        ("--cols", "wide", "columns from 2 to 1000"),
        ("--rows", "0", "rows from 1 to 1000"),
        ("--resize", "120", "as in 120x40"),
        ("--resize", "0x40", "as in 120x40"),
    ] {
        let words = failure(&["debug", "snapshot", option, value], 2);
        assert!(words.starts_with("error: ") && words.contains(way_on), "{option} {value}:\n{words}");
    }
}

#[test]
fn unknown_forms_and_commands_are_refused_with_the_known_ones() {
    let words = failure(&["debug", "snapshot", "--form", "pdf"], 2);
    assert!(words.contains("full, screen, text, html"), "{words}");
    let words = failure(&["debug", "snapsot"], 2);
    assert!(words.contains("snapshot"), "{words}");
}

#[test]
fn a_shell_without_a_terminal_is_refused_with_a_way_on() {
    let words = failure(&["debug", "shell"], 125);
    assert!(words.starts_with("error: ") && words.contains("\nhint: "), "{words}");
}
