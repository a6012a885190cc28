//! Hosts in a scope of their own, where there is a service manager.

use std::fs;

use testkit::Watcher;

use crate::house::House;

/// Runs what it was asked to run.
const WELL: &str = r#"while [ "$1" != -- ]; do shift; done; shift; exec "$@""#;

/// A house on a machine with a service manager, whose `systemd-run` notes how it was called and then does this.
fn with_service_manager(does: &str) -> House {
    let house = House::new();
    let (bin, runtime) = (house.path().join("bin"), house.path().join("run"));
    fs::create_dir(&bin).unwrap();
    fs::create_dir_all(runtime.join("systemd")).unwrap();
    fs::write(runtime.join("systemd/private"), "").unwrap();
    let program = bin.join("systemd-run");
    let calls = house.path().join("calls");
    testkit::write_executable(
        &program,
        &format!("#!/bin/sh\necho \"$@\" >> '{}'\n{does}\n", calls.display()),
    );
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let runtime = runtime.to_str().unwrap().to_owned();
    house.setting("PATH", &path).setting("XDG_RUNTIME_DIR", &runtime)
}

/// How `systemd-run` was called.
fn calls(house: &House) -> Vec<String> {
    let text = fs::read_to_string(house.path().join("calls")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn p2_a_host_is_started_outside_the_callers_control_group() {
    let house = with_service_manager(WELL);
    let worker = house.script("echo hello; read x");
    let calls = calls(&house);
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert!(
        calls[0].starts_with("--user --scope ") && calls[0].contains(worker.dir.id().as_str()),
        "{calls:?}"
    );
    Watcher::watch(&worker).wait_for("hello");
}

#[test]
fn a_worker_starts_even_if_the_service_manager_fails() {
    for does in ["exit 1", "echo no bus >&2; exit 1", "kill -KILL $$", "exec no-such-program"] {
        let house = with_service_manager(does);
        let worker = house.worker_with(&["--name", "all-the-same"], &["sh", "-c", "echo hello; read x"]);
        assert_eq!(calls(&house).len(), 1, "it was asked once: {does}");
        Watcher::watch(&worker).wait_for("hello");
        assert_eq!(house.home().worker_dirs().unwrap().len(), 1);
    }
}

#[test]
fn no_scope_is_made_if_the_setting_says_never() {
    let house = with_service_manager(WELL).setting("ABIDE_SCOPE", "never");
    let worker = house.script("echo hello; read x");
    Watcher::watch(&worker).wait_for("hello");
    assert_eq!(calls(&house), [] as [&str; 0]);
}

#[test]
fn p2_an_adopting_host_gets_a_scope_as_well() {
    let house = with_service_manager(WELL).setting("ABIDE_KEEPER", "true");
    let worker = house.script("echo hello; while read x; do echo got $x; done");
    worker.wait_for_lease();
    let before = calls(&house).len();
    worker.kill_host();
    crate::house::wait_for("another host", || {
        viewer::status(&worker.dir.socket()).ok().filter(|status| status.epoch.0 > 1)
    });
    let calls = calls(&house);
    assert!(
        calls.len() > before && calls.iter().all(|call| call.starts_with("--user --scope ")),
        "{calls:?}"
    );
    worker.send(b"it\r");
    Watcher::watch(&worker).wait_for("got it");
}
