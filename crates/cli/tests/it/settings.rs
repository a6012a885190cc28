//! Settings, as a person sees them who starts a worker.

use std::fs;

use crate::house::House;

/// What `abide new` says with this settings file.
fn words(file: &str) -> (String, Option<i32>) {
    let house = House::new();
    fs::write(house.path().join("config.toml"), file).unwrap();
    let output = house.run(["new", "-d", "--cwd", "/no/such/directory"]);
    (String::from_utf8(output.stderr).unwrap(), output.status.code())
}

#[test]
fn n5_a_bad_value_is_an_error_with_line_and_remedy() {
    let (words, code) = words("# ours\ndetach_key = \"escape\"\n");
    assert_eq!(code, Some(125));
    assert!(words.contains("config.toml:2") && words.contains("`detach_key`"), "{words}");
    assert!(words.contains(r"hint: set it to a key with Ctrl") && words.contains(r"'ctrl-\ d'"), "{words}");
}

#[test]
fn n5_an_unknown_key_is_a_warning_with_its_line() {
    let (words, _) = words("\n\ncolour = \"blue\"\n");
    assert!(words.starts_with("warning: ") && words.contains("config.toml:3"), "{words}");
    assert!(words.contains("/no/such/directory"), "and the command goes on: {words}");
}

#[test]
fn n5_a_bad_variable_is_named() {
    let house = House::new().setting("ABIDE_GRACE_MS", "long");
    let output = house.run(["new", "-d", "--cwd", "/no/such/directory"]);
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(words.contains("ABIDE_GRACE_MS") && words.contains("milliseconds"), "{words}");
}
