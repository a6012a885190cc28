//! Searching finds every line, and looks only where one may be.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use masking::Rules;
use model::{MaskPolicy, Offset, TermSize};
use playback::{
    Case, Line, MaskedRecording, Passage, Query, Source, Wanted, lines, search_segment, segment_times,
};
use testkit::Random;

use crate::life::RecordedLife;

fn open(life: &RecordedLife) -> MaskedRecording {
    MaskedRecording::open(life.dir.path(), Arc::new(Rules::builtin())).expect("a recording")
}

/// The lines that match in each segment.
fn hits(recording: &MaskedRecording, pattern: &str, wanted: &Wanted) -> Vec<Vec<Line>> {
    let query = Query::new(pattern, false, Case::Smart).expect("a pattern");
    let hits = |index| {
        let passages = search_segment(recording, index, &query, wanted).expect("searched").passages;
        passages.iter().flat_map(Passage::hits).map(|hit| hit.line.clone()).collect()
    };
    (0..recording.segments().len()).map(hits).collect()
}

fn found(recording: &MaskedRecording, pattern: &str) -> Vec<String> {
    let hits = hits(recording, pattern, &Wanted::default());
    hits.into_iter().flatten().map(|line| line.text).collect()
}

#[test]
fn every_line_that_matches_is_found_sealed_or_not() {
    let words = ["error", "warning", "Building", "ok", "äöü", "kelvin", "fn main()", "12:30"];
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let mut life = RecordedLife::begun(TermSize::clamped(40, 6));
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
            r"\Aok",
            r"ok\z",
            "(?-m)^error",
            r"kelvin\S*",
            "error[^\"]*building",
            r"ok\s+error",
        ];
        let before: Vec<Vec<String>> = patterns.iter().map(|pattern| found(&recording, pattern)).collect();
        for (pattern, found) in patterns.iter().zip(&before) {
            let query = Query::new(pattern, false, Case::Smart).expect("a pattern");
            let expected: Vec<String> =
                all.iter().filter(|line| !query.matches(line).is_empty()).cloned().collect();
            assert_eq!(*found, expected, "seed {seed}, {pattern}");
        }
        life.seal(MaskPolicy::Always);
        let recording = open(&life);
        let after: Vec<Vec<String>> = patterns.iter().map(|pattern| found(&recording, pattern)).collect();
        assert_eq!(after, before, "seed {seed}");
    }
}

#[test]
fn only_lines_that_settled_within_the_time_are_found() {
    let mut life = RecordedLife::begun(TermSize::clamped(40, 2));
    for number in 0..20 {
        life.wait(1_000_000);
        life.print(format!("\r\nline {number}").as_bytes());
    }
    life.exit();
    for sealed in [false, true] {
        if sealed {
            life.seal(MaskPolicy::Always);
        }
        let recording = open(&life);
        let query = Query::new("line", false, Case::Smart).expect("a pattern");
        let wanted = Wanted { since_us: 8_000_000, until_us: 10_000_000, ..Wanted::default() };
        let hits = search_segment(&recording, 0, &query, &wanted).expect("searched");
        let times: Vec<u64> = hits.passages.iter().map(Passage::time_us).collect();
        assert_eq!(times, [8_000_000, 9_000_000, 10_000_000]);
    }
}

#[test]
fn hits_have_the_times_of_lines_even_if_the_clock_was_set_back() {
    for seed in 0..40 {
        let life = RecordedLife::random(seed, true);
        for sealed in [false, true] {
            if sealed {
                life.seal(MaskPolicy::Always);
            }
            let recording = open(&life);
            let expected: Vec<Line> =
                lines(&recording, Offset(0)).filter(|line| !line.text.is_empty()).collect();
            let hits = hits(&recording, ".", &Wanted::default());
            for (hits, (begins_us, ends_us)) in hits.iter().zip(segment_times(&recording)) {
                let is_within = |line: &Line| (begins_us..=ends_us).contains(&line.time_us);
                assert!(hits.iter().all(is_within), "seed {seed}, sealed {sealed}");
            }
            assert_eq!(hits.concat(), expected, "seed {seed}, sealed {sealed}");
        }
    }
}

#[test]
fn a_segment_ends_no_earlier_than_it_began_even_if_the_clock_was_set_back() {
    let mut life = RecordedLife::begun(TermSize::clamped(40, 2));
    life.time_us = 20_000_000;
    life.begin_segment();
    life.print(b"before the clock was set back\r\n\n\n");
    life.time_us = 5_000_000;
    life.begin_segment();
    life.exit();
    let times = segment_times(&open(&life));
    assert_eq!(times, [(1_000_000, 20_000_000), (20_000_000, 20_000_000), (20_000_000, u64::MAX)]);
}

#[test]
fn of_many_lines_that_match_the_newest_are_found() {
    let mut life = RecordedLife::begun(TermSize::clamped(200, 4));
    // More than one text holds.
    for number in 0..8_000 {
        life.print(format!("line {number} {}\r\n", "-".repeat(150)).as_bytes());
    }
    life.exit();
    for sealed in [false, true] {
        if sealed {
            life.seal(MaskPolicy::Always);
        }
        let recording = open(&life);
        let all = found(&recording, r"line \d+0 ");
        assert_eq!(all.len(), 799, "sealed {sealed}");
        for most in [1, 5, 500] {
            let newest = hits(&recording, r"line \d+0 ", &Wanted { most, ..Wanted::default() }).concat();
            let newest: Vec<String> = newest.into_iter().map(|line| line.text).collect();
            assert_eq!(newest, all[all.len() - most..], "sealed {sealed}");
        }
    }
}

#[test]
fn s38_a_search_finds_nothing_inside_private_keys_that_were_sealed_unmasked() {
    let mut life = RecordedLife::begun(TermSize::clamped(80, 4));
    let word = "q7Zx1".repeat(12);
    let mut key = |goes_on: &mut dyn FnMut(&mut RecordedLife)| {
        life.print(b"-----BEGIN PRIVATE KEY-----\r\n");
        (0..12).for_each(|_| life.print(format!("{word}\r\n").as_bytes()));
        goes_on(&mut life);
        (0..12).for_each(|_| life.print(format!("{word}\r\n").as_bytes()));
        life.print(b"-----END PRIVATE KEY-----\r\nan error\r\n");
    };
    // One that is in two segments, and so many that one is in two texts.
    key(&mut RecordedLife::begin_segment);
    (0..900).for_each(|_| key(&mut |_| {}));
    life.exit();
    life.seal(MaskPolicy::Never);
    let recording = open(&life);
    assert_eq!(found(&recording, "an error").len(), 901);
    assert_eq!(found(&recording, "Zx1q"), [""; 0]);
    assert!(found(&recording, "REDACTED").len() > 901, "masks are found as what they are");
    let around = Wanted { context: 3, ..Wanted::default() };
    let query = Query::new("an error", false, Case::Smart).expect("a pattern");
    for index in 0..recording.segments().len() {
        let passages = search_segment(&recording, index, &query, &around).expect("searched").passages;
        let mut lines = passages.iter().flat_map(|passage| &passage.lines);
        assert!(lines.all(|line| !line.line.text.contains("Zx1q")));
    }
}

/// Damages the first text of a sealed segment.
fn damage_text(path: &Path) {
    let mut bytes = fs::read(path).expect("read");
    // The contents stand behind the head, and the first text behind those.
    let length = u32::from_le_bytes(bytes[48..52].try_into().expect("four bytes")) as usize;
    bytes[47 + 21 + length + 4 + 30] ^= 1;
    fs::write(path, bytes).expect("written");
}

/// Damages the last pack of a sealed segment.
fn damage_pack(path: &Path) {
    let mut bytes = fs::read(path).expect("read");
    let end = bytes.len() - 4;
    let length = u32::from_le_bytes(bytes[end..].try_into().expect("four bytes")) as usize;
    bytes[end - length - 10] ^= 1;
    fs::write(path, bytes).expect("written");
}

#[test]
fn damaged_text_is_rebuilt_from_the_blocks_or_reported() {
    let mut life = RecordedLife::begun(TermSize::clamped(40, 2));
    life.print(b"an error\r\n");
    life.begin_segment();
    life.print(b"another error\r\nthe end");
    life.exit();
    life.seal(MaskPolicy::Always);
    let expected = ["an error", "another error"];
    let path = life.recording().segments()[1].path.clone();
    damage_text(&path);
    assert_eq!(found(&open(&life), "error"), expected);
    damage_pack(&path);
    let query = Query::new("error", false, Case::Smart).expect("a pattern");
    let damaged = |index| search_segment(&open(&life), index, &query, &Wanted::default()).expect("searched");
    assert!(!damaged(0).is_damaged && damaged(1).is_damaged);
    let path = life.recording().segments()[0].path.clone();
    damage_pack(&path);
    assert!(!damaged(0).is_damaged, "its text is whole");
}

#[test]
fn a_segment_that_was_removed_meanwhile_holds_nothing() {
    let mut life = RecordedLife::begun(TermSize::clamped(40, 2));
    life.print(b"an error\r\n");
    life.exit();
    life.seal(MaskPolicy::Always);
    let recording = open(&life);
    fs::remove_file(&recording.segments()[0].path).expect("removed");
    assert_eq!(found(&recording, "error"), [""; 0]);
}
