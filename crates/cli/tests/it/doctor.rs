//! `abide doctor`

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::house::House;

/// The checks, and the exit code.
fn checks(house: &House) -> (Vec<Value>, i32) {
    let output = house.run(["doctor", "--json"]);
    let checks = serde_json::from_slice(&output.stdout).expect("an array");
    (checks, output.status.code().expect("a code"))
}

fn check<'a>(checks: &'a [Value], subject: &str) -> &'a Value {
    checks.iter().find(|check| check["subject"] == subject).expect(subject)
}

#[test]
fn doctor_finds_no_fault_on_a_healthy_machine_with_an_empty_home() {
    let (checks, code) = checks(&House::new());
    for subject in ["kernel", "open files", "PTYs", "data directory", "socket paths", "settings", "releases"]
    {
        let found = check(&checks, subject);
        assert_ne!(found["verdict"], "fail", "{found}");
    }
    assert_eq!(code, 0, "{checks:?}");
}

#[test]
fn every_problem_has_a_remedy() {
    let (checks, _) = checks(&House::new());
    for check in checks.iter().filter(|check| check["verdict"] != "ok") {
        assert!(check["remedy"].as_str().is_some_and(|remedy| !remedy.is_empty()), "{check}");
    }
}

#[test]
fn bad_settings_fail_and_name_their_line() {
    let house = House::new();
    fs::write(house.path().join("config.toml"), "\nsize = \"tiny\"\n").unwrap();
    let (checks, code) = checks(&house);
    let settings = check(&checks, "settings");
    assert_eq!((settings["verdict"].as_str(), code), (Some("fail"), 1), "{settings}");
    assert!(settings["finding"].as_str().unwrap().contains("config.toml:2"), "{settings}");
}

#[test]
fn a_data_directory_that_others_may_look_into_is_a_warning() {
    let house = House::new();
    fs::set_permissions(house.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let (checks, _) = checks(&house);
    let directory = check(&checks, "data directory");
    assert_eq!(directory["verdict"], "warn", "{directory}");
    assert!(directory["remedy"].as_str().unwrap().contains("chmod 700"), "{directory}");
}

#[test]
fn n3_without_a_home_the_error_has_a_hint() {
    let mut command = House::new().command(["doctor"]);
    let output = command.env_remove("HOME").env_remove("ABIDE_HOME").current_dir("/").output().unwrap();
    let words = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains("fail") && words.contains("→ set ABIDE_HOME"), "{words}");
}

#[test]
fn n2_a_long_data_directory_is_no_fault() {
    let temporary = tempfile::TempDir::new().unwrap();
    let long = temporary.path().join("x".repeat(120));
    fs::create_dir(&long).unwrap();
    let (checks, _) = checks(&House::at(&long));
    let paths = check(&checks, "socket paths");
    assert_eq!(paths["verdict"], "ok", "{paths}");
    assert!(paths["finding"].as_str().unwrap().contains("through a descriptor"), "{paths}");
}
