use super::*;
use model::ExitStatus;
use playback::Moment;
use terminal::{HistoryLimit, Terminal};

use crate::commands::replay::signs::SignKind;

fn shown(cols: u16, words: &str, cropped: Option<TermSize>, colours: bool) -> String {
    let sign = |second: u64, code| Sign {
        moment: Moment { time_us: second * 1_000_000, ..Moment::default() },
        kind: SignKind::Exit(ExitStatus::Exited { code }),
    };
    let status = Status {
        is_playing: true,
        at_us: 50_000_000,
        span: Span { start_us: 0, end_us: 100_000_000 },
        speed: 2.0,
        skips_idle: true,
        cropped,
        signs: &[sign(25, 0), sign(100, 1)],
        words: words.to_owned(),
        tint: Tint::Red,
    };
    let line = status.line(cols, colours);
    let mut terminal = Terminal::new(TermSize::clamped(cols, 2), HistoryLimit { lines: 0, bytes: 0 });
    terminal.feed(line.as_bytes());
    assert_eq!(terminal.cursor().row, 0, "it never wraps: {}", line.escape_debug());
    assert!(terminal.cursor().pending_wrap, "it is as wide as the window");
    terminal.rows().next().unwrap().text()
}

#[test]
fn a_common_window_shows_everything_that_matters() {
    let line = shown(80, "$ cargo test → exit 1", None, true);
    for part in ["▶ 0:50/1:40", ":50", "2×»", "●", "━", "─", "╋", "┼", "$ cargo test → exit 1", "? keys"]
    {
        assert!(line.contains(part), "{part}: {line}");
    }
    let cropped = Some(TermSize::clamped(120, 40));
    let line = shown(80, "$ cargo test → exit 1", cropped, true);
    assert!(line.contains("120×40") && line.contains("→ exit 1"), "{line}");
    let wide = shown(160, "$ cargo test → exit 1", cropped, true);
    for part in ["120×40", "1970-01-01", "2×» idle≤2s", "q quit"] {
        assert!(wide.contains(part), "{part}: {wide}");
    }
}

#[test]
fn a_mark_is_seen_before_the_head_beneath_it_and_behind_it() {
    let gap = Sign { moment: Moment { time_us: 50, ..Moment::default() }, kind: SignKind::Gap };
    let bar = |at_us| {
        let status = Status {
            is_playing: false,
            at_us,
            span: Span { start_us: 0, end_us: 100 },
            speed: 1.0,
            skips_idle: false,
            cropped: None,
            signs: std::slice::from_ref(&gap),
            words: String::new(),
            tint: Tint::Plain,
        };
        let line = status.line(80, false);
        let marks = line.chars().filter(|it| "●◉╋┼".contains(*it));
        marks.collect::<String>()
    };
    assert_eq!([bar(0), bar(50), bar(100)], ["●┼", "◉", "╋●"]);
}

#[test]
fn the_left_part_does_not_move_when_the_words_change() {
    let before_words = |words: &str| {
        let line = shown(100, words, None, true);
        line.split_once('×').map(|(before, _)| before.to_owned())
    };
    for words in ["x", "$ cargo test → exit 1", &"long ".repeat(20)] {
        assert_eq!(before_words(words), before_words(""), "{words}");
    }
}

#[test]
fn a_narrow_window_keeps_the_position_and_some_of_the_words() {
    let line = shown(40, "$ cargo test → exit 1", None, true);
    assert!(line.contains("▶ 0:50/1:40") && line.contains('●') && line.contains("$ cargo"), "{line}");
}

#[test]
fn the_status_line_fits_windows_of_every_width() {
    for cols in 2..200 {
        for words in ["", "x", "日本語の長いテキスト、とても長い", &"long ".repeat(100)] {
            shown(cols, words, None, cols % 2 == 0);
            shown(cols, words, Some(TermSize::clamped(1000, 1000)), true);
        }
    }
}

#[test]
fn a_status_line_without_colours_has_no_colour_sequences() {
    let status = Status {
        is_playing: false,
        at_us: 0,
        span: Span { start_us: 0, end_us: 0 },
        speed: 1.0,
        skips_idle: false,
        cropped: None,
        signs: &[],
        words: "words".into(),
        tint: Tint::Red,
    };
    assert!(!status.line(80, false).contains("38;5"));
    assert!(status.line(80, true).contains("38;5"));
}

#[test]
fn a_long_pattern_shows_its_end() {
    let (line, col) = prompt("short", 80, false);
    assert!(line.contains("/short") && line.contains("Enter finds"), "{line}");
    assert_eq!(col, 6);
    let (line, col) = prompt(&"abc ".repeat(30), 20, false);
    assert!(line.contains("abc abc") && !line.contains('…'), "{line}");
    assert!(col < 20, "{col}");
}
