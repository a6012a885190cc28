//! `abide service`, with a service manager that only notes what it was asked.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::house::House;

/// A house whose service manager notes how it was called, and does nothing.
fn with_manager() -> House {
    let house = House::new();
    let bin = house.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let calls = house.path().join("calls");
    for name in ["systemctl", "loginctl"] {
        let program = bin.join(name);
        fs::write(&program, format!("#!/bin/sh\necho {name} \"$@\" >> '{}'\n", calls.display())).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    house.setting("PATH", &path)
}

fn calls(house: &House) -> Vec<String> {
    let text = fs::read_to_string(house.path().join("calls")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn unit(house: &House) -> PathBuf {
    house.path().join(".config/systemd/user/abide.service")
}

/// Runs `abide`, which must succeed, and gives what it said.
fn said(house: &House, arguments: &[&str]) -> String {
    let output = house.run(arguments);
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments:?}: {words}");
    words
}

#[test]
fn a_unit_is_written_once_and_says_what_to_do_next() {
    let house = with_manager();
    let words = said(&house, &["service", "install"]);
    for step in ["daemon-reload", "enable --now abide.service", "loginctl enable-linger"] {
        assert!(words.contains(step), "{step}:\n{words}");
    }
    let text = fs::read_to_string(unit(&house)).unwrap();
    let program = Path::new(crate::house::ABIDE).canonicalize().unwrap();
    for line in [
        format!("ExecStart=\"{}\" serve", program.display()),
        format!("Environment=\"ABIDE_HOME={}\"", house.path().display()),
        "KillMode=process".to_owned(),
    ] {
        assert!(text.lines().any(|there| there == line), "{line}:\n{text}");
    }
    assert!(said(&house, &["service", "install"]).contains("there already"));
    assert_eq!(house.output(["service", "install"]), format!("{}\n", unit(&house).display()));
    assert_eq!(fs::read_to_string(unit(&house)).unwrap(), text);
    assert_eq!(calls(&house), [] as [&str; 0], "nothing is started that nobody asked for");
}

#[test]
fn a_unit_is_where_the_users_configuration_is() {
    let elsewhere = tempfile::TempDir::new().unwrap();
    let house = with_manager().setting("XDG_CONFIG_HOME", elsewhere.path().to_str().unwrap());
    house.output(["service", "install"]);
    assert!(elsewhere.path().join("systemd/user/abide.service").exists() && !unit(&house).exists());
    let house = with_manager().setting("XDG_CONFIG_HOME", "relative");
    house.output(["service", "install"]);
    assert!(unit(&house).exists(), "a relative one is to be ignored");
}

#[test]
fn the_default_data_directory_is_not_named() {
    let house = with_manager();
    let output = house.command(["service", "install"]).env_remove("ABIDE_HOME").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(unit(&house)).unwrap();
    assert!(!text.contains("ABIDE_HOME"), "{text}");
    // As written by another call: not somebody's changes.
    house.output(["service", "install"]);
    assert!(fs::read_to_string(unit(&house)).unwrap().contains("ABIDE_HOME"));
}

#[test]
fn what_somebody_changed_is_left_alone() {
    let house = with_manager();
    house.output(["service", "install"]);
    let changed = fs::read_to_string(unit(&house)).unwrap().replace("RestartSec=1", "RestartSec=7");
    fs::write(unit(&house), &changed).unwrap();
    for call in [&["service", "install"][..], &["service", "install", "--now"], &["service", "uninstall"]] {
        let words = house.refused(call, 1);
        assert!(words.contains("not as abide wrote it") && words.contains("`--force`"), "{words}");
        assert_eq!(fs::read_to_string(unit(&house)).unwrap(), changed);
    }
    assert_eq!(calls(&house), [] as [&str; 0]);
    house.output(["service", "install", "--force"]);
    assert!(!fs::read_to_string(unit(&house)).unwrap().contains("RestartSec=7"));
}

#[test]
fn a_masked_unit_is_not_written_through() {
    let house = with_manager();
    let target = house.path().join("target");
    fs::write(&target, "mine").unwrap();
    fs::create_dir_all(unit(&house).parent().unwrap()).unwrap();
    symlink(&target, unit(&house)).unwrap();
    house.refused(&["service", "install"], 1);
    house.output(["service", "install", "--force"]);
    assert_eq!(fs::read_to_string(&target).unwrap(), "mine");
    assert!(unit(&house).symlink_metadata().unwrap().is_file());
}

#[test]
fn it_is_started_if_that_is_asked_for() {
    let house = with_manager();
    house.output(["service", "install", "--now"]);
    let expected = [
        "systemctl --user daemon-reload",
        "systemctl --user enable --now abide.service",
        "loginctl enable-linger",
    ];
    assert_eq!(calls(&house), expected);
}

#[test]
fn without_a_service_manager_the_unit_is_written_and_the_rest_is_told() {
    let house = House::new();
    let empty = house.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let house = house.setting("PATH", empty.to_str().unwrap());
    let words = house.refused(&["service", "install", "--now"], 125);
    assert!(words.contains("no `systemctl`") && words.contains("`abide serve`"), "{words}");
    assert!(unit(&house).exists());
}

#[test]
fn uninstalling_leaves_nothing_of_it() {
    let house = with_manager();
    house.output(["service", "install"]);
    let wants = unit(&house).with_file_name("default.target.wants");
    fs::create_dir(&wants).unwrap();
    symlink(unit(&house), wants.join("abide.service")).unwrap();
    house.output(["service", "uninstall", "--now"]);
    assert!(!unit(&house).exists() && wants.join("abide.service").symlink_metadata().is_err());
    assert_eq!(
        calls(&house),
        ["systemctl --user disable --now abide.service", "systemctl --user daemon-reload"]
    );
    assert!(said(&house, &["service", "uninstall"]).contains("there is no unit"));
}

#[test]
fn its_status_is_a_no_until_it_is_installed_and_runs() {
    let house = with_manager();
    let output = house.run(["service", "status"]);
    let words = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains("not installed") && words.contains("does not run"), "{words}");
    house.output(["service", "install"]);
    let output = house.run(["service", "status"]);
    let words = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains("abide.service") && words.contains("does not run"), "{words}");
}

#[test]
fn n3_without_a_home_the_way_on_is_told() {
    let house = with_manager();
    let output = house.command(["service", "install"]).env_remove("HOME").output().unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(125), "{words}");
    assert!(words.contains("XDG_CONFIG_HOME") && words.contains("hint: "), "{words}");
}
