//! `abide export`

use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

use crate::house::House;

fn house() -> House {
    let house = House::new();
    let script = r"printf '\033[31mred\033[m\n'; seq 1 60; echo last; exit 3";
    house.worker_with(&["--name", "done", "--size", "80x24"], &["sh", "-c", script]).wait_for_rest();
    house
}

#[test]
fn the_file_name_decides_the_format_and_a_file_appears_only_when_it_is_complete() {
    let house = house();
    let dir = house.path().join("out");
    fs::create_dir(&dir).unwrap();
    for (name, begins, holds) in [
        ("a.cast", "{\"version\":3,", "red"),
        ("b.txt", "red\n1\n2\n", "60\nlast\n"),
        ("c.html", "<!doctype html>", "<script"),
        ("d.svg", "<svg xmlns=", "@keyframes"),
    ] {
        let file = dir.join(name);
        house.output(["export", "done", "-o", file.to_str().unwrap()]);
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.to_lowercase().starts_with(begins) && text.contains(holds), "{name}: {}", &text[..80]);
    }
    let page = house.output(["export", "done", "--format", "html"]);
    assert!(page.contains("last") && !page.contains("<script"), "{page}");
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 4);
    house.refused(&["export", "done", "-o", "/nonexistent/x.cast"], 125);
}

#[test]
fn asciicast_goes_to_standard_output_with_exit_status() {
    let cast = house().output(["export", "done"]);
    let lines: Vec<serde_json::Value> =
        cast.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["term"]["cols"], &lines[0]["title"]), (&80.into(), &"done".into()));
    let last = lines.last().unwrap();
    assert_eq!((&last[1], &last[2]), (&"x".into(), &"3".into()));
    let printed: String =
        lines.iter().filter(|event| event[1] == "o").map(|event| event[2].as_str().unwrap()).collect();
    assert!(printed.contains("\u{1b}[31mred\u{1b}[m\r\n1\r\n2\r\n"), "{printed}");
}

#[test]
fn an_export_without_output_or_of_an_unknown_worker_is_refused() {
    let house = house();
    house.refused(&["export", "nobody"], 125);
    for range in [["--since", "2099-01-01 00:00"], ["--until", "2020-01-01 00:00"], ["--since", "+1h"]] {
        for format in ["text", "asciicast", "html", "player", "svg"] {
            let refused = house.run(["export", "done", "--format", format, range[0], range[1]]);
            assert_eq!(refused.status.code(), Some(1), "{range:?} as {format}");
            assert_eq!(refused.stdout, b"", "{range:?} as {format}");
            let said = String::from_utf8(refused.stderr).unwrap();
            assert!(said.contains("its recording goes from 20"), "{said}");
        }
    }
    let words = house.run(["export", "done", "--last", "soon"]);
    assert_eq!(words.status.code(), Some(2));
    assert!(String::from_utf8(words.stderr).unwrap().contains("10m"));
}

#[test]
fn picture_options_work_for_pictures_only() {
    let house = house();
    let picture =
        |options: &[&str]| house.output([&["export", "done", "--format", "svg"][..], options].concat());
    let moving = picture(&["--speed", "2", "--idle-limit", "500ms"]);
    assert!(moving.contains("@keyframes") && moving.contains("#12151b") && !moving.contains("<circle"));
    let still = picture(&["--still", "--frame", "--theme", "light"]);
    assert!(
        !still.contains("@keyframes") && still.contains(">last</text>") && !still.contains("#12151b"),
        "{still}"
    );
    assert!(still.contains("<circle") && still.contains(">done</text>"), "{still}");
    for wrong in [
        &["--format", "html", "--still"][..],
        &["--frame"],
        &["--format", "svg", "--speed", "0"],
        &["--format", "svg", "--still", "--speed", "2"],
    ] {
        let refused = house.run([&["export", "done"], wrong].concat());
        assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0), "{wrong:?}");
    }
}

#[test]
fn a_recording_too_long_for_a_picture_is_refused_with_a_hint() {
    let house = House::new();
    let cast = house.path().join("long.cast");
    let mut events = "{\"version\":2,\"width\":20,\"height\":4,\"timestamp\":1500000000}\n".to_owned();
    for second in 0..5_100 {
        events.push_str(&format!("[{second}.0,\"o\",\"\\r{second}\"]\n"));
    }
    fs::write(&cast, events).unwrap();
    house.output(["import", cast.to_str().unwrap(), "--name", "long"]);
    let refused = house.run(["export", "long", "--format", "svg"]);
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(125), 0));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("--last") && said.contains("--still"), "{said}");
    assert!(house.output(["export", "long", "--format", "svg", "--last", "10s"]).contains(">5099<"));
    assert!(house.output(["export", "long", "--format", "svg", "--still"]).contains(">5099<"));
}

#[test]
fn the_last_part_is_counted_from_the_end_of_the_recording_however_long_ago_that_was() {
    let house = House::new();
    let cast = house.path().join("old.cast");
    let events = r#"{"version":2,"width":80,"height":24,"timestamp":1500000000}
[1.0,"o","early\r\n"]
[100.0,"o","late\r\n"]
"#;
    fs::write(&cast, events).unwrap();
    house.output(["import", cast.to_str().unwrap(), "--name", "old"]);
    let text = |range: &[&str]| house.output([&["export", "old", "--format", "text"][..], range].concat());
    assert_eq!(text(&["--last", "10s"]), "late\n");
    assert_eq!(text(&["--until", "+50s"]), "early\n");
    assert_eq!(text(&["--since", "+50s"]), "late\n");
    assert_eq!(text(&[]), "early\nlate\n");
}

#[test]
fn an_export_writes_into_a_pipe_or_a_device_and_does_not_replace_it() {
    let house = house();
    let dir = house.path().join("out");
    fs::create_dir(&dir).unwrap();
    let at = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let export = |name: &str| house.output(["export", "done", "--format", "text", "-o", &at(name)]);

    rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let reader = {
        let pipe = at("pipe");
        std::thread::spawn(move || fs::read_to_string(pipe).unwrap())
    };
    export("pipe");
    assert!(reader.join().unwrap().ends_with("last\n"));
    assert!(fs::symlink_metadata(at("pipe")).unwrap().file_type().is_fifo());

    symlink("/dev/null", at("null")).unwrap();
    export("null");
    symlink("new.txt", at("nowhere-yet")).unwrap();
    export("nowhere-yet");
    fs::write(at("old.txt"), "old").unwrap();
    fs::set_permissions(at("old.txt"), fs::Permissions::from_mode(0o644)).unwrap();
    symlink("old.txt", at("link")).unwrap();
    export("link");
    for (link, target) in [("null", "/dev/null"), ("nowhere-yet", "new.txt"), ("link", "old.txt")] {
        assert_eq!(fs::read_link(at(link)).unwrap().to_str(), Some(target), "a link stays");
    }
    for (name, mode) in [("new.txt", 0o600), ("old.txt", 0o644)] {
        assert!(fs::read_to_string(at(name)).unwrap().ends_with("last\n"), "{name}");
        assert_eq!(fs::metadata(at(name)).unwrap().permissions().mode() & 0o777, mode, "{name}");
    }
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 6, "nothing is left beside them");
}
