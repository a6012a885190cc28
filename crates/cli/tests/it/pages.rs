//! `abide completions` and `abide man`

use std::fs;

use crate::house::House;

#[test]
fn every_shell_gets_completions() {
    let house = House::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = house.output(["completions", shell]);
        let knows = ["size-policy", "abide complete"].iter().any(|words| script.contains(words));
        assert!(knows, "{shell}:\n{script}");
    }
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let house = House::new();
    let page = house.output(["man"]);
    assert!(page.contains(".TH abide 1") && page.contains("125"), "{page}");
    let pages = house.path().join("man");
    house.output(["man", "--out", pages.to_str().unwrap()]);
    for name in ["abide.1", "abide-new.1", "abide-attach.1", "abide-logs.1", "abide-debug-frames.1"] {
        assert!(fs::metadata(pages.join(name)).is_ok_and(|page| page.len() > 100), "{name}");
    }
}
