use std::path::Path;

use model::{ExitStatus, Offset, TermSize};
use playback::{Mark, MarkKind, marks};

use crate::life::RecordedLife;

fn kinds(life: &RecordedLife) -> Vec<MarkKind> {
    marks(life.recording()).map(|mark| mark.kind).collect()
}

fn command(command: &str) -> MarkKind {
    MarkKind::CommandStarted { command: Some(command.into()) }
}

#[test]
fn commands_have_marks_where_the_shell_said_so() {
    let mut life = RecordedLife::begun(TermSize::clamped(20, 4));
    let before = b"\x1b]133;A\x07$ \x1b]133;B\x07";
    life.print(b"\x1b]133;A\x07$ \x1b]133;B\x07make -j\r\n\x1b]133;C\x07out\r\n\x1b]133;D;2\x07");
    life.wait(5);
    life.print(b"\x1b]133;A\x07");
    let marks: Vec<Mark> = marks(life.recording()).collect();
    let started = before.len() + b"make -j\r\n\x1b]133;C\x07".len();
    let expected = [
        (8, MarkKind::Prompt),
        (started as u64, command("make -j")),
        (started as u64 + 15, MarkKind::CommandEnded { code: Some(2) }),
        (life.at.0, MarkKind::Prompt),
    ];
    assert_eq!(marks.iter().map(|mark| (mark.at.0, mark.kind.clone())).collect::<Vec<_>>(), expected);
    assert_eq!(marks[3].time_us, marks[2].time_us + 5);
}

#[test]
fn a_command_may_take_several_rows() {
    let mut life = RecordedLife::begun(TermSize::clamped(10, 6));
    life.print(b"\x1b]133;A\x07$ \x1b]133;B\x07echo 1234567890\r\n\x1b]133;C\x07");
    life.print(b"\x1b]133;A\x07$ \x1b]133;B\x07if a\r\n> fi\r\n\x1b]133;C\x07");
    life.print(b"\x1b]133;C\x07");
    let expected = [
        MarkKind::Prompt,
        command("echo 1234567890"),
        MarkKind::Prompt,
        command("if a\n> fi"),
        MarkKind::CommandStarted { command: None },
    ];
    assert_eq!(kinds(&life), expected);
}

#[test]
fn resizes_gaps_bells_and_the_end_have_marks() {
    let mut life = RecordedLife::begun(TermSize::clamped(20, 4));
    life.print(b"a\x07b");
    life.begin_segment();
    life.print(b"lost");
    let lost = life.recording().segments()[1].path.clone();
    life.begin_segment();
    life.resize(TermSize::clamped(30, 5));
    life.exit();
    std::fs::remove_file(lost).expect("removed");
    let expected = [
        MarkKind::Bell,
        MarkKind::Gap { to: Some(Offset(7)) },
        MarkKind::Resize(TermSize::clamped(30, 5)),
        MarkKind::Exit(ExitStatus::Exited { code: 3 }),
    ];
    assert_eq!(kinds(&life), expected);
}

#[test]
fn a_real_shell_says_which_commands_ran() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../terminal/tests/fixtures/recorded/shell-osc133.vt");
    let bytes = std::fs::read(path).expect("the fixture");
    let mut life = RecordedLife::begun(TermSize::clamped(100, 30));
    life.print(&bytes);
    let kinds = kinds(&life);
    let count = |is: fn(&MarkKind) -> bool| kinds.iter().filter(|kind| is(kind)).count();
    assert!(count(|kind| matches!(kind, MarkKind::Prompt)) > 1, "{kinds:?}");
    assert!(count(|kind| matches!(kind, MarkKind::CommandEnded { code: Some(_) })) > 0, "{kinds:?}");
    assert!(count(|kind| matches!(kind, MarkKind::CommandStarted { command: Some(_) })) > 0, "{kinds:?}");
}
