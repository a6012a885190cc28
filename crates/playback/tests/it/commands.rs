//! The commands of a shell that marks, and what they printed.

use model::TermSize;
use playback::{Command, commands, printed};

use crate::life::RecordedLife;

fn text_of(life: &RecordedLife, command: &Command) -> String {
    printed(life.recording(), command.from..command.end.expect("it ended").at)
}

/// A prompt, a typed command, and the mark behind it.
fn typed(command: &str) -> Vec<u8> {
    format!("\x1b]133;A\x07$ \x1b]133;B\x07{command}\r\n\x1b]133;C\x07").into_bytes()
}

#[test]
fn each_command_has_its_directory_its_times_its_code_and_what_it_printed() {
    let mut life = RecordedLife::begun(TermSize::clamped(20, 4));
    life.print(b"before\r\n\x1b]7;file:///tmp/a\x07");
    life.print(&typed("seq 8"));
    life.wait(7);
    life.print(b"1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n");
    life.begin_segment();
    life.print(b"7\r\n8\r\n\x1b]133;D;0\x07");
    life.print(&typed("false"));
    life.print(b"\x1b]133;D;1\x07");
    life.print(&typed("cd b"));
    life.print(b"\x1b]7;file:///tmp/a/b\x07\x1b]133;A\x07$ \r\n");
    life.print(&typed("exit"));
    let found = commands(life.recording());
    let words: Vec<_> = found.iter().map(|command| command.text.as_deref().unwrap()).collect();
    assert_eq!(words, ["seq 8", "false", "cd b", "exit"]);
    let codes: Vec<_> = found.iter().map(|command| command.end.map(|end| end.code)).collect();
    assert_eq!(codes, [Some(Some(0)), Some(Some(1)), Some(None), None]);
    assert_eq!(found[2].directory.as_deref(), Some("file:///tmp/a"));
    assert_eq!(found[3].directory.as_deref(), Some("file:///tmp/a/b"));
    assert_eq!(found[0].end.unwrap().time_us - found[0].from_us, 7);
    assert_eq!(text_of(&life, &found[0]), "1\n2\n3\n4\n5\n6\n7\n8\n");
    assert_eq!([&found[1], &found[2]].map(|command| text_of(&life, command)), ["", ""]);
}

#[test]
fn long_lines_are_whole_and_full_screen_programs_leave_nothing() {
    let mut life = RecordedLife::begun(TermSize::clamped(10, 4));
    life.print(&typed("long"));
    life.print(b"0123456789abcdefghij\r\n\x1b[31mred\x1b[m\r\n\x1b]133;D;0\x07");
    life.print(&typed("vim"));
    life.print(b"\x1b[?1049h\x1b[Hfull\x1b[?1049l\x1b]133;D;0\x07");
    let found = commands(life.recording());
    assert_eq!(text_of(&life, &found[0]), "0123456789abcdefghij\nred\n");
    assert_eq!(text_of(&life, &found[1]), "");
}

#[test]
fn a_shell_that_marks_nothing_has_no_commands() {
    let mut life = RecordedLife::begun(TermSize::clamped(10, 4));
    life.print(b"$ ls\r\na b\r\n");
    assert_eq!(commands(life.recording()), []);
}
