//! Imported files: what we read of them, and which ones we refuse.

use std::io::BufReader;

use export::import::{CastHeader, Event, EventKind, Limits, import};
use export::write_recording;
use model::ExitStatus;
use recording::{BlockKind, Recording};

use crate::life::{BEGIN_US, imported, size, worker};

/// The header, the events, and why there are no more.
fn read(cast: &str, limits: Limits) -> Result<(CastHeader, Vec<Event>), String> {
    let events =
        import(BufReader::with_capacity(16, cast.as_bytes()), limits).map_err(|error| error.to_string())?;
    let header = events.header().clone();
    let events: Result<Vec<Event>, _> = events.collect();
    Ok((header, events.map_err(|error| error.to_string())?))
}

fn refused(cast: &str) -> String {
    read(cast, Limits::default()).unwrap_err()
}

fn event(time_us: u64, kind: EventKind) -> Event {
    Event { time_us, kind }
}

#[test]
fn version_1_is_read_as_one_text_over_any_lines() {
    let short = r#"{"version":1,"width":80,"height":24,"duration":1.5,"command":"ls","stdout":[[0.5,"a"],[1.0,"b"]]}"#;
    let long = short.replace(',', ",\n");
    for cast in [short, &long] {
        let (header, events) = read(cast, Limits::default()).unwrap();
        assert_eq!((header.version, header.size, header.command.as_deref()), (1, size(80, 24), Some("ls")));
        assert_eq!(
            events,
            [event(500_000, EventKind::Output("a".into())), event(1_500_000, EventKind::Output("b".into())),]
        );
    }
}

#[test]
fn version_2_counts_from_the_beginning() {
    let cast = concat!(
        "{\"version\":2,\"width\":80,\"height\":24,\"timestamp\":1504467315,\"title\":\"T\",\"env\":{}}\n",
        "[0.25, \"o\", \"a\"]\n\n[0.5, \"i\", \"secret\"]\n[0.75, \"r\", \"100x30\"]\n[0.5, \"m\", \"back\"]\n",
    );
    let (header, events) = read(cast, Limits::default()).unwrap();
    assert_eq!((header.timestamp, header.title.as_deref()), (Some(1_504_467_315), Some("T")));
    assert_eq!(
        events,
        [
            event(250_000, EventKind::Output("a".into())),
            event(750_000, EventKind::Resize(size(100, 30))),
            event(750_000, EventKind::Marker("back".into())),
        ]
    );
}

#[test]
fn version_3_counts_from_the_event_before() {
    let cast = concat!(
        "{\"version\":3,\"term\":{\"cols\":80,\"rows\":24}}\n# a remark\n",
        "[0.1, \"o\", \"a\"]\n[0.2, \"z\", \"unknown\"]\n[0.3, \"o\", \"b\"]\n[-5, \"x\", \"7\"]\n",
    );
    let (_, events) = read(cast, Limits::default()).unwrap();
    assert_eq!(
        events,
        [
            event(100_000, EventKind::Output("a".into())),
            event(600_000, EventKind::Output("b".into())),
            event(600_000, EventKind::Exit(ExitStatus::Exited { code: 7 })),
        ]
    );
}

#[test]
fn an_unfinished_last_line_ends_the_recording() {
    let cast = "{\"version\":3,\"term\":{\"cols\":80,\"rows\":24}}\n[0.1, \"o\", \"a\"]\n[0.2, \"o\", \"hal";
    assert_eq!(read(cast, Limits::default()).unwrap().1.len(), 1);
}

#[test]
fn errors_name_their_line() {
    let head = "{\"version\":3,\"term\":{\"cols\":80,\"rows\":24}}\n";
    for (rest, expected) in [
        ("[1, \"o\", \"a\"]\n[1, \"o\"]\n", "line 3: this is not an event"),
        ("\n\nnonsense\n", "line 4: this is not an event"),
        ("[1, \"r\", \"80by24\"]\n", "line 2: `80by24` is not a terminal size"),
        ("[1e999, \"o\", \"a\"]\n", "line 2: this is not an event"),
    ] {
        let error = refused(&format!("{head}{rest}"));
        assert!(error.starts_with(expected), "{error}");
    }
    assert_eq!(refused(""), "line 1: this is not an asciicast file");
    assert_eq!(refused("PK\u{3}\u{4}"), "line 1: this is not an asciicast file");
    assert_eq!(
        refused("{\"version\":4}\n"),
        "line 1: abide does not know asciicast version 4, only 1, 2 and 3"
    );
    assert_eq!(refused("{\"version\":2}\n"), "line 1: the header does not say how large the terminal is");
}

#[test]
fn s24_messages_about_a_file_are_safe_and_short() {
    let head = "{\"version\":3,\"term\":{\"cols\":80,\"rows\":24}}\n";
    let long = "x".repeat(100_000);
    for line in
        [format!("[\"\\u001b[2J{long}\", \"o\", \"a\"]\n"), format!("[0, \"r\", \"\\u001b[2J{long}\"]\n")]
    {
        let error = refused(&format!("{head}{line}"));
        assert!(error.len() < 2_000 && !error.contains('\u{1b}'), "{error}");
    }
}

#[test]
fn an_error_for_a_compressed_file_names_the_compression() {
    for (magic, program) in [(&b"\x1f\x8b\x08"[..], "gzip"), (b"\x28\xb5\x2f\xfd\0", "zstd")] {
        let error = import(magic, Limits::default()).unwrap_err().to_string();
        assert_eq!(error, format!("line 1: the file is compressed with {program}; decompress it first"));
    }
}

#[test]
fn s39_an_import_ends_at_its_limits() {
    let head = "{\"version\":3,\"term\":{\"cols\":80,\"rows\":24}}\n";
    let cast = format!("{head}{}", "[0, \"o\", \"xxxxxxxxxx\"]\n".repeat(100));
    let sizes = format!("{head}{}", "[0, \"r\", \"80x24\"]\n".repeat(100));
    let most = Limits::default();
    for (cast, limits, expected) in [
        (&cast, Limits { line_bytes: 20, old_bytes: 100, ..most }, "line 2: the line has more than 20 bytes"),
        (&cast, Limits { bytes: 1000, ..most }, "the file has more than 1000 bytes"),
        (&cast, Limits { events: 50, ..most }, "line 52: the file has more than 50 events"),
        (&cast, Limits { output_bytes: 500, ..most }, "line 52: the file has more than 500 bytes of output"),
        (&sizes, Limits { resizes: 9, ..most }, "line 11: the terminal changes its size more than 9 times"),
    ] {
        let error = read(cast, limits).unwrap_err();
        assert!(error.ends_with(expected), "{error}");
    }
    let deep = format!("{head}{}\n", "[".repeat(100_000));
    assert!(refused(&deep).starts_with("line 2: this is not an event"));
    let old = format!("{{\"version\":1,\n{}", " ".repeat(200));
    let error = read(&old, Limits { old_bytes: 100, ..most }).unwrap_err();
    assert!(error.contains("more than 100 bytes") || error.contains("may have 100 bytes"), "{error}");
}

#[test]
fn s27_a_size_from_a_file_is_clamped() {
    let cast = "{\"version\":2,\"width\":99999999,\"height\":1}\n[0, \"r\", \"100000x70000\"]\n";
    let (header, events) = read(cast, Limits::default()).unwrap();
    assert_eq!(header.size, size(1000, 1));
    assert_eq!(events, [event(0, EventKind::Resize(size(1000, 1000)))]);
}

#[test]
fn long_output_is_cut_into_segments_that_begin_with_the_screen() {
    let line = format!("[0.001, \"o\", \"{}\"]\n", "0123456789abcdef\\r\\n".repeat(40_000));
    let cast = format!(
        "{{\"version\":3,\"term\":{{\"cols\":80,\"rows\":24}}}}\n[0, \"r\", \"90x30\"]\n{}",
        line.repeat(16)
    );
    let recorded = imported(cast.as_bytes());
    let segments = recorded.recording.segments();
    assert_eq!(
        segments.iter().map(|segment| segment.head.size).collect::<Vec<_>>(),
        [size(80, 24), size(90, 30)]
    );
    let mut at = model::Offset(0);
    for block in recorded.recording.blocks() {
        assert_eq!(block.at, at, "nothing is missing between segments");
        if let BlockKind::Output(bytes) = &block.kind {
            at += bytes.len();
        }
    }
    assert_eq!(at.0, 16 * 40_000 * 18);
}

#[test]
fn an_error_in_the_middle_ends_the_recording_that_was_begun() {
    let dir = tempfile::tempdir().unwrap();
    let cast = "{\"version\":3,\"term\":{\"cols\":80,\"rows\":24}}\n[0, \"o\", \"a\"]\nnonsense\n[0, \"o\", \"b\"]\n";
    let events = import(cast.as_bytes(), Limits::default()).unwrap();
    let error = write_recording(events, dir.path(), worker(), size(80, 24), BEGIN_US).unwrap_err();
    assert!(error.to_string().starts_with("line 3: "), "{error}");
    assert_eq!(Recording::open(dir.path()).unwrap().blocks().count(), 2);
}
