//! What an asciicast file says.

use export::{ExportError, Range, Subject, asciicast};
use recording::{Recording, Writer};

use crate::life::{BEGIN_US, cast_of, exit, output, recorded, resize, size, subject, worker};

fn lines(cast: &str) -> Vec<&str> {
    cast.lines().collect()
}

#[test]
fn a_small_recording_has_exactly_these_lines() {
    let recorded = recorded(
        size(20, 5),
        [output(0, "hello\r\n"), output(1_500, "w\u{f6}rld"), resize(2_000, 40, 10), exit(2_250, 3)],
    );
    assert_eq!(
        lines(&cast_of(&recorded.recording)),
        [
            r#"{"version":3,"term":{"cols":20,"rows":5,"type":"xterm-256color"},"timestamp":1794787000,"command":"bash -l","title":"A night at the terminal"}"#,
            r#"[0.0, "o", "hello\r\n"]"#,
            "[1.5, \"o\", \"w\u{f6}rld\"]",
            r#"[0.5, "r", "40x10"]"#,
            r#"[0.25, "x", "3"]"#,
        ]
    );
}

#[test]
fn s22_questions_and_the_clipboard_do_not_leave_with_a_recording() {
    let recorded =
        recorded(size(20, 5), [output(0, "a\u{1b}[c\u{1b}]52;c;aGk=\u{7}b"), output(9, "\u{1b}[6n")]);
    assert_eq!(lines(&cast_of(&recorded.recording))[1..], [r#"[0.0, "o", "ab"]"#]);
}

#[test]
fn a_later_beginning_starts_with_the_screen_as_it_was() {
    let recorded =
        recorded(size(20, 5), [output(0, "one\r\n"), output(1_000, "two\r\n"), output(3_000, "three")]);
    let range = Range { from_us: Some(BEGIN_US + 2_000_000), to_us: None };
    let mut out = Vec::new();
    asciicast(&recorded.recording, &Subject { range, ..subject() }, None, &mut out).unwrap();
    let cast = String::from_utf8(out).unwrap();
    let [header, screen, three] = lines(&cast)[..] else { panic!("{cast}") };
    assert!(header.contains(r#""timestamp":1794787002"#), "{header}");
    assert!(
        screen.starts_with("[0.0, \"o\", ") && screen.contains("one") && screen.contains("two"),
        "{screen}"
    );
    assert_eq!(three, r#"[1.0, "o", "three"]"#);
}

#[test]
fn an_export_up_to_a_moment_has_no_later_output() {
    let recorded = recorded(size(20, 5), [output(0, "one"), output(1_000, "two"), output(3_000, "three")]);
    let range = Range { from_us: None, to_us: Some(BEGIN_US + 1_000_000) };
    let mut out = Vec::new();
    asciicast(&recorded.recording, &Subject { range, ..subject() }, None, &mut out).unwrap();
    assert_eq!(lines(&String::from_utf8(out).unwrap()).len(), 3);
}

#[test]
fn a_gap_is_marked_and_the_screen_behind_it_drawn_anew() {
    let dir = tempfile::tempdir().unwrap();
    let head = |at: u64, time_us| recording::SegmentHead {
        worker: worker(),
        epoch: model::Epoch(0),
        at: model::Offset(at),
        time_us,
        size: size(20, 5),
    };
    let mut writer = Writer::create(dir.path(), &head(0, BEGIN_US), b"").unwrap();
    writer.output(model::Offset(0), BEGIN_US, b"before").unwrap();
    writer.begin_segment(&head(100, BEGIN_US + 1_000_000), b"\x18\x1bcknown again").unwrap();
    writer.output(model::Offset(100), BEGIN_US + 2_000_000, b"!").unwrap();
    let cast = cast_of(&Recording::open(dir.path()).unwrap());
    let [_, before, missing, size, screen, after] = lines(&cast)[..] else { panic!("{cast}") };
    assert_eq!(before, r#"[0.0, "o", "before"]"#);
    assert_eq!(missing, r#"[1.0, "m", "output is missing"]"#);
    assert_eq!(size, r#"[0.0, "r", "20x5"]"#);
    assert!(screen.contains("known again"), "{screen}");
    assert_eq!(after, r#"[1.0, "o", "!"]"#);
}

#[test]
fn commands_are_marked() {
    let shell = "\u{1b}]133;A\u{7}$ \u{1b}]133;B\u{7}";
    let recorded = recorded(
        size(40, 5),
        [
            output(0, shell),
            output(500, "make test\r\n\u{1b}]133;C\u{7}"),
            output(900, "failed\r\n\u{1b}]133;D;2\u{7}"),
        ],
    );
    let cast = cast_of(&recorded.recording);
    let markers: Vec<&str> = lines(&cast).into_iter().filter(|line| line.contains(r#", "m", "#)).collect();
    assert_eq!(markers.len(), 2, "{cast}");
    assert!(markers[1].contains("exited 2"), "{cast}");
}

#[test]
fn an_empty_recording_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let empty = Recording::open(dir.path()).unwrap();
    assert!(matches!(asciicast(&empty, &subject(), None, Vec::new()), Err(ExportError::Empty)));
}
