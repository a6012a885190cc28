//! A real browser shows our pages, and the asciinema player plays our asciicast. Without a network.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use export::{Subject, asciicast, html, player, svg};
use playback::Player;
use recording::Recording;
use serde_json::{Value, json};
use terminal::{HistoryLimit, width};

use crate::life::{exit, fixture, imported, output, recorded, resize, size, subject};
use crate::player::{page_of, screen_at, turns};
use crate::svg::{still, unhurried};
use crate::svg_reader::PictureFile;

/// How many moments a browser is asked for, out of all.
const ASKED: usize = 12;

/// The folder of the script that drives the browser, if all that it needs is there.
fn tools() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    if !folder.join("node_modules/playwright-core").exists() {
        return Err("no playwright: run `npm ci` in crates/export/tests/browser".into());
    }
    let is_there = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
    if let Some(missing) = ["node", "chromium"].into_iter().find(|tool| !is_there(tool)) {
        return Err(format!("no {missing}"));
    }
    let has_font = |family: &str| {
        Command::new("fc-list").args(["--quiet", family]).status().is_ok_and(|status| status.success())
    };
    // Those of `picture.mjs`.
    match ["DejaVu Sans Mono", "Noto Sans Mono CJK SC", "DejaVu Sans"].into_iter().find(|it| !has_font(it)) {
        Some(missing) => Err(format!("no font {missing}")),
        None => Ok(folder),
    }
}

/// What a picture of a recording shows at some of its times, and in which columns at the end.
fn picture_of(recording: &Recording, begin_us: u64, dir: &Path, about: &Subject) -> Value {
    svg(recording, about, &unhurried(), File::create(dir.join("picture.svg")).unwrap()).unwrap();
    svg(recording, about, &still(), File::create(dir.join("still.svg")).unwrap()).unwrap();
    let file = PictureFile::read(&fs::read_to_string(dir.join("picture.svg")).unwrap());
    let times = file.times();
    let asked = times.iter().step_by(times.len().div_ceil(ASKED)).chain(times.last());
    let screens: Vec<Value> = asked
        .map(|ms| {
            let mut rows = screen_at(recording, begin_us, *ms);
            rows.resize(file.size.rows().into(), String::new());
            json!({ "ms": ms, "rows": rows })
        })
        .collect();
    let mut player = Player::new(recording, HistoryLimit { lines: 0, bytes: 0 });
    player.seek_to_time(u64::MAX);
    let columns: Vec<Value> = player.terminal().rows().map(|row| columns(&row.text())).collect();
    json!({ "screens": screens, "columns": columns, "looks": [] })
}

/// The column of each UTF-16 unit that a page shows of a row; none for those that belong to the character before.
fn columns(text: &str) -> Value {
    let (mut col, mut columns) = (0, Vec::new());
    for (index, c) in text.chars().enumerate() {
        // A mark that nothing precedes has a cell of its own.
        let cols = if index == 0 { width(c).max(1) } else { width(c) };
        if !turns(c) {
            columns.push((cols > 0).then_some(col));
            columns.extend((1..c.len_utf16()).map(|_| None));
        }
        col += u32::from(cols);
    }
    json!(columns)
}

/// Writes the files of a recording, and what is to be seen in them; says where.
fn write(name: &str, recording: &Recording, about: &Subject, looks: Value) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("export").join(name);
    fs::create_dir_all(&dir).unwrap();
    asciicast(recording, about, None, File::create(dir.join("recording.cast")).unwrap()).unwrap();
    html(recording, about, File::create(dir.join("page.html")).unwrap()).unwrap();
    player(recording, about, File::create(dir.join("player.html")).unwrap()).unwrap();

    let begin_us = recording.segments()[0].head.time_us;
    let page = page_of(recording);
    let times: Vec<u64> = page.moments().iter().map(|(ms, _)| *ms).collect();
    let asked = times.iter().step_by(times.len().div_ceil(ASKED)).chain(times.last());
    let screens: Vec<_> =
        asked.map(|ms| json!({ "ms": ms, "rows": screen_at(recording, begin_us, *ms) })).collect();
    let last = screen_at(recording, begin_us, u64::MAX / 2_000);
    let mut picture = picture_of(recording, begin_us, &dir, about);
    picture["looks"] = looks;
    let expected = json!({
        "title": about.title, "times": times, "screens": screens, "last": last, "markers": page.markers(),
        "picture": picture,
    });
    fs::write(dir.join("expected.json"), expected.to_string()).unwrap();
    dir
}

/// A shell whose commands are marked.
fn shell() -> PathBuf {
    let recorded = imported(&fixture("shell-bash-osc133.cast"));
    let title = "bash, with a prompt that marks commands".into();
    write("shell", &recorded.recording, &Subject { title, ..subject() }, json!([]))
}

/// A full-screen program.
fn editor() -> PathBuf {
    let recorded = imported(&fixture("vim.cast"));
    write(
        "vim",
        &recorded.recording,
        &Subject { title: "vim".into(), command: Some("vim".into()), ..subject() },
        json!([]),
    )
}

/// A program that would like to run something in the page, resizes, a pause, and an end.
fn hostile() -> PathBuf {
    let hostile =
        "</script><script>document.title='owned'</script>\"><img src=x onerror=\"document.title='owned'\">";
    let turned = "\u{202e}turned\u{202c} \u{65e5}\u{672c}\u{8a9e} \u{1f44d} \u{2500}\u{2500}";
    let colours =
        "\u{1b}[31mred \u{1b}[1;44mon blue\u{1b}[m \u{1b}[7minverse\u{1b}[m \u{1b}[38;5;208morange\u{1b}[m";
    let recorded = recorded(
        size(100, 12),
        [
            output(0, &format!("{hostile}\r\n{turned}\r\n")),
            output(500, &format!("{colours}\r\n")),
            output(800, "\u{1b}]8;;javascript:document.title='owned'\u{1b}\\bad link\u{1b}]8;;\u{1b}\\ "),
            output(900, "\u{1b}]8;;https://example.org/?a=1&b=\"2\"\u{1b}\\good link\u{1b}]8;;\u{1b}\\\r\n"),
            output(6_000, "after a pause\r\n"),
            resize(7_000, 110, 14),
            output(7_500, "larger"),
            exit(8_000, 1),
        ],
    );
    let about = Subject { title: hostile.into(), command: Some(hostile.into()), ..subject() };
    let looks = json!([
        { "words": "red ", "fill": "rgb(240, 113, 107)", "behind": null },
        { "words": "on blue", "fill": "rgb(240, 113, 107)", "behind": "rgb(43, 98, 184)" },
        { "words": "inverse", "fill": "rgb(18, 21, 27)", "behind": "rgb(215, 220, 228)" },
        { "words": "orange", "fill": "rgb(255, 135, 0)", "behind": null },
    ]);
    write("hostile", &recorded.recording, &about, looks)
}

#[test]
fn s24_a_browser_shows_the_models_screens_and_hostile_output_as_text() {
    let folder = match tools() {
        Ok(folder) => folder,
        Err(why) => return testkit::skip(&why),
    };
    let mut look = Command::new("node");
    let looked = look.arg(folder.join("look.mjs")).args([shell(), editor(), hostile()]).output();
    let looked = looked.expect("node was there a moment ago");
    let (said, complained) =
        (String::from_utf8_lossy(&looked.stdout), String::from_utf8_lossy(&looked.stderr));
    assert!(looked.status.success(), "{said}\n{complained}");
}
