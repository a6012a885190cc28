//! `abide debug snapshot`

use crate::abide::output;

/// A small program's output: history, colours, a soft wrap, wide characters, a scroll region, the alternate screen.
const STREAM: &str = "one\r\ntwo\r\nthree\r\nfour\r\nfive\r\nsix\r\n\x1b[1;31mred and bold\x1b[0m\r\n\
    a line that is longer than the terminal is wide\r\n\u{65e5}\u{672c}\u{8a9e} caf\u{e9}\r\n\
    \x1b[2;4r\x1b[3;1Hin the region\x1b[r\x1b[?1049h\x1b[2J\x1b[2;5Hon the other screen\x1b[4h\x1b[?25l";

const SIZE: [&str; 4] = ["--cols", "30", "--rows", "8"];

fn snapshot(options: &[&str], input: &[u8]) -> Vec<u8> {
    output(&[&["debug", "snapshot"], &SIZE[..], options].concat(), input)
}

fn text(input: &[u8]) -> String {
    String::from_utf8(snapshot(&["--form", "text"], input)).expect("text")
}

#[test]
fn a_second_terminal_shows_the_same_text() {
    let main_screen = STREAM.split("\x1b[?1049h").next().unwrap();
    for stream in [STREAM, main_screen] {
        let expected = text(stream.as_bytes());
        assert_eq!(text(&snapshot(&[], stream.as_bytes())), expected);
    }
    assert!(text(main_screen.as_bytes()).contains("a line that is longer than the terminal is wide\n"));
    assert!(text(STREAM.as_bytes()).contains("    on the other screen\n"));
}

#[test]
fn a_snapshot_of_a_snapshot_is_the_same_snapshot() {
    let first = snapshot(&[], STREAM.as_bytes());
    assert_eq!(snapshot(&[], &first).escape_ascii().to_string(), first.escape_ascii().to_string());
}

#[test]
fn scrollback_bounds_the_history() {
    let lines: String = (1..=100).map(|number| format!("line {number}\r\n")).collect();
    let text = |lines_kept: &str| {
        let text = snapshot(&["--form", "text", "--scrollback", lines_kept], lines.as_bytes());
        String::from_utf8(text).expect("text")
    };
    assert!(!text("0").contains("line 93\n") && text("0").contains("line 94\n"), "{}", text("0"));
    assert!(!text("10").contains("line 83\n") && text("10").contains("line 84\n"), "{}", text("10"));
    assert!(text("1000").contains("line 1\n"), "{}", text("1000"));
}

#[test]
fn a_resize_follows_the_input() {
    let stream = b"a line of thirty-one characters\r\n";
    let narrow = snapshot(&["--resize", "10x8"], stream);
    let seen = output(&["debug", "snapshot", "--cols", "10", "--rows", "8", "--form", "text"], &narrow);
    assert_eq!(String::from_utf8(seen).unwrap().trim_end(), "a line of thirty-one characters");
}

#[test]
fn sizes_are_clamped_to_what_a_terminal_may_have() {
    let wide = output(&["debug", "snapshot", "--cols", "99999", "--form", "text"], &[b'x'; 1500]);
    assert_eq!(wide, output(&["debug", "snapshot", "--cols", "1000", "--form", "text"], &[b'x'; 1500]));
}

#[test]
fn the_screen_form_leaves_a_terminal_in_use_its_history() {
    let screen = snapshot(&["--form", "screen"], STREAM.as_bytes());
    let contains = |bytes: &[u8]| screen.windows(bytes.len()).any(|window| window == bytes);
    assert!(!contains(b"\x1bc") && !contains(b"\x1b[3J"), "{}", screen.escape_ascii());
}

#[test]
fn the_html_form_is_safe_to_show() {
    let html = String::from_utf8(snapshot(&["--form", "html"], b"\x1b[31m<script>&\x1b[0m")).unwrap();
    assert!(html.contains("&lt;script&gt;&amp;") && !html.contains("<script>"), "{html}");
}
