use std::time::Duration;

use server::recordings::{
    Format, RecordingError, Span, Stop, Stopped, WantedLines, export, info, lines, marks, output,
};

use crate::life::{House, rules};

/// The results of all functions that read one recording.
fn outcomes(stop: &Stop) -> Vec<Result<(), RecordingError>> {
    let house = House::new();
    let mut life = house.life(1);
    life.print("one\r\n").segment().print("two\r\n").exit();
    let (dir, rules) = (&life.dir, &rules());
    vec![
        info(dir, stop).map(drop),
        marks(dir, rules, None, 9, stop).map(drop),
        output(dir, rules, Span::default(), 9, stop).map(drop),
        lines(dir, rules, WantedLines::default(), stop).map(drop),
        export(dir, rules, Format::Asciicast, (None, None), &mut Vec::new(), stop),
    ]
}

#[test]
fn every_read_stops_when_it_is_told_to() {
    let stop = Stop::default();
    assert!(outcomes(&stop).iter().all(Result::is_ok));
    drop(stop.when_dropped());
    for outcome in outcomes(&stop) {
        assert!(matches!(outcome, Err(RecordingError::Stopped(Stopped::Unwanted))), "{outcome:?}");
    }
    for outcome in outcomes(&Stop::after(Duration::ZERO)) {
        assert!(matches!(outcome, Err(RecordingError::Stopped(Stopped::Late))), "{outcome:?}");
    }
}
