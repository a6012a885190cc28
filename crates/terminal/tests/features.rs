//! What a terminal tells its host beyond the screen, and the forms in which a screen can be read.

use model::TermSize;
use terminal::{
    ColorKind, Flags, HistoryLimit, MouseTracking, Notification, ProgramState, Progress, PromptMark, Signal,
    SnapshotForm, Terminal, Underline,
};

fn terminal(cols: u16, rows: u16) -> Terminal {
    Terminal::new(TermSize::clamped(cols, rows), HistoryLimit::default())
}

fn fed(cols: u16, rows: u16, bytes: &str) -> Terminal {
    let mut terminal = terminal(cols, rows);
    terminal.feed(bytes.as_bytes());
    terminal
}

fn signals(bytes: &str) -> Vec<Signal> {
    fed(80, 24, bytes).take_signals()
}

fn replies(bytes: &str) -> String {
    let mut terminal = fed(80, 24, bytes);
    String::from_utf8(terminal.take_replies()).expect("replies are text")
}

#[test]
fn programs_signal_titles_directories_prompts_and_bells() {
    let said = signals(
        "\x1b]0;one\x07\x1b]2;two\x1b\\\x1b]7;file://host/tmp\x07\x1b]133;A\x07$ \x1b]133;B\x07ls\r\n\
         \x1b]133;C\x07\x1b]133;D;2\x07\x07\x07",
    );
    assert_eq!(
        said,
        [
            Signal::Title("two".into()),
            Signal::Cwd("file://host/tmp".into()),
            Signal::Prompt(PromptMark::Prompt),
            Signal::Prompt(PromptMark::Input),
            Signal::Prompt(PromptMark::Output),
            Signal::Prompt(PromptMark::Finished(Some(2))),
            Signal::Bell,
        ]
    );
}

#[test]
fn the_bell_that_ends_a_string_does_not_ring() {
    assert_eq!(signals("\x1b]0;title\x07"), [Signal::Title("title".into())]);
}

#[test]
fn programs_signal_progress_and_notifications() {
    let note = |title: &str, body: &str| {
        Signal::Notification(Notification { title: title.into(), body: body.into() })
    };
    assert_eq!(
        signals(
            "\x1b]9;4;1;30\x07\x1b]9;4;0\x07\x1b]9;done\x07\x1b]777;notify;Build;red\x1b\\\x1b]99;;hi\x1b\\"
        ),
        [
            Signal::Progress(Progress::Normal(30)),
            Signal::Progress(Progress::None),
            note("", "done"),
            note("Build", "red"),
            note("hi", ""),
        ]
    );
}

#[test]
fn program_status_is_kept_until_it_is_cleared_or_the_prompt_is_back() {
    let mut terminal = fed(80, 24, "\x1b]7501;state=working:id=a\x1b\\\x1b]7501;state=idle\x1b\\");
    let states: Vec<ProgramState> = terminal.program_statuses().iter().map(|status| status.state).collect();
    assert_eq!(states, [ProgramState::Working, ProgramState::Idle]);
    terminal.feed(b"\x1b]133;A\x07");
    assert!(terminal.program_statuses().is_empty());
}

#[test]
fn support_for_program_status_is_reported_before_the_device_attributes() {
    assert_eq!(replies("\x1b]7501;?\x1b\\\x1b[c"), "\x1b]7501;?\x1b\\\x1b[?62;22c");
}

#[test]
fn questions_get_one_answer_each() {
    for (question, answer) in [
        ("\x1b[c", "\x1b[?62;22c"),
        ("\x1b[>c", "\x1b[>0;276;0c"),
        ("\x1b[=c", "\x1bP!|00000000\x1b\\"),
        ("\x1b[5n", "\x1b[0n"),
        ("ab\x1b[6n", "\x1b[1;3R"),
        ("\x1b[5;10r\x1b[?6h\x1b[2;2H\x1b[6n", "\x1b[2;2R"),
        ("\x1b[?996n", "\x1b[?997;1n"),
        ("\x1b[>5u\x1b[?u", "\x1b[?5u"),
        ("\x1b[>4;2m\x1b[?4m", "\x1b[>4;2m"),
        ("\x1b[?2004h\x1b[?2004$p", "\x1b[?2004;1$y"),
        ("\x1b[?2026$p", "\x1b[?2026;2$y"),
        ("\x1b[?2027$p", "\x1b[?2027;2$y"),
        ("\x1b[?2048$p", "\x1b[?2048;2$y"),
        ("\x1b[?9876h\x1b[?9876$p", "\x1b[?9876;0$y"),
        ("\x1b[4$p", "\x1b[4;2$y"),
        ("\x1b[18t", "\x1b[8;24;80t"),
        ("\x1b[16t", "\x1b[6;20;10t"),
        ("\x1b[?2048h", "\x1b[48;24;80;480;800t"),
        ("\x1b]11;?\x07", "\x1b]11;rgb:0000/0000/0000\x07"),
        ("\x1b]4;7;#010203\x07\x1b]4;7;?\x1b\\", "\x1b]4;7;rgb:0101/0202/0303\x1b\\"),
        ("\x1b[1;38;5;200;4:3m\x1bP$qm\x1b\\", "\x1bP1$r0;1;4:3;38;5;200m\x1b\\"),
        ("\x1b[3;9r\x1bP$qr\x1b\\", "\x1bP1$r3;9r\x1b\\"),
        ("\x1bP$qz\x1b\\", "\x1bP0$r\x1b\\"),
        ("\x1bP+q524742;4242\x1b\\", "\x1bP1+r524742=38\x1b\\\x1bP0+r\x1b\\"),
        // We never answer with a title, a clipboard or an answerback.
        ("\x1b]0;rm -rf\x07\x1b[21t\x1b[20t\x1b]52;c;?\x07\x05", ""),
    ] {
        assert_eq!(replies(question), answer, "{question:?}");
    }
    assert!(replies("\x1b[>q").starts_with("\x1bP>|abide("));
}

#[test]
fn answers_that_are_not_fetched_are_bounded() {
    let mut terminal = terminal(80, 24);
    for _ in 0..1000 {
        terminal.feed(&b"\x1b[c\x1b[6n".repeat(100));
    }
    assert!(terminal.take_replies().len() <= 64 << 10);
}

#[test]
fn rows_have_styles_links_and_marks() {
    let terminal = fed(
        20,
        4,
        "\x1b]133;A\x07\x1b[1;38;2;1;2;3mbold\x1b[0m \x1b[4:3;58:5:9mcurly\x1b[m\r\n\
         \x1b]8;id=x;https://a.example/\x1b\\link\x1b]8;;\x1b\\ 中",
    );
    let rows: Vec<_> = terminal.rows().collect();
    assert_eq!(rows[0].marks.iter().collect::<Vec<_>>(), [PromptMark::Prompt]);
    let bold = &rows[0].spans[0];
    assert_eq!((bold.text.as_str(), bold.cols), ("bold", 4));
    assert!(bold.style.flags.contains(Flags::BOLD));
    assert_eq!(bold.style.foreground.kind(), ColorKind::Rgb(1, 2, 3));
    let curly = &rows[0].spans[2];
    assert_eq!(
        (curly.style.underline, curly.style.underline_color.kind()),
        (Underline::Curly, ColorKind::Indexed(9))
    );
    let link = rows[1].spans[0].link.as_ref().expect("a link");
    assert_eq!((link.id.as_str(), link.uri.as_str()), ("x", "https://a.example/"));
    assert_eq!(rows[1].spans[1].text, " 中");
    assert_eq!(rows[1].spans[1].cols, 3);
}

#[test]
fn a_row_keeps_all_marks_of_its_prompt() {
    let mut terminal = fed(20, 2, "\x1b]133;D;130\x07\x1b]133;A\x07$ \x1b]133;B\x07ls\r\n");
    let expected = [PromptMark::Finished(Some(130)), PromptMark::Prompt, PromptMark::Input];
    let marks = |row: terminal::StyledRow| row.marks.iter().collect::<Vec<_>>();
    assert_eq!(terminal.rows().map(marks).next().expect("a row"), expected);
    let copy =
        fed(20, 2, &String::from_utf8(terminal.snapshot(SnapshotForm::Full { history: 9 })).expect("text"));
    assert_eq!(copy.rows().map(marks).next().expect("a row"), expected);
    terminal.feed(b"\r\n\r\n");
    assert_eq!(marks(terminal.history_row(0).expect("a line")), expected);
}

#[test]
fn program_status_comes_back_from_a_snapshot() {
    let original = fed(20, 2, "\x1b]7501;state=blocked:kind=question:id=a:msg=aGk=\x1b\\");
    let mut copy = terminal(20, 2);
    copy.feed(&original.snapshot(SnapshotForm::Full { history: 0 }));
    assert_eq!(copy.program_statuses(), original.program_statuses());
    assert_eq!(copy.program_statuses().len(), 1);
}

#[test]
fn erased_cells_in_the_middle_of_a_line_are_blanks_in_its_text() {
    assert_eq!(fed(5, 3, "aaaaabbbbb\x1b[1;3H\x1b[K").text(0), "aa   bbbbb\n");
    assert_eq!(fed(9, 3, "\r\n\r\nx").html(0), "<pre class=\"abide\">\n\n\nx\n</pre>\n");
}

#[test]
fn a_pending_wrap_survives_a_change_of_character_set() {
    for stream in ["abcdq\x1b(0", "abcde\u{301}\x1b(0", "abcdq\x1b)0\x0e"] {
        let original = fed(5, 3, stream);
        for form in [SnapshotForm::Full { history: 0 }, SnapshotForm::Screen] {
            let mut copy = terminal(5, 3);
            copy.feed(&original.snapshot(form));
            assert_eq!(copy.text(0), original.text(0), "{stream:?} {form:?}");
            assert_eq!(copy.cursor(), original.cursor(), "{stream:?} {form:?}");
        }
    }
}

#[test]
fn a_cursor_saved_on_rows_that_a_resize_took_comes_back_on_the_last_one() {
    let mut original = fed(80, 24, "\x1b[?1047h\x1b[24;5H\x1b[1;31m\x1b7\x1b[m\x1b[H");
    original.resize(TermSize::clamped(80, 10));
    let mut copy = terminal(80, 10);
    copy.feed(&original.snapshot(SnapshotForm::Full { history: 0 }));
    copy.feed(b"\x1b8X");
    assert_eq!((copy.cursor().row, copy.cursor().col), (9, 5));
}

#[test]
fn a_screen_snapshot_does_not_change_the_persons_own_settings() {
    for (size, stream) in
        [((5, 1), "abcdefg"), ((80, 24), "hello"), ((80, 24), "\x1b[?38h\x1b[?46h\x1b[?1046l\x1b[?3h")]
    {
        let snapshot = fed(size.0, size.1, stream).snapshot(SnapshotForm::Screen);
        let text = String::from_utf8(snapshot).expect("text");
        for harm in [
            "\x1b[3J",
            "\x1bc",
            "\x1b]0;",
            "\x1b]104",
            "\x1b]11",
            "\x1b[?38",
            "\x1b[?46",
            "\x1b[?1046",
            "\x1b[?3h",
        ] {
            assert!(!text.contains(harm), "{harm:?} in the snapshot of {stream:?}");
        }
    }
}

#[test]
fn text_joins_soft_wraps_and_html_is_safe() {
    let terminal =
        fed(5, 3, "abcdefg\r\n\x1b[31m<b>\x1b[m&\r\nx\x1b]8;;javascript:alert(1)\x1b\\y\x1b]8;;\x1b\\z\r\n");
    assert_eq!(terminal.text(10), "abcdefg\n<b>&\nxyz\n");
    let html = terminal.html(10);
    assert!(html.contains("<span style=\"color:#cd0000;\">&lt;b&gt;</span>&amp;"), "{html}");
    assert!(!html.contains("javascript"), "{html}");
}

#[test]
fn modes_cursor_and_screens_can_be_read() {
    let terminal = fed(10, 3, "\x1b[?1049h\x1b[?1003h\x1b[?25l\x1b[4 q\x1b[2;10Hx");
    assert!(terminal.on_alternate_screen());
    assert_eq!(terminal.modes().mouse, MouseTracking::Any);
    let cursor = terminal.cursor();
    assert_eq!((cursor.col, cursor.row, cursor.pending_wrap, cursor.visible), (9, 1, true, false));
    assert_eq!(cursor.style.blink, Some(false));
}

#[test]
fn clusters_are_one_cell_when_a_program_asks_for_that() {
    let family = "👩\u{200d}👧";
    let by_code_point = fed(20, 2, family);
    assert_eq!(by_code_point.cursor().col, 4);
    let by_cluster = fed(20, 2, &format!("\x1b[?2027h{family}"));
    assert_eq!(by_cluster.cursor().col, 2);
    // A selector makes a narrow sign wide, two letters make a flag, a keycap stays in its cell.
    for (text, cols) in [("❤\u{fe0f}", 2), ("🇩🇪", 2), ("1\u{fe0f}\u{20e3}", 2), ("e\u{301}", 1), ("각", 2)]
    {
        assert_eq!(fed(20, 2, &format!("\x1b[?2027h{text}")).cursor().col, cols, "{text}");
    }
    // At the edge a sign that grows takes its place in the next row.
    let grown = fed(4, 2, "\x1b[?2027habc❤\u{fe0f}");
    assert_eq!(grown.text(0), "abc ❤\u{fe0f}\n");
    assert_eq!((grown.cursor().row, grown.cursor().col), (1, 2));
}

#[test]
fn clusters_come_back_from_a_snapshot_in_every_mode() {
    for stream in [
        "\x1b[?2027h👩\u{200d}👧x❤\u{fe0f}y",
        "\x1b[?2027h👩\u{200d}👧x❤\u{fe0f}y\x1b[?2027l z",
        "👩\u{200d}👧\x1b[?2027h👩\u{200d}👧",
    ] {
        let original = fed(20, 3, stream);
        let mut copy = terminal(20, 3);
        copy.feed(&original.snapshot(SnapshotForm::Full { history: 10 }));
        assert_eq!(copy.describe(), original.describe(), "{stream:?}");
    }
}

#[test]
fn a_full_line_of_history_costs_little_more_than_its_text() {
    let mut terminal =
        Terminal::new(TermSize::clamped(120, 40), HistoryLimit { lines: 10_000, bytes: 16 << 20 });
    for line in 0..12_000 {
        terminal.feed(format!("{line:0>119}\r\n").as_bytes());
    }
    assert_eq!(terminal.history_len(), 10_000);
    assert!(terminal.history_bytes() < 1_300_000, "{} bytes", terminal.history_bytes());
}

#[test]
fn history_is_bounded_in_lines_and_in_bytes() {
    let limit = HistoryLimit { lines: 1_000_000, bytes: 1 << 20 };
    let mut terminal = Terminal::new(TermSize::clamped(120, 40), limit);
    for line in 0..40_000u32 {
        // A new true colour on every line, and links: nothing of it may gather beyond the limit.
        let color = line.to_le_bytes();
        terminal.feed(
            format!("\x1b[38;2;{};{};{}m{line:0>119}\x1b[m\r\n", color[0], color[1], color[2]).as_bytes(),
        );
    }
    assert!(terminal.history_bytes() <= limit.bytes + (64 << 10), "{} bytes", terminal.history_bytes());
    assert!(terminal.history_len() > 4000);
    let newest = terminal.history_row(terminal.history_len() - 1).expect("a line");
    assert!(newest.text().ends_with("39960"), "{}", newest.text());
}

#[test]
fn links_count_against_the_limit_of_the_history() {
    let limit = HistoryLimit { lines: 1_000_000, bytes: 1 << 20 };
    let mut terminal = Terminal::new(TermSize::clamped(80, 24), limit);
    for n in 0..2000 {
        terminal.feed(
            format!("\x1b]8;;https://example.com/{n}/{}\x1b\\x\x1b]8;;\x1b\\\r\n", "y".repeat(3000))
                .as_bytes(),
        );
    }
    let kept = terminal.history_len();
    assert!(kept < 400, "{kept} links of 3 kB in 1 MiB");
}

#[test]
fn growing_and_shrinking_again_and_again_costs_no_memory_and_no_line() {
    let mut terminal =
        Terminal::new(TermSize::clamped(80, 24), HistoryLimit { lines: 10_000, bytes: 1 << 20 });
    for n in 0..400 {
        terminal.feed(format!("\x1b[38;2;{};{};7m{n}\x1b[m\r\n", n % 256, n / 2).as_bytes());
    }
    let (text, bytes) = (terminal.text(10_000), terminal.history_bytes());
    for _ in 0..200 {
        terminal.resize(TermSize::clamped(80, 200));
        terminal.resize(TermSize::clamped(80, 24));
    }
    assert_eq!(terminal.text(10_000), text);
    assert!(terminal.history_bytes() < 2 * bytes, "{} bytes after {bytes}", terminal.history_bytes());
}

#[test]
fn new_columns_have_no_colour_in_history_either() {
    let mut terminal = fed(5, 2, "\x1b[44mab\x1b[K\x1b[m\r\n1\r\n2\r\n3");
    terminal.resize(TermSize::clamped(10, 2));
    let row = terminal.history_row(0).expect("a line");
    assert_eq!(row.fill.background.kind(), ColorKind::Default);
    assert_eq!(row.spans.iter().map(|span| span.cols).sum::<u16>(), 5);
}

#[test]
fn resizing_keeps_logical_lines_in_history_and_on_screen() {
    let mut terminal = terminal(40, 5);
    let lines: Vec<String> =
        (0..30).map(|n| format!("{n} {}", "word ".repeat(n % 12)).trim_end().to_owned()).collect();
    terminal.feed(lines.join("\r\n").as_bytes());
    terminal.feed(b"\r\n$");
    let text = terminal.text(1000);
    for cols in [17, 80, 9, 200, 40] {
        terminal.resize(TermSize::clamped(cols, 5));
        assert_eq!(terminal.text(1000), text, "{cols} columns");
    }
    // At full width, the row that goes on is in a block in which nothing else is wrapped.
    terminal.feed(b"\x1b[H\x1b[2J\x1b[3J");
    terminal.feed(format!("{}\r\n1\r\n2\r\n3\r\n$", "x".repeat(50)).as_bytes());
    let text = terminal.text(1000);
    for cols in [80, 40, 100, 11] {
        terminal.resize(TermSize::clamped(cols, 5));
        assert_eq!(terminal.text(1000), text, "{cols} columns");
    }
    for rows in [2, 20, 1, 5] {
        terminal.resize(TermSize::clamped(40, rows));
        assert_eq!(terminal.text(1000), text, "{rows} rows");
    }
}

#[test]
fn a_wide_character_is_never_cut_by_a_resize() {
    let mut terminal = terminal(10, 3);
    terminal.feed("中文中文中文中文\r\n$".as_bytes());
    for cols in [3, 5, 7, 2, 30] {
        terminal.resize(TermSize::clamped(cols, 3));
        assert_eq!(terminal.text(100), "中文中文中文中文\n$\n", "{cols} columns");
    }
}

#[test]
fn a_cursor_that_came_from_the_other_screen_stays_outside_the_scroll_region() {
    let mut original = fed(5, 4, "\x1b[1;2r\x1b[?6h\x1b[?47h\x1b[4;3H\x1b[?47l");
    let mut copy = terminal(5, 4);
    copy.feed(&original.snapshot(SnapshotForm::Full { history: 10 }));
    assert_eq!(copy.cursor(), original.cursor());
    for terminal in [&mut original, &mut copy] {
        terminal.feed(b"x\n\ny");
    }
    assert_eq!((copy.text(10), copy.cursor()), (original.text(10), original.cursor()));
}
