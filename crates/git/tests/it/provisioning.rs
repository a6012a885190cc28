//! The commands that a repository wants to run.

use std::fs;
use std::os::unix::fs::symlink;

use git::{GitError, Provisioning, provisioning};

use crate::sandbox::{Sandbox, assert_fails};

fn read(text: impl AsRef<[u8]>) -> Result<Option<Provisioning>, GitError> {
    let sandbox = Sandbox::new();
    fs::write(sandbox.root.join(".abide.toml"), text).unwrap();
    provisioning(&sandbox.root)
}

#[test]
fn commands_are_read_in_order() {
    let found = read("[worktree]\nsetup = [\"npm ci\", \"make -j2\"]\nteardown = ['docker compose down']\n")
        .unwrap()
        .unwrap();
    assert_eq!(found.setup, ["npm ci", "make -j2"]);
    assert_eq!(found.teardown, ["docker compose down"]);
    assert_eq!(found.warnings, [""; 0]);
    assert_eq!(provisioning(&Sandbox::new().root).unwrap(), None);
    let empty = read("").unwrap().unwrap();
    assert!(empty.setup.is_empty() && empty.teardown.is_empty());
}

#[test]
fn the_hash_stands_for_the_commands_and_nothing_else() {
    let hash = |text: &str| read(text).unwrap().unwrap().hash;
    let one = hash("[worktree]\nsetup = [\"a\", \"b\"]\n");
    assert_eq!(one.len(), 64);
    assert_eq!(one, hash("# words\n[worktree]\nsetup = ['a',\n'b']\nteardown = []\n"));
    let others = [
        "[worktree]\nsetup = [\"a\"]\nteardown = [\"b\"]\n",
        "[worktree]\nsetup = [\"b\", \"a\"]\n",
        "[worktree]\nsetup = [\"a b\"]\n",
        "[worktree]\nsetup = [\"a\\\", \\\"b\"]\n",
        "",
    ];
    for other in others {
        assert_ne!(one, hash(other), "{other}");
    }
}

#[test]
fn n5_errors_name_their_line_and_unknown_keys_are_warnings() {
    let found =
        read("[worktree]\nsetup = []\nsettup = [\"x\"]\n[other]\na = 1\n\"\\u001b\" = 2\n").unwrap().unwrap();
    let remedy = "it is ignored; `[worktree]` has `setup` and `teardown`";
    let unknown = |line, key| format!("line {line}: unknown key `{key}`: {remedy}");
    assert_eq!(found.warnings, [unknown(3, "worktree.settup"), unknown(4, "other")]);
    for (text, line) in [
        ("[worktree]\nsetup = \"npm ci\"\n", 2),
        ("[worktree]\n\nsetup = [1]\n", 3),
        ("worktree = 1\n", 1),
        ("[worktree]\nsetup = [\" \"]\n", 2),
        ("[worktree]\nsetup = [\"\"\"\n", 2),
    ] {
        assert_fails!(read(text), GitError::BadProvisioning { line: Some(found), .. } if *found >= line);
    }
    let error = read("[worktree]\nsetup = 1\n").unwrap_err();
    assert_eq!(error.to_string(), "`.abide.toml`, line 2: expected a list of commands, such as [\"npm ci\"]");
}

#[test]
fn s29_a_command_that_a_person_could_not_see_is_refused_with_its_place() {
    let hidden =
        ["\\u001b[2K", "\\u202e", "\\u200b", "\\r", "\\u0000", "\\u00ad", "\\u3164", "\\ufe0f", "\\u00a0"];
    for hidden in hidden {
        let text = format!("[worktree]\nsetup = [\"echo {hidden} x\"]\n");
        assert_fails!(read(text), GitError::BadProvisioning { line: Some(2), .. });
    }
    let text =
        format!("[worktree]\nsetup = []\nteardown = [\n'true',\n'npm ci{};touch x']\n", " ".repeat(400));
    let expected = "`.abide.toml`, line 5: command 2 of `teardown`: from its character 7 on it has 400 blanks in a row, \
                    and abide shows at most 32; change the file: you cannot agree to a command that you cannot see";
    assert_eq!(read(text).unwrap_err().to_string(), expected);
    let text = "[worktree]\nsetup = ['npm ci\u{3164}x']\n";
    let expected = "line 2: command 1 of `setup`: its character 7 is U+3164 (Hangul filler), \
                    which looks like a blank and is none; change the file: ";
    let words = read(text).unwrap_err().to_string();
    assert!(words.contains(expected), "{words}");
    assert!(read("[worktree]\nsetup = ['''\necho größe 日本\necho two\n''']\n").is_ok());
}

#[test]
fn s34_only_a_regular_file_of_limited_size_is_read() {
    assert_fails!(read(format!("# {}", "x".repeat(70_000))), GitError::BadProvisioning { .. });
    assert_fails!(read(b"# \xff"), GitError::BadProvisioning { .. });
    assert_fails!(
        read(format!("[worktree]\nsetup = [{}]", "'x',".repeat(33))),
        GitError::BadProvisioning { .. }
    );
    assert_fails!(
        read(format!("[worktree]\nsetup = ['{}']", "x".repeat(5000))),
        GitError::BadProvisioning { .. }
    );
    assert_fails!(read(format!("x = {}", "[".repeat(30_000))), GitError::BadProvisioning { .. });

    let sandbox = Sandbox::new();
    let file = sandbox.root.join(".abide.toml");
    fs::write(sandbox.root.join("secret"), "[worktree]\nsetup = ['x']\n").unwrap();
    symlink("secret", &file).unwrap();
    assert_fails!(provisioning(&sandbox.root), GitError::BadProvisioning { .. });
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_fails!(provisioning(&sandbox.root), GitError::BadProvisioning { .. });
    fs::remove_dir(&file).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
    assert_fails!(provisioning(&sandbox.root), GitError::BadProvisioning { .. });
}
