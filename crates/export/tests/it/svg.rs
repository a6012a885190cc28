//! What a picture shows: the very screens that the model had.

use std::time::Duration;

use export::{ExportError, Motion, Picture, Subject, svg};
use playback::Player;
use recording::Recording;
use terminal::HistoryLimit;
use testkit::Random;

use crate::life::{
    CASTS, drawn_in_two_steps, exit, fixture, for_generated_streams, for_real_programs, imported, output,
    recorded, size, subject,
};
use crate::player::screen_at;
use crate::svg_reader::PictureFile;

/// A picture in which every pause is as long as it was.
pub(crate) fn unhurried() -> Picture {
    Picture { motion: Motion::Plays { idle_limit: Duration::MAX, speed: 1.0 }, ..Picture::default() }
}

pub(crate) fn still() -> Picture {
    Picture { motion: Motion::Still, ..Picture::default() }
}

pub(crate) fn svg_of(recording: &Recording, picture: &Picture) -> String {
    let mut out = Vec::new();
    svg(recording, &subject(), picture, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn cursor_at(recording: &Recording, begin_us: u64, ms: u64) -> Option<(i64, i64)> {
    let mut player = Player::new(recording, HistoryLimit { lines: 0, bytes: 0 });
    player.seek_to_time(begin_us + ms * 1000);
    let cursor = player.terminal().cursor();
    cursor.visible.then_some((cursor.col.into(), cursor.row.into()))
}

/// The model's screen, as high as the picture.
fn expected(recording: &Recording, begin_us: u64, ms: u64, rows: u16) -> Vec<String> {
    let mut screen = screen_at(recording, begin_us, ms);
    screen.resize(rows.into(), String::new());
    screen
}

fn check(recording: &Recording, begin_us: u64, what: &str) {
    let file = PictureFile::read(&svg_of(recording, &unhurried()));
    let rows = file.size.rows();
    for ms in file.times() {
        assert_eq!(file.screen(ms), expected(recording, begin_us, ms, rows), "{what} at {ms} ms");
        assert_eq!(file.cursor(ms), cursor_at(recording, begin_us, ms), "{what}: the cursor at {ms} ms");
    }
    let file = PictureFile::read(&svg_of(recording, &still()));
    assert_eq!(file.total_ms, None, "{what}");
    let last = expected(recording, begin_us, u64::MAX / 2_000, file.size.rows());
    assert_eq!(file.screen(0), last, "{what}: the last screen");
    assert_eq!(file.cursor(0), cursor_at(recording, begin_us, u64::MAX / 2_000), "{what}: the last cursor");
}

#[test]
fn every_moment_of_real_programs_is_the_models_screen() {
    for_real_programs(check);
}

#[test]
fn every_moment_of_generated_streams_is_the_models_screen() {
    for_generated_streams(150, check);
}

#[test]
fn output_that_comes_close_together_is_one_screen() {
    let typed = (0..1000).map(|ms| output(ms, "x"));
    let times = PictureFile::read(&svg_of(&recorded(size(80, 24), typed).recording, &unhurried())).times();
    assert!((14..=18).contains(&times.len()), "{times:?}");
    assert_eq!(times.last(), Some(&999));
}

#[test]
fn pauses_are_shortened_and_the_last_screen_stays_for_a_while() {
    let events = [output(0, "a"), output(1_000, "b"), output(60_000, "c"), exit(90_000, 0)];
    let recorded = recorded(size(20, 3), events);
    let motion = Motion::Plays { idle_limit: Duration::from_secs(2), speed: 2.0 };
    let file = PictureFile::read(&svg_of(&recorded.recording, &Picture { motion, ..Picture::default() }));
    assert_eq!(file.times(), [0, 500, 1_500]);
    assert_eq!([0, 499, 500, 1_499, 1_500].map(|ms| file.screen(ms)[0].len()), [1, 1, 2, 2, 3]);
    assert_eq!(file.total_ms, Some(4_500));
}

#[test]
fn a_half_drawn_frame_is_not_shown() {
    let recorded = drawn_in_two_steps();
    let file = PictureFile::read(&svg_of(&recorded.recording, &unhurried()));
    let first: Vec<String> = file.times().into_iter().map(|ms| file.screen(ms).swap_remove(0)).collect();
    assert_eq!(first, ["old", "new", "newer"]);
}

#[test]
fn scrolling_lines_are_written_once_and_moved() {
    let printed = (0..400).map(|n| output(n * 100, &format!("line {n} of a long log that scrolls\r\n")));
    let svg = svg_of(&recorded(size(80, 24), printed).recording, &unhurried());
    assert_eq!(svg.matches(">line 77 of").count(), 1);
    // Each line costs its text, the key frames that show it, and one that moves the sheet.
    assert!(svg.len() < 400 * 240, "{}", svg.len());
}

#[test]
fn a_screen_that_comes_back_is_not_written_again() {
    let page = |name: &str| (0..20).map(|n| format!("{name} {n}\r\n")).collect::<String>();
    let recorded = recorded(
        size(80, 24),
        [
            output(0, &page("shell")),
            output(1_000, &format!("\u{1b}[?1049h\u{1b}[H{}", page("editor"))),
            output(2_000, "\u{1b}[?1049l"),
            output(3_000, "$ "),
        ],
    );
    let svg = svg_of(&recorded.recording, &unhurried());
    assert_eq!((svg.matches(">shell 7<").count(), svg.matches(">editor 7<").count()), (1, 1));
}

#[test]
fn a_spinner_writes_each_of_its_frames_once() {
    let spinner = (0..600)
        .map(|n| output(n * 100, &format!("\r{} working on it", ['|', '/', '-', '\\'][n as usize % 4])));
    let svg = svg_of(&recorded(size(80, 24), spinner).recording, &unhurried());
    assert_eq!(svg.matches("working on it").count(), 4);
    assert!(svg.len() < 600 * 80, "{}", svg.len());
}

#[test]
fn s24_nothing_that_is_printed_becomes_markup_in_a_picture() {
    let hostile =
        "</text></svg><script>alert(1)</script>\"'><image href=x onerror=alert(1)>]]>&amp;\u{202e}evil";
    let recorded = recorded(size(120, 3), [output(0, hostile), output(900, "\u{1b}]2;</title>\u{7}")]);
    let mut out = Vec::new();
    let about = Subject { title: format!("{hostile}\u{0}\u{1b}\u{ffff}"), ..subject() };
    svg(&recorded.recording, &about, &Picture { title_bar: true, ..Picture::default() }, &mut out).unwrap();
    let svg = String::from_utf8(out).unwrap();
    for markup in ["<script", "<image", "]]>", "\u{202e}", "\u{0}", "\u{1b}", "\u{ffff}"] {
        assert!(!svg.contains(markup), "{markup:?} in {svg}");
    }
    let row = hostile.replace('\u{202e}', "");
    assert_eq!(PictureFile::read(&svg).screen(900)[0], row);
}

#[test]
fn a_picture_names_nothing_outside_itself() {
    for name in CASTS {
        let svg = svg_of(&imported(&fixture(name)).recording, &Picture::default());
        let svg = svg.replacen("xmlns=\"http://www.w3.org/2000/svg\"", "", 1);
        for word in
            ["<script", "src=", "url(", "@import", "@font-face", "<use", "<image", "<foreignObject", " on"]
        {
            let tags = svg.split('<').filter_map(|tag| tag.split_once('>')).map(|(tag, _)| tag);
            assert!(!tags.map(|tag| format!("<{tag}")).any(|tag| tag.contains(word)), "{word} in {name}");
        }
    }
}

#[test]
fn a_recording_too_long_for_a_picture_is_refused_with_a_hint() {
    let flood = (0..5_100).map(|n| output(n * 100, "x"));
    let error =
        svg(&recorded(size(20, 2), flood).recording, &subject(), &unhurried(), std::io::empty()).unwrap_err();
    assert!(matches!(error, ExportError::TooLarge) && error.to_string().contains("--last"), "{error}");
    let mut random = Random::new(7);
    let noise = (0..1_200).map(|n| {
        let text: String = (0..6_000).map(|_| char::from(b'!' + random.below(90) as u8)).collect();
        output(n * 100, &text)
    });
    let noise = recorded(size(200, 50), noise);
    let error = svg(&noise.recording, &subject(), &unhurried(), std::io::empty()).unwrap_err();
    assert!(matches!(error, ExportError::TooLarge), "{error}");
    svg(&noise.recording, &subject(), &still(), std::io::empty()).unwrap();
}

#[test]
fn pictures_of_real_programs_are_small() {
    for (name, most) in CASTS.into_iter().zip([8 << 10, 64 << 10, 56 << 10]) {
        let svg = svg_of(&imported(&fixture(name)).recording, &Picture::default());
        assert!(svg.len() < most, "{name}: {}", svg.len());
    }
}
