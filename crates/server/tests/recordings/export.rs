use std::io::{self, Write};

use server::recordings::{Format, RecordingError, Stop, Stopped, export};

use crate::life::{House, Life, after_ms, rules, secret};

const FORMATS: [Format; 7] = [
    Format::Asciicast,
    Format::Text { times: false },
    Format::Text { times: true },
    Format::Html,
    Format::Player,
    Format::Svg { still: false },
    Format::Svg { still: true },
];

fn exported(life: &Life, format: Format) -> String {
    let mut out = Vec::new();
    export(&life.dir, &rules(), format, (None, None), &mut out, &Stop::default()).expect("exported");
    String::from_utf8(out).expect("text")
}

#[test]
fn an_export_in_any_format_contains_no_secret() {
    let house = House::new();
    let mut life = house.life(1);
    let secret = secret();
    life.print(format!("first line\r\ntoken {secret}\r\n")).wait_ms(5_000).print("last line\r\n").exit();
    for format in FORMATS {
        let text = exported(&life, format);
        assert!(!text.contains(&secret[4..]), "{format:?}: {text}");
        assert!(text.contains(life.dir.id().as_str()) || matches!(format, Format::Text { .. }), "{format:?}");
    }
    assert!(exported(&life, Format::Asciicast).starts_with("{\"version\":3"));
    assert!(exported(&life, Format::Text { times: false }).ends_with("\nlast line\n"));
    assert!(exported(&life, Format::Text { times: true }).contains("Z  last line\n"));
    assert!(exported(&life, Format::Html).contains("last line"));
    assert!(exported(&life, Format::Svg { still: true }).contains(">last line</text>"));
}

#[test]
fn an_export_can_be_limited_to_a_range_of_times() {
    let house = House::new();
    let mut life = house.life(1);
    life.resize(40, 2);
    for number in 0..9 {
        life.wait_ms(1_000).print(format!("\r\nline {number}"));
    }
    life.exit();
    let mut out = Vec::new();
    let range = (Some(after_ms(4_000)), Some(after_ms(5_000)));
    let format = Format::Text { times: false };
    export(&life.dir, &rules(), format, range, &mut out, &Stop::default()).expect("exported");
    assert_eq!(String::from_utf8(out).expect("text"), "line 3\nline 4\n");
}

/// A writer that sets the stop at the first write.
struct Leaver<'a>(&'a Stop);

impl Write for Leaver<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.set();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A writer that always fails.
struct Full;

impl Write for Full {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_export_that_was_stopped_is_an_error() {
    let house = House::new();
    let mut life = house.life(1);
    for number in 0..500 {
        life.print(format!("line {number}\r\n"));
    }
    life.exit();
    for format in FORMATS {
        let stop = Stop::default();
        let stopped = export(&life.dir, &rules(), format, (None, None), &mut Leaver(&stop), &stop);
        assert!(
            matches!(stopped, Err(RecordingError::Stopped(Stopped::Unwanted))),
            "{format:?}: {stopped:?}"
        );
        let refused = export(&life.dir, &rules(), format, (None, None), &mut Full, &Stop::default());
        assert!(matches!(refused, Err(RecordingError::Write(_))), "{format:?}: {refused:?}");
    }
}

#[test]
fn a_worker_without_a_recording_is_an_error() {
    let house = House::new();
    let dir = house.home().worker("k7f2m3qa".parse().expect("an id"));
    for format in FORMATS {
        let nothing = export(&dir, &rules(), format, (None, None), &mut Vec::new(), &Stop::default());
        assert!(matches!(nothing, Err(RecordingError::Empty)), "{format:?}");
    }
}
