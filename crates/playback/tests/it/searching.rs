//! Searching finds every line, and looks only where one may be.

use std::sync::Arc;

use masking::Rules;
use model::{MaskPolicy, Offset, TermSize};
use playback::{Case, Growth, MaskedRecording, Query, Source, Wanted, lines, seal_recording, search_segment};
use testkit::Random;

use crate::life::Life;

fn open(life: &Life) -> MaskedRecording {
    MaskedRecording::open(life.dir.path(), Arc::new(Rules::builtin())).expect("a recording")
}

fn found(recording: &MaskedRecording, pattern: &str) -> Vec<String> {
    let query = Query::new(pattern, false, Case::Smart).expect("a pattern");
    let passages = (0..recording.segments().len())
        .flat_map(|index| search_segment(recording, index, &query, &Wanted::default()).expect("searched"));
    passages.flat_map(|passage| passage.hits().map(|hit| hit.line.text.clone()).collect::<Vec<_>>()).collect()
}

#[test]
fn every_line_that_matches_is_found_sealed_or_not() {
    let words = ["error", "warning", "Building", "ok", "äöü", "kelvin", "fn main()", "12:30"];
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let mut life = Life::begun(TermSize::clamped(40, 6));
        for _ in 0..random.between(5, 200) {
            let line: Vec<&str> =
                (0..random.between(1, 9)).map(|_| words[random.below(words.len())]).collect();
            life.print((line.join(" ") + "\r\n").as_bytes());
            if random.percent(5) {
                life.begin_segment();
            }
        }
        life.exit();
        let recording = open(&life);
        let all: Vec<String> = lines(&recording, Offset(0)).map(|line| line.text).collect();
        let patterns = [
            "error",
            "Error",
            "(?i)ERROR",
            "err.*ok",
            "^ok",
            r"main\(\)",
            "äö",
            r"\d+:\d+",
            "warning|kelvin",
            "nowhere",
        ];
        let before: Vec<Vec<String>> = patterns.iter().map(|pattern| found(&recording, pattern)).collect();
        for (pattern, found) in patterns.iter().zip(&before) {
            let query = Query::new(pattern, false, Case::Smart).expect("a pattern");
            let expected: Vec<String> =
                all.iter().filter(|line| !query.matches(line).is_empty()).cloned().collect();
            assert_eq!(*found, expected, "seed {seed}, {pattern}");
        }
        seal_recording(life.dir.path(), Growth::Finished, MaskPolicy::Always, recording.rules())
            .expect("sealed");
        let recording = open(&life);
        let after: Vec<Vec<String>> = patterns.iter().map(|pattern| found(&recording, pattern)).collect();
        assert_eq!(after, before, "seed {seed}");
    }
}

#[test]
fn only_what_settled_within_the_time_is_found() {
    let mut life = Life::begun(TermSize::clamped(40, 2));
    for number in 0..20 {
        life.wait(1_000_000);
        life.print(format!("\r\nline {number}").as_bytes());
    }
    life.exit();
    for sealed in [false, true] {
        if sealed {
            let rules = Arc::new(Rules::builtin());
            seal_recording(life.dir.path(), Growth::Finished, MaskPolicy::Always, &rules).expect("sealed");
        }
        let recording = open(&life);
        let query = Query::new("line", false, Case::Smart).expect("a pattern");
        let wanted = Wanted { context: 0, since_us: 8_000_000, until_us: 10_000_000 };
        let hits = search_segment(&recording, 0, &query, &wanted).expect("searched");
        let times: Vec<u64> = hits.iter().map(playback::Passage::time_us).collect();
        assert_eq!(times, [8_000_000, 9_000_000, 10_000_000]);
    }
}
