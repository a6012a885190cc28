//! `abide gc`

use std::fs;

use recording::Recording;

use crate::house::{House, Worker};

fn much(house: &House, name: &str) -> Worker {
    // Random bytes as text do not compress, so that the segments stay large.
    let script = "head -c 3300000 /dev/urandom | base64 -w 76";
    let worker = house.worker_with(&["--name", name], &["sh", "-c", script]);
    worker.wait_for_rest();
    worker
}

fn segments(worker: &Worker) -> Vec<u32> {
    let recording = Recording::open(&worker.dir.recording()).unwrap();
    recording.segments().iter().map(|segment| segment.number).collect()
}

#[test]
fn d5_gc_removes_the_oldest_surplus_first_and_a_dry_run_lists_it() {
    let house = House::new().setting("ABIDE_RECORDING_MIB", "8");
    let (old, new) = (much(&house, "old"), much(&house, "new"));
    assert!(segments(&old).len() > 2, "{:?}", segments(&old));
    let before = (segments(&old), segments(&new));
    assert!(house.output(["gc", "--dry-run"]).starts_with("nothing to do\n"));
    let bound = [("ABIDE_RECORDINGS_MIB", "5")];
    let run = |arguments: &[&str]| {
        let output = house.command(arguments).envs(bound).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let planned = run(&["gc", "--dry-run"]);
    assert!(planned.contains("would remove") && planned.contains("`old`"), "{planned}");
    assert_eq!((segments(&old), segments(&new)), before, "nothing has gone yet");
    let done = run(&["gc"]);
    assert_eq!(planned.replace("would remove", "removed").lines().count(), done.lines().count(), "{done}");
    assert!(segments(&old).len() < before.0.len(), "the oldest went");
    assert!(segments(&new).ends_with(&before.1[before.1.len() - 1..]), "the newest stay");
    let bytes: u64 = [&old, &new]
        .iter()
        .flat_map(|worker| fs::read_dir(worker.dir.recording()).unwrap())
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum();
    assert!(bytes <= 5 << 20, "{bytes}");
    assert!(run(&["gc"]).starts_with("nothing to do\n"));
    let missing = house.run(["logs", "old"]);
    assert!(String::from_utf8(missing.stderr).unwrap().contains("bytes are no longer kept"));
}

#[test]
fn d5_a_recording_stays_within_its_bound() {
    let house = House::new().setting("ABIDE_RECORDING_MIB", "4");
    let worker = much(&house, "one");
    house.output(["gc"]);
    let bytes: u64 = fs::read_dir(worker.dir.recording())
        .unwrap()
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum();
    assert!(bytes <= 4 << 20, "{bytes}");
    let raw = house.output(["logs", "one", "--raw"]);
    assert!(raw.len() > 1 << 20, "the newest bytes stay: {}", raw.len());
}
