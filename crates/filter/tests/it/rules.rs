//! One rule after the other.

use filter::{Filter, Passed};

use crate::shown;

/// What stands around a sequence, so that nothing of it may be taken along.
const BEFORE: &str = "before\x1b[1m";
const AFTER: &str = "after\x1b[0m";

/// Checks what is shown of output, whole and byte by byte.
#[track_caller]
fn check(output: impl AsRef<[u8]>, expected: impl AsRef<[u8]>) {
    let output = [BEFORE.as_bytes(), output.as_ref(), AFTER.as_bytes()].concat();
    let expected = [BEFORE.as_bytes(), expected.as_ref(), AFTER.as_bytes()].concat();
    for piece in [output.len(), 1, 2, 3] {
        let shown = shown(output.chunks(piece));
        assert_eq!(
            shown.escape_ascii().to_string(),
            expected.escape_ascii().to_string(),
            "in pieces of {piece}"
        );
    }
}

#[track_caller]
fn passes(output: &str) {
    check(output, output);
}

#[track_caller]
fn is_taken_out(output: impl AsRef<[u8]>) {
    check(output, "");
}

#[test]
fn o4_no_question_reaches_the_outer_terminal() {
    for question in [
        "\x05",
        "\x1bZ",
        "\x1b[c",
        "\x1b[0c",
        "\x1b[>c",
        "\x1b[>0c",
        "\x1b[=c",
        "\x1b[5n",
        "\x1b[6n",
        "\x1b[?6n",
        "\x1b[?15n",
        "\x1b[?996n",
        "\x1b[4$p",
        "\x1b[?2026$p",
        "\x1b[>q",
        "\x1b[>0q",
        "\x1b[?u",
        "\x1b[x",
        "\x1b[1x",
        "\x1b[?4m",
        "\x1b[1;1;1;1;5;5*y",
        "\x1b[?1;1;0S",
        "\x1b[1$w",
        "\x1b[0'|",
        "\x1b[#S",
        "\x1b[#R",
        "\x1b[1;1;2;2#|",
        "\x1bP$qm\x1b\\",
        "\x1bP$q q\x1b\\",
        "\x1bP+q544e\x1b\\",
        "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\",
        "\x1b]4;1;?\x07",
        "\x1b]4;1;#123456;2;?\x07",
        "\x1b]5;0;?\x07",
        "\x1b]10;?\x07",
        "\x1b]010;?\x07",
        "\x1b]11;?\x1b\\",
        "\x1b]12;?\u{9c}",
        "\x1b]10;#111111;?\x07",
        "\x1b]19;?\x07",
        "\x1b]22;?__current__\x07",
        "\x1b]50;?\x07",
        "\x1b]60\x07",
        "\x1b]99;i=1:p=?;\x07",
        "\x1b]99;i=echo:a=report;click me\x07",
        "\x1b]1337;ReportCellSize\x07",
        "\x1b]7501;?\x07",
    ] {
        is_taken_out(question);
    }
}

#[test]
fn s22_output_reaches_no_clipboard_window_or_printer() {
    for sequence in [
        "\x1b]52;c;?\x07",
        "\x1b]52;c;aGVsbG8=\x07",
        "\x1b]5522;type=read\x07",
        "\x1b]1337;Copy=:aGVsbG8=\x07",
        "\x1b]1337;File=inline=1:AAAA\x07",
        "\x1b[8;50;200t",
        "\x1b[3;0;0t",
        "\x1b[14t",
        "\x1b[21t",
        "\x1b[22;0t",
        "\x1b[23;0t",
        "\x1b[36t",
        "\x1b[>1t",
        "\x1b[i",
        "\x1b[5i",
        "\x1b[?5i",
        "\x1b[132$|",
        "\x1b[50*|",
        "\x1b[?3h",
        "\x1b[?3l",
        "\x1b[?40h",
        "\x1b[?18h",
        "\x1b[?46h",
        "\x1b]46;/tmp/log\x07",
        "\x1b]9;7;reboot\x07",
        "\x1b]9;5\x07",
        "\x1b]777;precmd\x07",
    ] {
        is_taken_out(sequence);
    }
}

#[test]
fn strings_for_pictures_and_for_other_programs_are_removed() {
    for string in [
        "\x1bPq#0;2;0;0;0#0~~@@vv@@~~$-\x1b\\",
        "\x1bP0pS(H)\x1b\\",
        "\x1bP1;1|17/41\x1b\\",
        "\x1bPtmux;x\x1b\\",
        "\x1b^private\x1b\\",
        "\x1bXstart\x1b\\",
        "\u{90}q~~\u{9c}",
        "\u{9f}G\u{9c}",
        "\x1b]P0ffffff\x07",
        "\x1b]66;s=2;big\x07",
        "\x1b]\x07",
    ] {
        is_taken_out(string);
    }
    check("\x1bPtmux;\x1b\x1b]2;through\x07\x1b\\", "\x1b]2;through\x07");
}

#[test]
fn sequences_that_change_the_outer_terminals_setup_are_removed() {
    for sequence in [
        "\x1b[?2l",
        "\x1b[?38h",
        "\x1b[?69h",
        "\x1b[?1001h",
        "\x1b[?1046l",
        "\x1b[?66585h",
        "\x1b[?1049s",
        "\x1b[?1049r",
        "\x1b[2h",
        "\x1b[12l",
        "\x1b[61\"p",
        "\x1b[0'z",
        "\x1b[1*z",
        "\x1b G",
        "\x1bk",
        "\x1b#3",
        "\x1b[3J",
        "\x1b[?3J",
        "\x1b[03J",
        "\x1b[22J",
    ] {
        is_taken_out(sequence);
    }
    check("\x1b%@", "\x0f\x1b(B");
    check("\x1b%G", "\x0f\x1b(B");
}

#[test]
fn modes_that_change_what_keys_send_and_cannot_be_undone_are_removed() {
    for mode in [67, 1034, 1035, 1036, 1039, 1051, 1060, 1061, 5522, 7727, 7767, 7787, 9001] {
        is_taken_out(format!("\x1b[?{mode}h"));
        is_taken_out(format!("\x1b[?{mode}l"));
    }
    check("\x1b[?25;9001;2004h", "\x1b[?25;2004h");
    is_taken_out("\u{9b}?09001h");
}

#[test]
fn only_the_forbidden_modes_of_a_list_are_removed() {
    check("\x1b[?1000;2048;1006h", "\x1b[?1000;1006h");
    check("\x1b[?2048h", "");
    check("\x1b[?2048;3l", "");
    check("\x1b[?02048;25l", "\x1b[?25l");
    check("\x1b[4;12h", "\x1b[4h");
    check("\x1b[?25:1;7h", "\x1b[?25;7h");
    passes("\x1b[?1000;1002;1006h");
    passes("\x1b[?2h");
}

#[test]
fn sequences_that_only_draw_pass_unchanged() {
    for output in [
        "text, tab\t, line\r\n, bell\x07, backspace\x08",
        "größe 漢字 👍🏽 \u{a0}\u{ad}ÂÃ",
        "\x1b[m\x1b[0;1;38;5;9m\x1b[38:2::1:2:3m\x1b[4:3m",
        "\x1b[H\x1b[2;3H\x1b[A\x1b[5B\x1b[3C\x1b[D\x1b[2E\x1b[F\x1b[7G\x1b[4d\x1b[2`\x1b[a\x1b[e\x1b[1;1f",
        "\x1b[J\x1b[1J\x1b[2J\x1b[K\x1b[?J\x1b[?1K\x1b[X\x1b[P\x1b[@\x1b[L\x1b[M\x1b[S\x1b[T\x1b[2b",
        "\x1b[r\x1b[2;5r\x1b[s\x1b[u\x1b7\x1b8\x1b[g\x1b[3g\x1bH\x1b[I\x1b[Z\x1bD\x1bE\x1bM",
        "\x1b[!p\x1b[1\"q\x1b[2 q\x1b[ @\x1b[ A\x1b['}\x1b['~\x1b#8",
        "\x1b(0lqqk\x1b(B\x1b)0\x0e\x0f\x1bn\x1b~",
        "\x1b[4h\x1b[20l\x1b[?25l\x1b[?7h\x1b[?6h\x1b[?1h\x1b=\x1b>",
        "\x1b[?1000h\x1b[?1006h\x1b[?1004h\x1b[?2004h\x1b[?2026h\x1b[?2026l\x1b[?2031h\x1b[?12345h",
        "\x1b[>1u\x1b[<u\x1b[=5;1u\x1b[>4;2m\x1b[>4n",
        "\x1b]0;a title?\x07\x1b]1;icon\x1b\\\x1b]2;漢字; and more\x1b\\",
        "\x1b]4;1;#123456\x07\x1b]10;rgb:12/34/56\x07\x1b]11;red\x07\x1b]12;#fff\x07\x1b]104\x07\x1b]112\x07",
        "\x1b]7;file://host/home\x07\x1b]133;A\x07\x1b]133;D;1\x07\x1b]22;pointer\x07",
        "\x1b]9;done\x07\x1b]9;4;1;40\x07\x1b]9;100 tests passed\x07\x1b]777;notify;title;body\x07",
        "\x1b]99;i=1:d=0;hello\x07\x1b]99;i=1:p=body;world\x07\x1b]7501;state=working\x07",
    ] {
        passes(output);
    }
}

#[test]
fn s23_only_links_to_the_web_and_to_mail_pass() {
    passes("\x1b]8;;https://example.com/a?b=c;d\x1b\\text\x1b]8;;\x1b\\");
    passes("\x1b]8;id=one;HTTP://example.com\x07text\x1b]8;;\x07");
    passes("\x1b]8;;mailto:somebody@example.com\x07text\x1b]8;;\x07");
    for target in
        ["file:///etc/passwd", "javascript:alert(1)", "ssh://host", "https", "/etc/passwd", "x-https://a"]
    {
        // The link before it ends, too: the text must not lead there.
        check(
            format!("\x1b]8;;http://a\x07one\x1b]8;;{target}\x07two\x1b]8;;\x07"),
            "\x1b]8;;http://a\x07one\x1b]8;;\x1b\\two\x1b]8;;\x07",
        );
    }
}

#[test]
fn c1_controls_are_judged_as_what_they_stand_for() {
    is_taken_out("\u{9b}6n");
    is_taken_out("\u{9b}?2048h");
    is_taken_out("\u{9a}");
    is_taken_out("\u{9d}52;c;aGVsbG8=\u{9c}");
    check("\u{9b}31m", "\x1b[31m");
    check("\u{9d}2;title\u{9c}", "\x1b]2;title\x1b\\");
    check("\u{84}\u{85}\u{88}", "\x1bD\x1bE\x1bH");
}

#[test]
fn invalid_utf_8_is_removed() {
    is_taken_out(b"\x9b");
    is_taken_out(b"\xff\xc0\x9b\xed\xa0\x80\xf0\x9f\x98");
    check(b"\x1b[\x806n", "");
    check(b"\x1b[3\xff1m", "\x1b[31m");
    check(b"a\xe6\xbcb", "ab");
}

#[test]
fn a_byte_order_mark_is_removed_and_ends_no_sequence() {
    is_taken_out("\u{feff}");
    is_taken_out("\x1b[\u{feff}6n");
    check("\x1b[\u{feff}5D", "\x1b[5D");
    is_taken_out("\x1b_a\u{feff}hidden\x1b\\");
    is_taken_out("\x1bP\u{feff}q1\x1b\\");
}

#[test]
fn a_control_sequence_that_is_too_long_is_removed() {
    passes(&format!("\x1b[{}5D", "0".repeat(1021)));
    is_taken_out(format!("\x1b[{}5D", "0".repeat(1022)));
}

#[test]
fn controls_inside_a_sequence_work_and_are_no_part_of_it() {
    check("\x1b[6\nn", "\n");
    check("\x1b[3\r1m", "\r\x1b[31m");
    check("\x1b[3\x051m", "\x1b[31m");
    check("\x1b]2;a\nb\x05c\x07", "\x1b]2;abc\x07");
}

#[test]
fn incomplete_and_invalid_sequences_are_removed() {
    check("\x1b[31\x18m", "\x18m");
    check("\x1b[?1?2h", "");
    check("\x1b[1$2m", "");
    check("\x1b[é6n", "6n");
    check("\x1b]2;title\x1b[31m", "\x1b]2;title\x1b\\\x1b[31m");
    check("\x1b]52;c;aGVs\x1b[31m", "\x1b[31m");
    check(format!("\x1b[{}H", "1;".repeat(2000)), "");
}

#[test]
fn s25_an_endless_string_is_dropped_to_its_end() {
    let long = "x".repeat(70_000);
    check(format!("\x1b]2;{long}\x07"), "");
    check(format!("\x1b]2;{long}\x1b\\"), "");
    check(format!("\x1bPq{long}\x1b\\"), "");
    check(format!("\x1b_{long}\x1b\\"), "");
    check(format!("\x1bP{}q\x1b\\", "1".repeat(70_000)), "");
    check(format!("\x1b[{}m", "1".repeat(70_000)), "");
    check(format!("\x1b[1?{}m", "漢".repeat(20_000)), "");
}

#[test]
fn another_screen_or_a_reset_asks_for_a_snapshot() {
    for sequence in [
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b[?1048h",
        "\x1b[?1047l",
        "\x1b[?47h",
        "\x1b[?01049h",
        "\x1b[?25;1049h",
        "\x1b[?1049:1h",
        "\u{9b}?1049h",
        "\x1bc",
    ] {
        let output = format!("text\x1b[6n\x1b[1m{sequence}more\x1b[2m");
        let used = output.find("more").unwrap();
        let mut scratch = Vec::new();
        let passed = Filter::default().pass(output.as_bytes(), &mut scratch);
        assert_eq!(passed, Passed::Until { shown: b"text\x1b[1m", used }, "{sequence:?}");
    }
}

#[test]
fn for_a_sequence_in_two_pieces_the_filter_counts_the_used_bytes_of_the_second() {
    let mut filter = Filter::default();
    let mut scratch = Vec::new();
    assert_eq!(filter.pass(b"text\x1b[?10", &mut scratch), Passed::All { shown: b"text" });
    assert_eq!(filter.pass(b"49hmore", &mut scratch), Passed::Until { shown: b"", used: 3 });
    assert_eq!(filter.pass(b"\x1b[?10", &mut scratch), Passed::All { shown: b"" });
    filter.reset();
    assert_eq!(filter.pass(b"49hmore", &mut scratch), Passed::All { shown: b"49hmore" });
}

#[test]
fn output_is_not_copied_if_nothing_is_removed_from_its_middle() {
    for output in
        ["text \x1b[31mred\x1b[0m 漢字\r\n", "\x1b[ctext\x1b[31m", "text\x1b[31m\x1b[6n", "text\x1b["]
    {
        let mut scratch = Vec::new();
        let shown = Filter::default().pass(output.as_bytes(), &mut scratch).shown();
        assert!(output.as_bytes().as_ptr_range().contains(&shown.as_ptr()), "{output:?}");
    }
}
