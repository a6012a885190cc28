//! When and how recordings are sealed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use recording::{Recording, SegmentKind};

use crate::house::{House, Worker, wait_for};

fn kinds(worker: &Worker) -> Vec<SegmentKind> {
    // A host that has just begun has not recorded anything.
    let Ok(recording) = Recording::open(&worker.dir.recording()) else { return Vec::new() };
    recording.segments().iter().map(|segment| segment.kind).collect()
}

/// Makes a file older than any waiting time.
fn age(path: &Path) {
    let long_ago = SystemTime::now() - Duration::from_secs(7_200);
    fs::File::options().write(true).open(path).unwrap().set_modified(long_ago).unwrap();
}

fn age_recording(worker: &Worker) {
    for file in fs::read_dir(worker.dir.recording()).unwrap() {
        age(&file.unwrap().path());
    }
}

#[test]
fn full_segments_of_a_live_worker_are_sealed_and_nothing_of_them_is_missing() {
    let house = House::new().setting("ABIDE_RECORDING_MIB", "8");
    // The key that ends it may come while it still prints.
    let script = "stty -echo; seq 1000000 1600000; read x; echo last";
    let worker = house.worker_with(&["--name", "much"], &["sh", "-c", script]);
    wait_for("sealed segments before those that are left alone", || {
        let recording = Recording::open(&worker.dir.recording()).ok()?;
        let kinds: Vec<_> = recording.segments().iter().map(|segment| segment.kind).collect();
        let sealed = kinds.iter().take_while(|kind| **kind == SegmentKind::Sealed).count();
        (sealed >= 3 && kinds[sealed..] == [SegmentKind::Active; 2]).then_some(())
    });
    assert_eq!(worker.status().state, protocol::ChildState::Live);
    worker.send(b"\r");
    worker.wait_for_rest();
    let numbers: String = (1_000_000..=1_600_000).map(|number| format!("{number}\r\n")).collect();
    let raw = house.output(["logs", "much", "--raw"]);
    assert_eq!(raw.len(), numbers.len() + "last\r\n".len(), "every byte is there");
    assert!(raw.starts_with(&numbers));
    let bytes: u64 = fs::read_dir(worker.dir.recording())
        .unwrap()
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum();
    assert!(bytes < numbers.len() as u64 / 2, "{bytes} bytes for {}", numbers.len());
    for file in fs::read_dir(worker.dir.recording()).unwrap() {
        assert_eq!(file.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn what_a_killed_host_left_is_sealed_when_the_next_worker_is_started() {
    let house = House::new();
    let lost = house.script("echo before; exec sleep 1000");
    testkit::Watcher::watch(&lost).wait_for("before");
    wait_for("the recording", || lost.recorded().ends_with(b"before\r\n").then_some(()));
    lost.kill_host();
    assert_eq!(kinds(&lost), [SegmentKind::Active]);
    // The test does not wait an hour. It makes both the recording and the last sweep older than they are.
    age_recording(&lost);
    age(&house.home().sweep_mark());
    house.script("true");
    wait_for("the leftovers sealed", || (kinds(&lost) == [SegmentKind::Sealed]).then_some(()));
    assert_eq!(house.output(["logs", &lost.name]), "before\n");
}

#[test]
fn a_worker_that_was_just_killed_is_left_alone_since_its_child_may_be_adopted() {
    let house = House::new();
    let lost = house.script("echo before; exec sleep 1000");
    wait_for("the recording", || lost.recorded().ends_with(b"before\r\n").then_some(()));
    lost.kill_host();
    house.output(["seal"]);
    assert_eq!(kinds(&lost), [SegmentKind::Active]);
}

#[test]
fn a_host_whose_sealing_program_is_missing_goes_on() {
    let house = House::new();
    let program = house.path().join("bin");
    fs::create_dir(&program).unwrap();
    // No process sweeps meanwhile.
    fs::write(house.home().sweep_mark(), b"").unwrap();
    let small = Path::new(crate::house::ABIDE).with_file_name("abide-host");
    let (abide, host) = (program.join("abide"), program.join("abide-host"));
    fs::copy(crate::house::ABIDE, &abide).unwrap();
    fs::copy(small, host).unwrap();
    let mut command = std::process::Command::new(&abide);
    house.settle(command.args(["new", "-d", "--name", "alone", "--", "sh", "-c", "read x; echo done"]));
    assert!(command.status().unwrap().success());
    fs::remove_file(&abide).unwrap();
    let worker = house.called("alone");
    worker.send(b"\r");
    worker.wait_for_exit();
    assert!(fs::read_to_string(worker.dir.log()).unwrap().contains("cannot seal the recording"));
    assert!(house.output(["logs", "alone"]).ends_with("done\n"));
    assert!(
        house.output(["gc"]).starts_with("nothing to do"),
        "it is left to whom its host started, for a while"
    );
    age_recording(&worker);
    let said = house.output(["gc"]);
    assert!(said.contains("sealed 1 part of `alone`"), "{said}");
    assert_eq!(kinds(&worker), [SegmentKind::Sealed]);
}

#[test]
fn s38_secrets_of_an_adopted_child_are_known_and_masked() {
    let house = House::with_keeper();
    let script = "read x; echo \"it is $MY_TOKEN here\"";
    let token = "the-variable-of-one-worker-77";
    let options = ["--name", "adopted", "--env", &format!("MY_TOKEN={token}")];
    let worker = house.worker_with(&options, &["sh", "-c", script]);
    worker.wait_for_lease();
    worker.kill_host();
    wait_for("another host", || viewer::status(&worker.dir.socket()).ok());
    worker.send(b"\r");
    worker.wait_for_rest();
    assert!(house.output(["logs", "adopted"]).contains("it is ***REDACTED***"));
    let at_rest = crate::planted::at_rest_with(&worker.dir.recording(), token);
    assert_eq!(at_rest, Vec::<std::path::PathBuf>::new());
}

#[test]
fn s38_a_raw_segment_that_a_stopped_sealer_left_goes() {
    let house = House::new();
    let worker = house.worker_with(&["--name", "one"], &["sh", "-c", "read x; echo done"]);
    wait_for("the recording", || (!kinds(&worker).is_empty()).then_some(()));
    let active = worker.dir.recording().join("00000001.active");
    let raw = fs::read(&active).unwrap();
    worker.send(b"\r");
    worker.wait_for_rest();
    fs::write(&active, raw).unwrap();
    house.output(["gc"]);
    assert!(!active.exists());
    assert!(house.output(["logs", "one"]).ends_with("done\n"));
}

#[test]
fn one_bad_recording_keeps_no_other_from_coming_to_rest() {
    let house = House::new();
    let (bad, good) = (house.script("true"), house.script("echo good"));
    bad.wait_for_rest();
    good.wait_for_rest();
    fs::remove_dir_all(bad.dir.recording()).unwrap();
    fs::write(bad.dir.recording(), b"no directory").unwrap();
    fs::remove_file(good.dir.recording().join("00000001.sealed")).unwrap();
    fs::write(good.dir.recording().join("00000009.sealing"), b"left").unwrap();
    let output = house.run(["gc"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(125), "{said}");
    assert!(said.contains(&format!("worker `{}`", bad.name)), "{said}");
    assert!(!good.dir.recording().join("00000009.sealing").exists(), "the other one was looked after");
}
