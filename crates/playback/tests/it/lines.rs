use std::path::Path;

use model::{MaskPolicy, Offset, TermSize};
use playback::{Line, LineKind, Source, lines, lines_of_segment};
use testkit::{Profile, StreamGen};

use crate::life::RecordedLife;

const SECOND_US: u64 = 1_000_000;

fn life() -> RecordedLife {
    RecordedLife::begun(TermSize::clamped(20, 4))
}

/// Every settled line of a life.
fn settled(life: &RecordedLife) -> Vec<Line> {
    lines(&life.recording(), Offset(0)).collect()
}

/// What the lines of a life say; frames are marked.
fn texts(life: &RecordedLife) -> Vec<String> {
    let text = |line: Line| match line.kind {
        LineKind::Printed => line.text,
        LineKind::Frame => format!("[{}]", line.text),
    };
    settled(life).into_iter().map(text).collect()
}

fn numbered(numbers: std::ops::RangeInclusive<u32>) -> Vec<String> {
    numbers.map(|number| format!("line {number}")).collect()
}

fn print_numbered(life: &mut RecordedLife, numbers: std::ops::RangeInclusive<u32>) {
    for line in numbered(numbers) {
        life.print(format!("{line}\r\n").as_bytes());
    }
}

#[test]
fn every_line_comes_once_and_in_order_over_all_segments() {
    let mut life = life();
    for hundred in 0..20 {
        print_numbered(&mut life, hundred * 100 + 1..=hundred * 100 + 100);
        life.begin_segment();
    }
    life.exit();
    assert_eq!(texts(&life), numbered(1..=2_000));
}

#[test]
fn in_one_large_block_every_line_comes_once_too() {
    let mut life = life();
    let all = numbered(1..=50_000);
    life.print((all.join("\r\n") + "\r\n").as_bytes());
    assert_eq!(texts(&life), all);
}

#[test]
fn the_lines_of_a_source_are_those_of_its_segments() {
    let mut frames = 0;
    for seed in 0..200 {
        let life = RecordedLife::random(seed, false);
        let recording = life.recording();
        let last = recording.segments().len() - 1;
        let mut one_by_one = Vec::new();
        for (index, segment) in recording.segments().iter().enumerate() {
            one_by_one.extend(lines_of_segment(
                &segment.head,
                Source::blocks(&recording, index),
                index == last,
            ));
        }
        assert_eq!(settled(&life), one_by_one, "seed {seed}");
        frames += one_by_one.iter().filter(|line| line.kind == LineKind::Frame).count();
    }
    assert!(frames > 0);
}

#[test]
fn offsets_never_fall_and_times_lie_within_the_recording() {
    for seed in 0..200 {
        let life = RecordedLife::random(seed, true);
        let end = life.player().end();
        let lines = settled(&life);
        for pair in lines.windows(2) {
            assert!(pair[0].at <= pair[1].at, "seed {seed}: {pair:?}");
        }
        assert!(lines.iter().all(|line| line.at <= end.at && line.time_us <= end.time_us), "seed {seed}");
    }
}

#[test]
fn a_line_has_the_time_at_which_it_was_printed_however_long_it_stands() {
    let mut life = life();
    for number in 1..=500 {
        life.wait(SECOND_US);
        life.print(format!("line {number}\r\n").as_bytes());
    }
    for (index, line) in settled(&life).iter().enumerate() {
        assert_eq!(line.time_us, (index as u64 + 2) * SECOND_US, "{line:?}");
    }
}

/// What the lines of a life say, and how many seconds after its beginning each changed last.
fn timed(life: &RecordedLife) -> Vec<(String, u64)> {
    settled(life).into_iter().map(|line| (line.text, line.time_us / SECOND_US - 1)).collect()
}

/// Prints these, a second after each other.
fn print_each(life: &mut RecordedLife, outputs: &[&str]) {
    for output in outputs {
        life.wait(SECOND_US);
        life.print(output.as_bytes());
    }
}

fn owned<const N: usize>(lines: [(&str, u64); N]) -> Vec<(String, u64)> {
    lines.map(|(text, second)| (text.to_owned(), second)).to_vec()
}

#[test]
fn a_line_that_changes_has_the_time_of_its_last_change_and_those_below_it_keep_theirs() {
    let mut life = life();
    print_each(&mut life, &["0 %\r\n", "made\r\n", "\r\n", "\x1b[H100 %\x1b[4H", "$ "]);
    assert_eq!(timed(&life), owned([("100 %", 4), ("made", 2), ("", 2), ("$", 5)]));
    life.seal(MaskPolicy::Always);
    let recording = life.recording();
    let texts = recording::Texts::open(&recording.segments()[0].path).unwrap().unwrap();
    let times = texts.flat_map(|text| text.places().unwrap()).map(|(_, time_us, _)| time_us / SECOND_US - 1);
    assert_eq!(times.collect::<Vec<_>>(), [4, 2, 2, 5], "what is sealed says the same");
}

#[test]
fn lines_take_their_times_along_when_they_move_wrap_anew_and_are_cleared() {
    let mut life = life();
    print_each(&mut life, &["one\r\n", &"x".repeat(30), "\r\nthree"]);
    life.resize(TermSize::clamped(12, 8));
    life.wait(SECOND_US);
    life.resize(TermSize::clamped(40, 6));
    print_each(&mut life, &["\x1b[H\x1b[L", "\x1b[H\x1b[2J", "new"]);
    assert_eq!(timed(&life), owned([("", 0), ("one", 1), (&"x".repeat(30), 2), ("three", 3), ("new", 7)]));
}

#[test]
fn rows_of_a_full_screen_program_have_the_times_at_which_they_were_drawn() {
    let mut life = life();
    print_each(&mut life, &["\x1b[?1049h\x1b[Hname", "\x1b[2Hrow", "\x1b[HNAME", "\x1b[?1049l"]);
    assert_eq!(timed(&life)[..2], owned([("NAME", 3), ("row", 2)]));
}

#[test]
fn rows_of_a_segments_first_screen_have_the_time_of_its_beginning() {
    let mut life = life();
    print_each(&mut life, &["before\r\n"]);
    life.wait(SECOND_US);
    life.begin_segment();
    print_each(&mut life, &["after\r\n"]);
    assert_eq!(timed(&life), owned([("before", 2), ("after", 3)]));
}

#[test]
fn lines_from_a_moment_on_are_the_last_of_all_lines() {
    for seed in 0..60 {
        let life = RecordedLife::random(seed, false);
        let all = settled(&life);
        for from in [0, 1, life.at.0 / 3, life.at.0 / 2, life.at.0] {
            let expected: Vec<Line> = all.iter().filter(|line| line.at.0 >= from).cloned().collect();
            let some: Vec<Line> = lines(&life.recording(), Offset(from)).collect();
            assert_eq!(some, expected, "seed {seed} from {from}");
        }
    }
}

#[test]
fn how_output_is_cut_into_blocks_does_not_change_what_settles() {
    let programs = [Profile::Shell, Profile::Pager, Profile::Editor, Profile::Interface, Profile::Flood];
    for seed in 0..150 {
        // Streams of any sequences may delete the row behind one that scrolled off: whether those two were one line
        // then depends on when one looks.
        let stream = StreamGen::new(seed).like(programs[seed as usize % programs.len()]);
        let size = stream.size();
        let bytes = stream.bytes();
        let text_of = |block_bytes: usize| {
            let mut life = RecordedLife::begun(size);
            bytes.chunks(block_bytes).for_each(|block| life.print(block));
            texts(&life)
        };
        let whole = text_of(1 << 20);
        for block_bytes in [1, 7, 100] {
            assert_eq!(text_of(block_bytes), whole, "seed {seed}, blocks of {block_bytes}");
        }
    }
}

#[test]
fn a_line_that_wraps_is_one_line_and_blanks_at_its_end_go() {
    let mut life = life();
    let long = "x".repeat(75);
    life.print(format!("a   \r\n{long}\r\n\r\nb\r\nc\r\nd\r\n").as_bytes());
    assert_eq!(texts(&life), ["a", &long, "", "b", "c", "d"]);
}

#[test]
fn a_line_that_has_half_scrolled_off_when_a_segment_ends_comes_in_two_parts() {
    let mut life = life();
    life.print(format!("{}\r\n{}", "x".repeat(40), "y".repeat(30)).as_bytes());
    life.print(b"\r\nz");
    life.begin_segment();
    life.print(b"\r\nend");
    assert_eq!(texts(&life).concat(), format!("{}{}zend", "x".repeat(40), "y".repeat(30)));
}

#[test]
fn an_endless_line_comes_in_parts_that_are_not_too_long() {
    let mut life = life();
    for _ in 0..40 {
        life.print(&[b'x'; 10_000]);
    }
    let texts = texts(&life);
    assert!(texts.len() > 3 && texts.iter().all(|text| text.len() < 100_000));
    assert_eq!(texts.concat().len(), 400_000);
}

#[test]
fn rows_that_a_program_draws_again_and_again_count_when_they_stand_still() {
    let mut life = life();
    life.print(b"working 0\r\n> ");
    for step in 1..300 {
        life.print(format!("\x1b[1A\r\x1b[Jworking {step}\r\n> ").as_bytes());
        if step % 100 == 0 {
            life.print(format!("\x1b[1A\r\x1b[Jdone {step}\r\n\r\n> ").as_bytes());
        }
    }
    assert_eq!(texts(&life), ["done 100", "done 200", "working 299", ">"]);
}

#[test]
fn lines_that_are_cleared_off_the_screen_settle() {
    for clear in ["\x1b[2J\x1b[H", "\x1b[H\x1b[J", "\x1b[H\x1b[2J\x1b[3J", "\x1bc", "\x1b[1;1H\x1b[0J"] {
        let mut life = life();
        life.print(b"one\r\ntwo\r\n");
        // However the sequence is cut.
        for byte in clear.bytes() {
            life.print(&[byte]);
        }
        life.print(b"three");
        assert_eq!(texts(&life), ["one", "two", "three"], "{clear:?}");
    }
}

#[test]
fn a_history_that_is_cleared_takes_no_line_along() {
    let mut life = life();
    let text = numbered(1..=50).join("\r\n");
    life.print(format!("{text}\x1b[H\x1b[2J\x1b[3Jafter").as_bytes());
    let mut expected = numbered(1..=50);
    expected.push("after".into());
    assert_eq!(texts(&life), expected);
}

#[test]
fn clearing_a_part_of_the_screen_settles_nothing() {
    let mut life = life();
    life.print(b"one\r\ntwo\r\n\x1b[A\x1b[Jthree");
    assert_eq!(texts(&life), ["one", "three"]);
}

#[test]
fn a_program_that_clears_the_screen_for_each_frame_leaves_the_changed_lines() {
    let mut life = life();
    for second in 1..=4 {
        life.wait(SECOND_US);
        life.print(format!("\x1b[H\x1b[2Jevery second\r\n{}", "*".repeat(second / 2)).as_bytes());
    }
    assert_eq!(texts(&life)[..4], ["every second", "*", "every second", "**"]);
}

#[test]
fn lines_that_are_cleared_and_printed_again_come_again() {
    let mut life = life();
    for _ in 0..2 {
        life.print(b"$ date\r\nmonday\r\n");
        life.wait(6 * SECOND_US);
        life.print(b"\x1b[H\x1b[2J");
    }
    assert_eq!(texts(&life), ["$ date", "monday", "$ date", "monday"]);
}

#[test]
fn a_full_screen_program_leaves_its_last_frame() {
    let mut life = life();
    life.print(b"before\r\n\x1b[?1049h");
    for second in 0..100 {
        life.wait(SECOND_US);
        life.print(format!("\x1b[Hload {second}\x1b[K\r\nq quits").as_bytes());
    }
    life.print(b"\x1b[?1049lafter\r\n");
    assert_eq!(texts(&life), ["[load 99]", "[q quits]", "before", "after"]);
}

#[test]
fn a_full_screen_program_that_clears_its_screen_before_it_ends_leaves_the_cleared_lines() {
    let mut life = life();
    life.print(b"\x1b[?1049h\x1b[Hanswer\x1b[1;1H\x1b[J\x1b]0;\x07\x1b[?1049lbye\r\n");
    life.print(b"\x1b[?1049h\x1b[?1049l");
    assert_eq!(texts(&life), ["[answer]", "bye"]);
}

#[test]
fn the_texts_of_real_agents_settle() {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../terminal/tests/fixtures/recorded");
    let said = [
        ("agent-claude-2.1.325.vt", "I need a decision."),
        ("agent-codex-0.166.0.vt", "To continue this session, run:"),
        ("agent-codex-0.166.0.vt", "Shutting down..."),
    ];
    for (name, text) in said {
        let bytes = std::fs::read(recorded.join(name)).expect("the fixture");
        let mut life = RecordedLife::begun(TermSize::clamped(100, 30));
        bytes.chunks(1_000).for_each(|block| life.print(block));
        let count = texts(&life).iter().filter(|line| line.contains(text)).count();
        assert_eq!(count, 1, "{name}: {text}");
    }
}

#[test]
fn a_frame_that_stood_for_five_seconds_leaves_its_new_lines() {
    let mut life = life();
    life.print(b"\x1b[?1049h");
    for (text, seconds) in [("one", 1), ("two", 6), ("three", 2), ("four", 5)] {
        life.print(format!("\x1b[Htitle\r\n{text}\x1b[K").as_bytes());
        life.wait(seconds * SECOND_US);
    }
    life.print(b"\x1b[2;1Hfive\x1b[K");
    assert_eq!(texts(&life), ["[title]", "[two]", "[four]", "[five]"]);
    let lines = settled(&life);
    assert_eq!(lines[1].time_us, 2 * SECOND_US, "it was drawn then");
    let mut player = life.player();
    player.seek_to_time(lines[1].time_us);
    assert_eq!(player.terminal().text(0), "title\ntwo\n");
}

#[test]
fn the_main_screen_under_a_full_screen_program_settles_at_the_end() {
    let mut life = life();
    life.print(b"$ vim\r\n\x1b[?1049h\x1b[Hfile");
    life.begin_segment();
    life.print(b"\x1b[2;1Hmore\x1b]unfinished");
    life.exit();
    assert_eq!(texts(&life), ["[file]", "[more]", "$ vim"]);
}

#[test]
fn a_new_size_gives_no_line_twice_and_loses_none() {
    let mut life = life();
    for number in 1..=60_u16 {
        life.print(format!("line {number}\r\n").as_bytes());
        life.resize(TermSize::clamped(10 + number * 7 % 30, 2 + number * 5 % 9));
    }
    assert_eq!(texts(&life), numbered(1..=60));
}

#[test]
fn lines_that_a_larger_screen_brought_back_come_again_only_if_they_change() {
    let mut life = life();
    print_numbered(&mut life, 1..=10);
    life.resize(TermSize::clamped(20, 8));
    life.print(b"\x1b[Hline X");
    life.print(b"\x1b[8;1H");
    print_numbered(&mut life, 11..=30);
    let mut expected = numbered(1..=7);
    expected.push("line X".into());
    expected.extend(numbered(5..=30));
    assert_eq!(texts(&life), expected);
}

#[test]
fn lines_on_the_screen_before_a_gap_settle() {
    let mut life = life();
    print_numbered(&mut life, 1..=5);
    let missing = life.recording().segments().len();
    life.begin_segment();
    print_numbered(&mut life, 6..=9);
    life.begin_segment();
    print_numbered(&mut life, 10..=12);
    std::fs::remove_file(&life.recording().segments()[missing].path).expect("removed");
    let texts = texts(&life);
    assert_eq!(texts[..5], numbered(1..=5));
    assert_eq!(texts[5..], numbered(7..=12), "the snapshot shows what stood there");
}

#[test]
fn little_output_cannot_become_endless_text() {
    let mut life = RecordedLife::begun(TermSize::MAX);
    for _ in 0..5 {
        // A screen full of E, a million of them, and cleared.
        life.print(b"\x1b#8\x1b[2J");
        life.wait(10 * SECOND_US);
    }
    let text_bytes: usize = settled(&life).iter().map(|line| line.text.len()).sum();
    assert!(text_bytes < 2 << 20, "{text_bytes} bytes");
}

#[test]
fn made_up_programs_give_lines_within_bounds() {
    for profile in Profile::ALL {
        let stream = StreamGen::new(7).like(profile).long(50_000);
        let mut life = RecordedLife::begun(stream.size());
        let bytes = stream.bytes();
        bytes.chunks(1_000).for_each(|block| life.print(block));
        let text_bytes: usize = settled(&life).iter().map(|line| line.text.len() + 1).sum();
        assert!(text_bytes < (1 << 20) + 17 * bytes.len() + 20_000, "{profile:?}: {text_bytes} bytes");
    }
}
