//! The log of a worker: its output, and what is missing in it.

use std::io;
use std::ops::RangeInclusive;
use std::sync::Arc;

use home::WorkerDir;
use masking::Rules;
use model::Offset;
use protocol::Attach;
use reading::{Log, LogError, LogForm, Missing, Sink};

use crate::house::House;

const ALWAYS: RangeInclusive<u64> = 0..=u64::MAX;

/// Takes everything down as text.
#[derive(Default)]
struct Paper(String);

impl Sink for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.push_str(str::from_utf8(bytes).expect("text"));
        Ok(())
    }

    fn missing(&mut self, missing: Missing) -> io::Result<()> {
        let to = missing.to.map_or_else(|| "?".to_owned(), |Offset(to)| to.to_string());
        self.0.push_str(&format!("[{}..{to}]", missing.from));
        Ok(())
    }
}

fn written(dir: &WorkerDir, log: Log) -> String {
    let mut paper = Paper::default();
    let damaged = log.write(dir, &Arc::new(Rules::builtin()), &mut paper).expect("written");
    assert_eq!(damaged, 0);
    paper.0
}

fn of(dir: &WorkerDir, form: LogForm, wanted_us: RangeInclusive<u64>) -> String {
    written(dir, Log { form, wanted_us, follow: None })
}

/// The log in the form that is followed, of a worker that has ended.
fn followed(dir: &WorkerDir, form: LogForm) -> String {
    written(dir, Log { form, wanted_us: ALWAYS, follow: Some(Attach::full("test")) })
}

#[test]
fn a_log_is_lines_or_bytes() {
    let worker = House::new();
    let mut life = worker.life(1, 0);
    life.print("one\r\n\x1b[31mtw\x1b[0mo\r\nthree").exit();
    for text in [of(&life.dir, LogForm::Text, ALWAYS), followed(&life.dir, LogForm::Text)] {
        assert_eq!(text, "one\ntwo\nthree\n");
    }
    for bytes in [of(&life.dir, LogForm::Raw, ALWAYS), followed(&life.dir, LogForm::Raw)] {
        assert_eq!(bytes, "one\r\n\x1b[31mtw\x1b[0mo\r\nthree");
    }
}

#[test]
fn only_output_of_the_wanted_time_is_in_it() {
    let house = House::new();
    let worker = house.worker(1, 10_000_000, &["a", "b", "c", "d"]);
    let wanted = 11_000_000..=12_500_000;
    assert_eq!(of(&worker, LogForm::Text, wanted.clone()), "b\nc\n");
    assert_eq!(of(&worker, LogForm::Raw, wanted), "b\r\nc\r\n");
}

#[test]
fn missing_output_is_reported_in_its_place() {
    let house = House::new();
    let mut life = house.life(1, 0);
    life.print("one\r\n").miss(Some(7)).segment_showing(b"\x1bc").print("two\r\n").miss(None).exit();
    assert_eq!(of(&life.dir, LogForm::Raw, ALWAYS), "one\r\n[5..12]two\r\n[17..?]");
    assert_eq!(of(&life.dir, LogForm::Text, ALWAYS), "one\n[5..12]two\n[17..?]");
}

#[test]
fn s38_secrets_are_masked_in_every_form_of_a_log() {
    let secret = format!("ghp_{}", "q7Zt2XbK9mR4vLd8HwPf3NsJ6yGc5TaQ1xVe");
    let house = House::new();
    let worker = house.worker(1, 0, &["before", &format!("token {secret}"), "after"]);
    for form in [LogForm::Raw, LogForm::Text] {
        for log in [of(&worker, form, ALWAYS), followed(&worker, form)] {
            assert!(log.contains("before") && log.contains("after") && !log.contains(&secret), "{log}");
        }
    }
}

#[test]
fn a_worker_without_a_recording_has_an_empty_log() {
    let house = House::new();
    let life = house.life(1, 0);
    std::fs::remove_dir_all(life.dir.recording()).expect("removed");
    assert_eq!(of(&life.dir, LogForm::Text, ALWAYS), "");
}

#[test]
fn a_sink_that_takes_no_more_ends_the_log() {
    struct Full;
    impl Sink for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<()> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn missing(&mut self, _: Missing) -> io::Result<()> {
            Ok(())
        }
    }
    let house = House::new();
    let worker = house.worker(1, 0, &["a"]);
    for form in [LogForm::Raw, LogForm::Text] {
        let log = Log { form, wanted_us: ALWAYS, follow: None };
        let error = log.write(&worker, &Arc::new(Rules::builtin()), &mut Full).unwrap_err();
        assert!(matches!(error, LogError::Sink(error) if error.kind() == io::ErrorKind::BrokenPipe));
    }
}
