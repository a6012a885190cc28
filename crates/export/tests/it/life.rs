//! Recordings to export: made up, or taken from casts of real programs.

use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use export::import::{Event, EventKind, ImportError, Limits, import};
use export::{Subject, write_recording};
use model::{ExitStatus, TermSize, WorkerId};
use recording::Recording;
use tempfile::TempDir;

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
