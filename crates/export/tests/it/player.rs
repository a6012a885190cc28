//! What a page that plays a recording holds: the very screens that the model had.

use std::io::Read;

use export::{ExportError, player};
use flate2::read::ZlibDecoder;
use playback::Player;
use recording::Recording;
use serde_json::Value;
use terminal::HistoryLimit;
use testkit::heap_of;

use crate::life::{
    drawn_in_two_steps, exit, for_generated_streams, for_real_programs, output, recorded, resize, size,
    subject,
};

/// A page as a browser reads it.
pub(crate) struct Page {
    pub(crate) html: String,
    records: Vec<Value>,
}

pub(crate) fn page_of(recording: &Recording) -> Page {
    let mut out = Vec::new();
    player(recording, &subject(), &mut out).unwrap();
    let html = String::from_utf8(out).unwrap();
    let (_, data) = html.split_once("id=\"records\">").unwrap();
    let (data, _) = data.split_once('<').unwrap();
    let mut text = String::new();
    ZlibDecoder::new(&decode(data)[..]).read_to_string(&mut text).unwrap();
    let records = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    Page { html, records }
}

fn decode(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let groups = text.trim_end_matches('=').as_bytes().chunks(4);
    let bytes = groups.flat_map(|group| {
        let number = group.iter().fold(0_u32, |number, letter| number << 6 | u32::from(value(*letter)));
        let number = number << (6 * (4 - group.len()));
        number.to_be_bytes()[1..group.len()].to_vec()
    });
    bytes.collect()
}

impl Page {
    /// Every moment: its milliseconds and the screen as text.
    pub(crate) fn moments(&self) -> Vec<(u64, Vec<String>)> {
        let number = |value: &Value| value.as_u64().unwrap() as usize;
        let mut rows: Vec<String> = vec![String::new()];
        let mut screen = vec![0; number(&self.records[0]["rows"])];
        let (mut ms, mut moments) = (0, Vec::new());
        for record in &self.records[1..] {
            match record.as_array().map(|items| (items[0].as_u64(), items)) {
                Some((Some(0), items)) => rows.push(items.iter().filter_map(Value::as_str).collect()),
                Some((Some(1), items)) => {
                    ms += items[1].as_u64().unwrap();
                    items[3..].chunks(2).for_each(|change| screen[number(&change[0])] = number(&change[1]));
                    let text = screen.iter().map(|row: &usize| rows[*row].trim_end().to_owned()).collect();
                    moments.push((ms, text));
                }
                Some((Some(2), items)) => screen = vec![0; number(&items[2])],
                _ => (),
            }
        }
        moments
    }

    pub(crate) fn markers(&self) -> Vec<(u64, String, String)> {
        let markers = self.records.iter().filter(|record| record[0].as_u64() == Some(3));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        markers.map(|record| (record[1].as_u64().unwrap(), text(&record[2]), text(&record[3]))).collect()
    }
}

/// The model's screen so many milliseconds after the beginning.
pub(crate) fn screen_at(recording: &Recording, begin_us: u64, ms: u64) -> Vec<String> {
    let mut player = Player::new(recording, HistoryLimit { lines: 0, bytes: 0 });
    player.seek_to_time(begin_us + ms * 1000);
    player.terminal().rows().map(|row| shown(&row.text())).collect()
}

/// A row as a page has it: without blanks at its end, and without marks that turn text around.
fn shown(text: &str) -> String {
    text.chars().filter(|&c| !turns(c)).collect::<String>().trim_end().to_owned()
}

/// Whether a mark turns text around.
pub(crate) fn turns(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn check(recording: &Recording, begin_us: u64, what: &str) {
    let moments = page_of(recording).moments();
    // Of several moments at one time the last is shown.
    let same_time = |one: &(u64, Vec<String>), next: &(u64, Vec<String>)| one.0 == next.0;
    for (ms, screen) in moments.chunk_by(same_time).filter_map(|moments| moments.last()) {
        assert_eq!(*screen, screen_at(recording, begin_us, *ms), "{what} at {ms} ms");
    }
}

#[test]
fn every_moment_of_real_programs_is_the_models_screen() {
    for_real_programs(check);
}

#[test]
fn every_moment_of_generated_streams_is_the_models_screen() {
    for_generated_streams(100, check);
}

#[test]
fn output_that_comes_close_together_is_one_moment() {
    let typed = (0..1000).map(|ms| output(ms, "x"));
    let moments = page_of(&recorded(size(80, 24), typed).recording).moments();
    assert!((30..=33).contains(&moments.len()), "{}", moments.len());
    assert_eq!(moments.last().unwrap().0, 999);
}

#[test]
fn a_half_drawn_frame_is_not_shown() {
    let recorded = drawn_in_two_steps();
    let moments = page_of(&recorded.recording).moments();
    let first: Vec<&str> = moments.iter().map(|(_, screen)| screen[0].as_str()).collect();
    assert_eq!(first, ["", "old", "new", "newer"]);
}

#[test]
fn rows_and_styles_are_written_once() {
    let again = (0..500).map(|n| {
        output(n * 100, if n % 2 == 0 { "\u{1b}[H\u{1b}[31mred" } else { "\u{1b}[H\u{1b}[32mgreen" })
    });
    let page = page_of(&recorded(size(20, 3), again).recording);
    assert_eq!(page.records.iter().filter(|record| record.is_string()).count(), 2);
    assert!(page.records.iter().filter(|record| record[0].as_u64() == Some(0)).count() <= 4);
}

#[test]
fn commands_resizes_and_the_exit_are_marked() {
    let recorded = recorded(
        size(40, 5),
        [
            output(0, "\u{1b}]133;A\u{7}$ \u{1b}]133;B\u{7}"),
            output(500, "false\r\n\u{1b}]133;C\u{7}"),
            output(900, "\u{1b}]133;D;1\u{7}"),
            resize(1000, 50, 5),
            exit(2000, 3),
        ],
    );
    let markers = page_of(&recorded.recording).markers();
    let kinds: Vec<(u64, &str)> = markers.iter().map(|(ms, kind, _)| (*ms, kind.as_str())).collect();
    assert_eq!(kinds, [(500, "command"), (900, "failure"), (1000, "resize"), (2000, "exit")]);
    assert_eq!(markers[3].2, "exited 3");
}

#[test]
fn s24_nothing_that_is_printed_becomes_markup() {
    let hostile = "</script><script>alert(1)</script>\"><img src=x onerror=alert(1)>\u{202e}evil";
    let recorded = recorded(size(120, 3), [output(0, hostile), output(900, "\u{1b}]2;</title>\u{7}")]);
    let mut out = Vec::new();
    let hostile = export::Subject { title: hostile.into(), command: Some(hostile.into()), ..subject() };
    player(&recorded.recording, &hostile, &mut out).unwrap();
    let html = String::from_utf8(out).unwrap();
    assert!(!html.contains("<img") && !html.contains("alert(1)</script>") && !html.contains('\u{202e}'));
    assert_eq!(html.matches("<script").count(), 2);
}

#[test]
fn a_page_names_nothing_outside_itself_and_the_one_script_that_may_run() {
    let page = page_of(&recorded(size(20, 3), [output(0, "x")]).recording);
    assert!(page.html.contains("default-src 'none'; script-src 'sha256-"));
    for word in ["src=", "href=", "url(", "@import", "fetch(", "XMLHttp"] {
        assert!(!page.html.contains(word), "{word}");
    }
}

#[test]
fn a_long_recording_takes_little_memory() {
    let printed = (0..6_000).map(|n| output(n * 40, &format!("line {n} of very many\r\n")));
    let recorded = recorded(size(80, 24), printed);
    let mut page = std::io::empty();
    let (result, heap) = heap_of(|| player(&recorded.recording, &subject(), &mut page));
    result.unwrap();
    assert!(heap.peak < 8 << 20, "{}", heap.peak);
}

#[test]
fn a_recording_too_long_for_a_browser_is_refused_with_a_hint() {
    let flood = (0..401_000).map(|n| output(n * 40, "x"));
    let recorded = recorded(size(20, 2), flood);
    let error = player(&recorded.recording, &subject(), std::io::empty()).unwrap_err();
    assert!(matches!(error, ExportError::TooLong) && error.to_string().contains("--last"), "{error}");
}
