//! `abide mask test`

use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::house::House;
use crate::planted::PLANTED;

fn test(house: &House, text: &str, options: &[&str]) -> (Option<i32>, String, String) {
    let arguments = [&["mask", "test"], options].concat();
    let mut command = house.command(arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn mask_shows_the_rule_and_never_the_secret() {
    let house = House::new();
    let text = format!("nothing here\npassword: hunter2hunter2\nand {PLANTED} too\n");
    let (code, shown, said) = test(&house, &text, &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(shown.contains("2: password: *") && shown.contains("3: and ***REDACTED***"), "{shown}");
    assert!(!shown.contains("hunter2") && !shown.contains(PLANTED));
    assert!(said.contains("2 secrets in 2 of 3 lines"), "{said}");
    let (_, json, _) = test(&house, &text, &["--json"]);
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!((&first["line"], &first["start"]), (&2.into(), &10.into()));
}

#[test]
fn a_private_key_is_found_over_all_its_lines() {
    let body = "MIIEvQdwDHkQ7nBz4xWvYcR9sTfLgJ3aKpE5uXoZ1iMqNbVhCy8";
    let text = format!("-----BEGIN PRIVATE KEY-----\n{body}\n{body}\n-----END PRIVATE KEY-----\n{body}\n");
    let house = House::new();
    let (code, shown, said) = test(&house, &text, &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(!shown.contains(body) && shown.contains("3: ***REDACTED***"), "{shown}");
    assert!(said.contains("2 secrets in 2 of 5 lines"), "{said}");
    let (_, json, _) = test(&house, &text, &["--json"]);
    let last: serde_json::Value = serde_json::from_str(json.lines().last().unwrap()).unwrap();
    assert_eq!((&last["line"], &last["rule"], &last["end"]), (&3.into(), &"private-key".into(), &51.into()));
}

#[test]
fn colours_titles_and_several_lines_are_masked_as_in_a_recording() {
    let key = "q7Zt2XbK9mR4vLd8HwPf";
    let (one, other) = key.split_at(9);
    let text = format!(
        "token = \x1b[31m{one}\x1b[32m{other}\x1b[m end\n\x1b]2;token={key}\x07title\npassword: |\n  {key}\nuser: me\n"
    );
    let house = House::new();
    let (code, shown, said) = test(&house, &text, &[]);
    assert_eq!(code, Some(0), "{said}");
    for part in [one, other] {
        assert!(!shown.contains(part), "{shown}");
    }
    assert!(shown.contains("4:   ***REDACTED*********  assigned-block"), "{shown}");
    assert!(said.contains("3 secrets in 3 of 5 lines"), "{said}");
    let (_, json, _) = test(&house, &text, &["--json"]);
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&first["rule"], &first["start"], &first["end"]),
        (&"assigned".into(), &13.into(), &38.into())
    );
}

#[test]
fn the_secrets_of_a_workers_environment_are_masked_if_it_is_named() {
    let house = House::new();
    let secret = "pale-lantern-4417";
    let mut command = house.command(["new", "-d", "--name", "w", "--", "cat"]);
    let started = command.env("W_PASSWORD", secret).output().unwrap();
    assert!(started.status.success(), "{started:?}");
    let text = format!("so {secret} it is\n");
    let (code, shown, _) = test(&house, &text, &[]);
    assert_eq!((code, shown.as_str()), (Some(1), ""));
    let (code, shown, said) = test(&house, &text, &["--worker", "w"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(shown.contains("variable W_PASSWORD") && !shown.contains(secret), "{shown}");
}

#[test]
fn a_text_without_secrets_says_so() {
    let (code, shown, said) = test(&House::new(), "just\nwords\n", &[]);
    assert_eq!((code, shown.as_str()), (Some(1), ""));
    assert!(said.contains("0 secrets"), "{said}");
}

#[test]
fn user_rules_are_applied_and_bad_ones_are_named() {
    let house = House::new();
    fs::create_dir_all(house.path()).unwrap();
    let file = house.home().mask_file();
    fs::write(&file, "[[rule]]\nname = \"ticket\"\ntriggers = [\"TICKET-\"]\npattern = 'TICKET-[0-9]{6}'\n")
        .unwrap();
    let (code, shown, said) = test(&house, "see TICKET-123456 now\n", &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(shown.contains("see *************") && shown.contains("ticket"), "{shown}");
    fs::write(&file, "[[rule]]\nname = \"bad\"\ntriggers = [\"x\"]\npattern = 'x('\n").unwrap();
    let (code, _, said) = test(&house, "x\n", &[]);
    assert_eq!(code, Some(125));
    assert!(said.contains("masking.toml") && said.contains("bad") && said.contains("hint:"), "{said}");
}
