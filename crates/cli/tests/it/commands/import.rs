//! `abide import`

use std::fs;

use crate::house::House;

const CAST: &str = r#"{"version": 2, "width": 40, "height": 10, "timestamp": 1700000000}
[0.1, "o", "hello from\r\n"]
[1.5, "o", "elsewhere password=hunter2hunter2\r\n"]
[2.0, "r", "60x20"]
[2.5, "i", "typed"]
[3.0, "o", "the end"]
"#;

#[test]
fn a_recording_from_elsewhere_becomes_a_worker_that_has_ended() {
    let house = House::new();
    let file = house.path().join("demo.cast");
    fs::write(&file, CAST).unwrap();
    assert_eq!(house.output(["import", file.to_str().unwrap()]), "demo\n");
    assert_eq!(house.output(["logs", "demo"]), "hello from\nelsewhere password=***REDACTED***\nthe end\n");
    assert_eq!(house.output(["import", file.to_str().unwrap(), "--name", "again"]), "again\n");
    assert!(house.output(["search", "elsewhere"]).contains("2023-11-14"), "its time is its own");
    assert!(house.output(["ls"]).contains("demo"));
    assert!(house.output(["screen", "demo"]).contains("the end"));
    let cast = house.output(["export", "demo"]);
    assert!(cast.contains("\"r\",\"60x20\"") || cast.contains("\"r\", \"60x20\""), "{cast}");
    assert!(crate::planted::at_rest_with(&house.path().join("workers"), "hunter2hunter2").is_empty());
    house.output(["rm", "demo", "again"]);
}

#[test]
fn s39_a_file_that_is_not_a_recording_is_refused_and_leaves_nothing() {
    let house = House::new();
    let file = house.path().join("bad.cast");
    for text in ["", "not json", "{\"version\": 9}", "\u{1f}\u{8b}gzip"] {
        fs::write(&file, text).unwrap();
        let words = house.refused(&["import", file.to_str().unwrap()], 125);
        assert!(words.contains("bad.cast"), "{words}");
    }
    fs::write(&file, format!("{}\n[0, \"o\", \"{}\"]\n", CAST.lines().next().unwrap(), "x".repeat(5 << 20)))
        .unwrap();
    house.refused(&["import", file.to_str().unwrap()], 125);
    house.refused(&["import", "/nonexistent.cast"], 125);
    let workers = fs::read_dir(house.path().join("workers")).map_or(0, Iterator::count);
    assert_eq!(workers, 0, "nothing is left of what failed");
}

#[test]
fn an_import_says_which_parts_it_left_out() {
    let house = House::new();
    let file = house.path().join("marked.cast");
    fs::write(&file, format!("{CAST}[3.5, \"m\", \"here\"]\n")).unwrap();
    let imported = house.run(["import", file.to_str().unwrap()]);
    let said = String::from_utf8(imported.stderr).unwrap();
    assert!(said.contains("1 marker was left out"), "{said}");
}

#[test]
fn bad_rules_are_reported_once_with_their_file() {
    let house = House::new();
    let file = house.path().join("demo.cast");
    fs::write(&file, CAST).unwrap();
    for name in ["one", "two"] {
        house.output(["import", file.to_str().unwrap(), "--name", name]);
    }
    fs::write(house.home().mask_file(), "no = sense").unwrap();
    for arguments in [&["import", file.to_str().unwrap()][..], &["gc"]] {
        let said = String::from_utf8(house.run(arguments).stderr).unwrap();
        assert_eq!(said.matches("error:").count(), 1, "{said}");
        assert!(said.contains("masking.toml") && !said.contains("asciicast"), "{said}");
    }
}
