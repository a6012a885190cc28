//! `abide service`, with a service manager that only notes its calls.

use std::fs;
use std::os::unix::fs::symlink;
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
        testkit::write_executable(
            &program,
            &format!("#!/bin/sh\necho {name} \"$@\" >> '{}'\n", calls.display()),
        );
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

fn socket(house: &House) -> PathBuf {
    unit(house).with_extension("socket")
}

/// Runs `abide`, which must succeed, and gives what it said.
fn said(house: &House, arguments: &[&str]) -> String {
    let output = house.run(arguments);
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments:?}: {words}");
    words
}

#[test]
fn units_are_written_once_and_say_what_to_do_next() {
    let house = with_manager();
    let words = said(&house, &["service", "install"]);
    for step in ["daemon-reload", "enable --now abide.socket abide.service", "loginctl enable-linger"] {
        assert!(words.contains(step), "{step}:\n{words}");
    }
    let text = fs::read_to_string(unit(&house)).unwrap();
    let program = Path::new(crate::house::ABIDE).canonicalize().unwrap();
    for line in [
        format!("ExecStart=\"{}\" serve", program.display()),
        format!("Environment=\"ABIDE_HOME={}\"", house.path().display()),
        "KillMode=process".to_owned(),
        "Sockets=abide.socket".to_owned(),
    ] {
        assert!(text.lines().any(|there| there == line), "{line}:\n{text}");
    }
    assert!(said(&house, &["service", "install"]).contains("exist already"));
    let paths = format!("{}\n{}\n", socket(&house).display(), unit(&house).display());
    assert_eq!(house.output(["service", "install"]), paths);
    assert_eq!(fs::read_to_string(unit(&house)).unwrap(), text);
    assert_eq!(calls(&house), [] as [&str; 0], "nothing is started without a request");
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
    // An earlier call of ours wrote this unit; no person changed it.
    house.output(["service", "install"]);
    assert!(fs::read_to_string(unit(&house)).unwrap().contains("ABIDE_HOME"));
}

#[test]
fn a_changed_unit_is_left_alone() {
    let house = with_manager();
    house.output(["service", "install"]);
    let changed = fs::read_to_string(unit(&house)).unwrap().replace("RestartSec=1", "RestartSec=7");
    fs::write(unit(&house), &changed).unwrap();
    for call in [&["service", "install"][..], &["service", "install", "--now"], &["service", "uninstall"]] {
        let words = house.refused(call, 1);
        assert!(words.contains("abide did not write it") && words.contains("`--force`"), "{words}");
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
fn install_with_now_starts_the_service() {
    let house = with_manager();
    house.output(["service", "install", "--now"]);
    let expected = [
        "systemctl --user daemon-reload",
        "systemctl --user enable --now abide.socket abide.service",
        "loginctl enable-linger",
    ];
    assert_eq!(calls(&house), expected);
}

#[test]
fn without_a_service_manager_install_writes_the_unit_and_says_what_is_left_to_do() {
    let house = House::new();
    let empty = house.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let house = house.setting("PATH", empty.to_str().unwrap());
    let words = house.refused(&["service", "install", "--now"], 125);
    assert!(words.contains("no program `systemctl`") && words.contains("`abide serve`"), "{words}");
    assert!(unit(&house).exists());
}

#[test]
fn uninstalling_removes_the_unit_and_its_links() {
    let house = with_manager();
    house.output(["service", "install"]);
    let links = [(unit(&house), "default.target.wants"), (socket(&house), "sockets.target.wants")].map(
        |(unit, wants)| {
            let wants = unit.with_file_name(wants);
            fs::create_dir(&wants).unwrap();
            let link = wants.join(unit.file_name().unwrap());
            symlink(&unit, &link).unwrap();
            link
        },
    );
    house.output(["service", "uninstall", "--now"]);
    assert!(!unit(&house).exists() && !socket(&house).exists());
    assert!(links.iter().all(|link| link.symlink_metadata().is_err()));
    assert_eq!(
        calls(&house),
        ["systemctl --user disable --now abide.socket abide.service", "systemctl --user daemon-reload"]
    );
    assert!(said(&house, &["service", "uninstall"]).contains("there are no units"));
}

#[test]
fn status_exits_with_1_until_the_service_is_installed_and_runs() {
    let house = with_manager();
    let output = house.run(["service", "status"]);
    let words = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains("not installed") && words.contains("does not run"), "{words}");
    house.output(["service", "install"]);
    let output = house.run(["service", "status"]);
    let words = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains(".config/systemd/user\n") && words.contains("does not run"), "{words}");
}

#[test]
fn a_unit_of_a_package_is_used_as_it_is() {
    let house = with_manager();
    let data = house.path().join("share");
    let packaged = data.join("systemd/user/abide.service");
    fs::create_dir_all(packaged.parent().unwrap()).unwrap();
    let own = house.output(["service", "unit"]);
    fs::write(packaged.with_extension("socket"), house.output(["service", "unit", "--socket"])).unwrap();
    fs::write(&packaged, own.replace("serve", "serve --listen 127.0.0.1:1")).unwrap();
    let house = house.setting("XDG_DATA_DIRS", data.to_str().unwrap());
    let call = |arguments: &[&str]| house.command(arguments).env_remove("ABIDE_HOME").output().unwrap();
    let status = || String::from_utf8(call(&["service", "status"]).stdout).unwrap();

    assert!(status().contains("not installed"), "a unit for another program is not ours");
    fs::write(&packaged, own).unwrap();
    let installed = call(&["service", "install", "--now"]);
    let paths = format!("{}\n{}\n", packaged.with_extension("socket").display(), packaged.display());
    assert_eq!(String::from_utf8(installed.stdout).unwrap(), paths);
    assert!(
        !unit(&house).exists() && !socket(&house).exists(),
        "a second unit would hide that of the package"
    );
    assert!(calls(&house).contains(&"systemctl --user enable --now abide.socket abide.service".to_owned()));
    assert!(status().contains("from a package"));
    let uninstalled = String::from_utf8(call(&["service", "uninstall", "--now"]).stderr).unwrap();
    assert!(uninstalled.contains("belong to a package") && packaged.exists(), "{uninstalled}");
    assert!(calls(&house).contains(&"systemctl --user disable --now abide.socket abide.service".to_owned()));
    // The unit of a package serves the default data directory.
    house.output(["service", "install"]);
    assert!(fs::read_to_string(unit(&house)).unwrap().contains("ABIDE_HOME="));
}

#[test]
fn a_unit_for_a_package_names_the_program_that_the_package_installs() {
    let text = House::new().output(["service", "unit", "--program", "/usr/bin/abide"]);
    assert!(text.contains("ExecStart=\"/usr/bin/abide\" serve\n"), "{text}");
    assert!(text.starts_with("[Unit]") && !text.contains("ABIDE_HOME"), "{text}");
}

#[test]
fn s18_systemd_holds_the_port_that_the_settings_name() {
    let house = with_manager();
    house.output(["service", "install"]);
    let said_of = |text: &str| fs::read_to_string(socket(&house)).unwrap().contains(text);
    assert!(said_of("ListenStream=127.0.0.1:7433\nListenStream=[::1]:7433\n"));
    fs::write(house.path().join("config.toml"), "listen = \"127.0.0.1:7500\"\n").unwrap();
    let status = String::from_utf8(house.run(["service", "status"]).stdout).unwrap();
    assert!(status.contains("`abide service install` renews them"), "{status}");
    house.output(["service", "install", "--now"]);
    assert!(said_of("ListenStream=127.0.0.1:7500\nListenStream=[::1]:7500\n"));
    // The old server frees the port before systemd takes it.
    let stopped =
        calls(&house).iter().position(|call| call == "systemctl --user stop abide.socket abide.service");
    let enabled = calls(&house).iter().position(|call| call.contains("enable --now"));
    assert!(stopped.is_some() && stopped < enabled, "{:?}", calls(&house));
    fs::write(house.path().join("config.toml"), "listen = \"127.0.0.1:0\"\n").unwrap();
    let words = house.refused(&["service", "install"], 1);
    assert!(words.contains("needs a fixed port"), "{words}");
    house.output(["service", "uninstall"]);
    assert!(!socket(&house).exists());
}

#[test]
fn a_service_without_a_unit_for_its_port_gets_one() {
    let house = with_manager();
    house.output(["service", "install"]);
    fs::remove_file(socket(&house)).unwrap();
    house.output(["service", "install", "--now"]);
    assert!(socket(&house).exists());
    assert!(calls(&house).contains(&"systemctl --user stop abide.socket abide.service".to_owned()));
    fs::remove_file(socket(&house)).unwrap();
    house.output(["service", "uninstall", "--now"]);
    assert!(calls(&house).contains(&"systemctl --user disable --now abide.service".to_owned()));
}

#[test]
fn n3_without_a_home_the_error_has_a_hint() {
    let house = with_manager();
    let output = house.command(["service", "install"]).env_remove("HOME").output().unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(125), "{words}");
    assert!(words.contains("XDG_CONFIG_HOME") && words.contains("hint: "), "{words}");
}
