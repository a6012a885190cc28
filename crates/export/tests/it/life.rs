//! Recordings to export: made up, or taken from casts of real programs.

use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use export::import::{Event, EventKind, ImportError, Limits, import};
use export::{Subject, write_recording};
use model::{ExitStatus, TermSize, WorkerId};
use recording::Recording;
use tempfile::TempDir;
use testkit::{Random, StreamGen};

/// When made-up recordings begin: at a whole second, since asciicast knows no other beginning.
pub(crate) const BEGIN_US: u64 = 1_794_787_000_000_000;

/// A recording in a directory that is gone when this is.
pub(crate) struct Recorded {
    pub(crate) recording: Recording,
    _dir: TempDir,
}

pub(crate) fn worker() -> WorkerId {
    WorkerId::from_random([7; 8])
}

pub(crate) fn subject() -> Subject {
    Subject {
        title: "A night at the terminal".into(),
        worker: "night".into(),
        command: Some("bash -l".into()),
        ..Subject::default()
    }
}

/// A recording of these events.
pub(crate) fn recorded(size: TermSize, events: impl IntoIterator<Item = Event>) -> Recorded {
    let dir = tempfile::tempdir().unwrap();
    let events = events.into_iter().map(Ok::<_, ImportError>);
    write_recording(events, &dir.path().join("recording"), worker(), size, BEGIN_US).unwrap();
    let recording = Recording::open(&dir.path().join("recording")).unwrap();
    Recorded { recording, _dir: dir }
}

/// A recording made of the text of an asciicast file.
pub(crate) fn imported(cast: &[u8]) -> Recorded {
    let dir = tempfile::tempdir().unwrap();
    let events = import(BufReader::new(cast), Limits::default()).unwrap();
    let (size, begin_us) = (events.header().size, events.header().begin_us().unwrap_or(BEGIN_US));
    write_recording(events, &dir.path().join("recording"), worker(), size, begin_us).unwrap();
    let recording = Recording::open(&dir.path().join("recording")).unwrap();
    Recorded { recording, _dir: dir }
}

/// A file of real output.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    let path = fixtures().join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every cast of a real program.
pub(crate) const CASTS: [&str; 3] = ["shell-bash-osc133.cast", "vim.cast", "claude-2.1.197-iterm.cast"];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

pub(crate) fn size(cols: u16, rows: u16) -> TermSize {
    TermSize::clamped(cols, rows)
}

/// Printed so many milliseconds after the beginning.
pub(crate) fn output(ms: u64, text: &str) -> Event {
    Event { time_us: ms * 1000, kind: EventKind::Output(text.into()) }
}

/// Resized so many milliseconds after the beginning.
pub(crate) fn resize(ms: u64, cols: u16, rows: u16) -> Event {
    Event { time_us: ms * 1000, kind: EventKind::Resize(size(cols, rows)) }
}

/// Ended so many milliseconds after the beginning.
pub(crate) fn exit(ms: u64, code: u8) -> Event {
    Event { time_us: ms * 1000, kind: EventKind::Exit(ExitStatus::Exited { code }) }
}

/// The recording as asciicast.
pub(crate) fn cast_of(recording: &Recording) -> String {
    let mut out = Vec::new();
    export::asciicast(recording, &subject(), None, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// A frame that its program draws in two steps, and announces as one.
pub(crate) fn drawn_in_two_steps() -> Recorded {
    recorded(
        size(20, 3),
        [
            output(0, "old"),
            output(100, "\u{1b}[?2026h\u{1b}[2J"),
            output(200, "\u{1b}[Hnew\u{1b}[?2026l"),
            output(300, "er"),
        ],
    )
}

/// Checks the recording of every cast of a real program. The check gets its beginning in microseconds, and its name.
pub(crate) fn for_real_programs(check: impl Fn(&Recording, u64, &str)) {
    for name in CASTS {
        let recorded = imported(&fixture(name));
        let begin_us = recorded.recording.segments()[0].head.time_us;
        check(&recorded.recording, begin_us, name);
    }
}

/// Checks recordings of generated streams, whose pieces come less than so many milliseconds apart.
pub(crate) fn for_generated_streams(pause_ms: usize, check: impl Fn(&Recording, u64, &str)) {
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let stream = StreamGen::new(seed);
        let size = stream.size();
        let mut ms = 0;
        let mut events = Vec::new();
        for piece in stream.bytes().chunks(random.between(20, 400)) {
            ms += random.below(pause_ms) as u64;
            events.push(output(ms, &String::from_utf8_lossy(piece)));
            if random.percent(5) {
                events.push(resize(ms, random.between(2, 90) as u16, random.between(1, 40) as u16));
            }
        }
        check(&recorded(size, events).recording, BEGIN_US, &format!("seed {seed}"));
    }
}
