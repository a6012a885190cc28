//! `abide agent`

use std::fs;

use serde_json::Value;

use crate::house::House;

/// A program that works by its title, asks on its screen, and is answered.
const CAST: &str = r#"{"version": 2, "width": 60, "height": 12, "timestamp": 1700000000, "command": "/opt/claude"}
[0.5, "o", "\u001b]0;⠂ Fix it\u0007working"]
[2.0, "o", "\u001b[2J\u001b[HDo you want to proceed?\r\n❯ 1. Yes\r\n  2. No\r\n\r\nEsc to cancel · Tab to amend"]
[9.0, "o", "\u001b[2J\u001b[H"]
[12.0, "o", "\u001b]0;✳ Fix it\u0007"]
"#;

fn changes(words: &str) -> Vec<(f64, String, Option<String>, Option<String>)> {
    let line = |line: &str| {
        let change: Value = serde_json::from_str(line).expect("JSON");
        let text = |key: &str| change[key].as_str().map(str::to_owned);
        (change["t"].as_f64().expect("seconds"), text("activity").expect("one"), text("kind"), text("source"))
    };
    words.lines().map(line).collect()
}

#[test]
fn a_recording_shows_when_the_agent_worked_and_asked() {
    let house = House::new();
    let file = house.path().join("session.cast");
    fs::write(&file, CAST).unwrap();
    let file = file.to_str().unwrap();
    let found = changes(&house.output(["agent", "replay", file, "--json"]));
    let activities: Vec<&str> = found.iter().map(|(_, activity, ..)| activity.as_str()).collect();
    assert_eq!(activities, ["active", "asking", "active", "idle"], "{found:?}");
    let (t, _, kind, source) = &found[1];
    assert!((2.0..2.5).contains(t), "{found:?}");
    assert_eq!((kind.as_deref(), source.as_deref()), (Some("permission"), Some("screen")));
    assert_eq!(
        found,
        changes(&house.output(["agent", "replay", file, "--json", "--agent", "claude-code-builtin"]))
    );
    assert!(
        house
            .output(["agent", "replay", file])
            .contains("asking    permission  (screen)  Do you want to proceed?")
    );
    let generic = changes(&house.output(["agent", "replay", file, "--json", "--agent", "generic"]));
    assert_eq!(generic[0].1, "asking", "its title says nothing: {generic:?}");
}

#[test]
fn a_recording_of_the_third_version_has_times_between_its_events() {
    let house = House::new();
    let file = house.path().join("session.cast");
    let cast = "{\"version\": 3, \"term\": {\"cols\": 60, \"rows\": 12}}\n[1.0, \"o\", \"hi\\r\\n\"]\n[1.5, \"o\", \"Go on? (y/n) \"]\n[3.0, \"x\", \"0\"]\n";
    fs::write(&file, cast).unwrap();
    let found = changes(&house.output(["agent", "replay", file.to_str().unwrap(), "--json"]));
    assert_eq!(found.iter().map(|change| change.1.as_str()).collect::<Vec<_>>(), ["asking", "unknown"]);
    assert!((2.5..2.8).contains(&found[0].0) && found[1].0 == 5.5, "{found:?}");
}

#[test]
fn hooks_are_replayed_beside_a_recording() {
    let house = House::new();
    let (file, hooks) = (house.path().join("a.cast"), house.path().join("hooks.jsonl"));
    fs::write(&file, "{\"version\": 2, \"width\": 60, \"height\": 12}\n[9.0, \"o\", \"bye\"]\n").unwrap();
    fs::write(&hooks, "[1.5, {\"hook_event_name\": \"UserPromptSubmit\"}]\n[4, {\"hook_event_name\": \"PermissionRequest\", \"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"ls\"}}]\n").unwrap();
    let (file, hooks) = (file.to_str().unwrap(), hooks.to_str().unwrap());
    let words = house.output(["agent", "replay", file, "--agent", "claude", "--hooks", hooks, "--json"]);
    let found = changes(&words);
    assert_eq!((found[0].0, found[0].1.as_str()), (1.5, "active"));
    assert_eq!((found[1].0, found[1].1.as_str()), (4.0, "asking"));
    assert!(words.contains("approve Bash: ls"), "{words}");
    fs::write(house.path().join("hooks.jsonl"), "{}\n").unwrap();
    let words = house.refused(&["agent", "replay", file, "--hooks", hooks], 125);
    assert!(words.contains("line 1") && words.contains("[seconds"), "{words}");
}

#[test]
fn one_file_adds_an_agent_with_its_own_rules() {
    let house = House::new();
    let text = "[[agent]]\nid = \"mine\"\ncommand = [\"mine\"]\nrule = [{ in = \"title\", pattern = \"^BUSY\", means = \"active\" }]\n";
    fs::write(house.path().join("agents.toml"), text).unwrap();
    assert!(house.output(["agent", "ls"]).contains("mine"));
    assert!(house.output(["agent", "show", "mine"]).contains("^BUSY"));
    let file = house.path().join("a.cast");
    fs::write(&file, "{\"version\": 2, \"width\": 60, \"height\": 12, \"command\": \"mine -x\"}\n[1.0, \"o\", \"\\u001b]2;BUSY now\\u0007\"]\n").unwrap();
    let found = changes(&house.output(["agent", "replay", file.to_str().unwrap(), "--json"]));
    assert_eq!((found[0].1.as_str(), found[0].3.as_deref()), ("active", Some("title")));
    fs::write(house.path().join("agents.toml"), "[[agent]]\nid = 1\n").unwrap();
    assert!(house.refused(&["agent", "ls"], 125).contains("line 2"));
}

#[test]
fn a_screen_is_tested_from_a_file() {
    let house = House::new();
    let file = house.path().join("screen.txt");
    fs::write(&file, "Would you like to run the following command?\n› 1. Yes, proceed (y)\n  2. No (esc)\n\nPress enter to confirm or esc to cancel\n").unwrap();
    let words = house.output(["agent", "test", file.to_str().unwrap(), "--agent", "codex", "--json"]);
    assert!(words.contains("\"asking\"") && words.contains("Yes, proceed (y)"), "{words}");
    let words = house.refused(&["agent", "test", file.to_str().unwrap(), "--agent", "nobody"], 125);
    assert!(words.contains("abide agent ls"), "{words}");
}

#[test]
fn agents_are_listed_and_shown() {
    let house = House::new();
    let listed: Value = serde_json::from_str(&house.output(["agent", "ls", "--json"])).expect("JSON");
    let ids: Vec<&str> = listed.as_array().unwrap().iter().filter_map(|agent| agent["id"].as_str()).collect();
    assert!(["claude", "codex", "gemini", "opencode", "shell"].iter().all(|id| ids.contains(id)), "{ids:?}");
    let words = house.output(["agent", "show", "claude"]);
    for text in ["claude-code-builtin", "--resume {id}", "asking (trust)", "Escape"] {
        assert!(words.contains(text), "{text}:\n{words}");
    }
}
