//! What must go unnoticed: killed hosts, upgrades, full disks, failing models, deleted sockets, reused numbers.

use std::fs;
use std::process::Command;

use home::Identity;
use model::{Epoch, ExitStatus, Offset};
use protocol::{HostMessage, Refusal, Refused, Upgrade, ViewerMessage};
use recording::{BlockKind, Recording};

use crate::house::{ABIDE, House, Worker, is_alive, receive, wait_for};
use crate::watcher::Watcher;

/// Prints numbered lines, not faster than a person could not read either.
const NUMBERS: &str = "i=0; while :; do i=$((i+1)); echo number $i; sleep 0.002; done";

/// Every number that was recorded, in order.
fn numbers(worker: &Worker) -> Vec<u64> {
    let text = String::from_utf8_lossy(&worker.recorded()).into_owned();
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix("number "));
    lines.filter_map(|number| number.parse().ok()).collect()
}

/// The places where output is missing.
fn gaps(worker: &Worker) -> usize {
    let recording = Recording::open(&worker.dir.recording()).unwrap();
    recording.blocks().filter(|block| matches!(block.kind, BlockKind::Gap { .. })).count()
}

fn leased(worker: &Worker) {
    wait_for("the lease", || viewer::status(&worker.dir.socket()).ok().filter(|status| status.leased));
}

#[test]
fn p3_a_killed_host_loses_no_child_while_its_lease_is_held() {
    let house = House::with_keeper();
    let worker = house.script(NUMBERS);
    let child = worker.status().child_pid;
    const KILLS: u32 = 50;
    let mut epoch = Epoch(1);
    for kill in 1..=KILLS {
        leased(&worker);
        let printed = worker.status().offset;
        worker.kill_host();
        let status = wait_for("another host", || {
            viewer::status(&worker.dir.socket()).ok().filter(|status| status.epoch > epoch)
        });
        assert_eq!(status.epoch, Epoch(1 + kill));
        assert_eq!(status.child_pid, child, "the same child");
        assert!(is_alive(child));
        epoch = status.epoch;
        // It prints on, and somebody who comes sees it.
        wait_for("more output", || (worker.status().offset > printed).then_some(()));
    }
    leased(&worker);
    let printed = numbers(&worker);
    let jumps = printed.windows(2).filter(|pair| pair[1] != pair[0] + 1).count();
    assert!(printed.windows(2).all(|pair| pair[1] > pair[0]), "nothing twice, nothing out of order");
    assert_eq!(gaps(&worker), KILLS as usize, "each death is marked");
    assert!(jumps <= KILLS as usize, "nothing is missing but what was in flight: {jumps} jumps");
    let mut watcher = Watcher::watch(&worker);
    watcher.wait_for("number");
    worker.connect().send(&ViewerMessage::Shutdown).unwrap();
    assert_eq!(worker.wait_for_exit().status, ExitStatus::Unknown, "nobody was told how it ended");
}

#[test]
fn p4_a_host_killed_without_a_lease_leaves_a_lost_worker_with_its_output() {
    let house = House::new();
    let worker = house.worker_with(&["--name", "poor"], &["sh", "-c", "echo famous last words; read x"]);
    Watcher::watch(&worker).wait_for("famous");
    wait_for("the recording", || worker.recorded().ends_with(b"words\r\n").then_some(()));
    worker.kill_host();
    assert!(house.output(["ls"]).contains("lost"));
    assert!(house.output(["screen", "poor"]).contains("famous last words"));
    assert_eq!(house.output(["logs", "poor"]), "famous last words\n");
    assert_eq!(house.run(["wait", "poor"]).status.code(), Some(125));
    house.output(["rm", "poor"]);
}

#[test]
fn p5_upgrades_under_load_keep_child_bytes_and_viewers() {
    let house = House::new();
    let worker = house.script("i=0; while read x; do i=$((i+1)); echo number $i; done");
    let before = worker.status();
    let mut watcher = Watcher::at_keyboard(&worker, 80, 24);
    watcher.wait_for_snapshot();
    let mut typist = worker.connect();
    let program = std::path::Path::new(ABIDE).with_file_name("abide-host").display().to_string();
    const UPGRADES: u64 = 100;
    for round in 0..UPGRADES {
        let mut connection = worker.connect();
        connection.send(&ViewerMessage::Upgrade(Upgrade { program: program.clone() })).unwrap();
        // Keys that are typed meanwhile must not be lost.
        for _ in 0..5 {
            typist.send(&ViewerMessage::Input(b"\r".to_vec())).unwrap();
        }
        match receive(&mut connection) {
            HostMessage::Status(status) => assert_eq!(status.host_pid, before.host_pid, "the same process"),
            other => panic!("round {round}: {other:?}"),
        }
    }
    let last = format!("number {}\r\n", UPGRADES * 5);
    watcher.wait_until(&last, |watcher| watcher.output.ends_with(last.as_bytes()));
    assert_eq!(watcher.snapshots, 1, "it never had to be drawn anew");
    let after = worker.status();
    assert_eq!((after.child_pid, after.epoch), (before.child_pid, before.epoch));
    wait_for("the recording", || (numbers(&worker).last() == Some(&(UPGRADES * 5))).then_some(()));
    assert_eq!(numbers(&worker), (1..=UPGRADES * 5).collect::<Vec<_>>());
    assert_eq!(gaps(&worker), 0);
    worker.send(b"\x04");
    assert_eq!(worker.wait_for_exit().status, ExitStatus::Exited { code: 0 }, "still our own child");
}

#[test]
fn p5_a_program_that_is_unfit_is_refused_and_the_old_one_runs_on() {
    let house = House::new();
    let worker = house.script("while read x; do echo got $x; done");
    let writable = house.path().join("writable");
    fs::copy(ABIDE, &writable).unwrap();
    fs::set_permissions(&writable, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    for (program, words) in [
        ("/bin/true", "cannot read our state"),
        ("/no/such/program", "cannot look at"),
        ("bin/true", "absolute"),
        (writable.to_str().unwrap(), "only you or root"),
    ] {
        let mut connection = worker.connect();
        connection.send(&ViewerMessage::Upgrade(Upgrade { program: program.into() })).unwrap();
        let HostMessage::Refused(Refused { code, message }) = receive(&mut connection) else {
            panic!("{program}")
        };
        assert_eq!(code, Refusal::Upgrade);
        assert!(message.contains(words), "{program}: {message}");
    }
    worker.send(b"it\r");
    Watcher::watch(&worker).wait_for("got it");
}

#[test]
fn p9_a_deleted_socket_comes_back() {
    let house = House::new();
    let worker = house.worker_with(&["--name", "hidden"], &["sh", "-c", "echo hello; read x"]);
    let mut watcher = Watcher::watch(&worker);
    watcher.wait_for("hello");
    fs::remove_file(worker.dir.socket()).unwrap();
    assert!(house.output(["screen", "hidden"]).contains("hello"));
    assert!(worker.dir.socket().exists());
    watcher.catch_up();
}

#[test]
fn p8_stale_files_and_reused_numbers_harm_nobody() {
    let house = House::new();
    let worker = house.worker_with(&["--name", "old"], &["sh", "-c", "echo hello; read x"]);
    Watcher::watch(&worker).wait_for("hello");
    worker.kill_host();
    // The number belongs to somebody else now, who must not be signalled.
    let mut stranger = Command::new("sleep").arg("1000").spawn().unwrap();
    let mut identity = worker.dir.identity().unwrap();
    identity.pid = stranger.id();
    worker.dir.write_identity(&identity).unwrap();
    assert!(house.output(["ls"]).contains("lost"));
    house.run(["kill", "old"]);
    assert!(Identity::of(stranger.id()).is_some(), "a stranger was touched");
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    house.output(["rm", "old"]);
    assert!(!worker.dir.path().exists());
}

#[test]
fn d1_a_full_disk_leaves_a_gap_and_a_living_terminal() {
    let house = House::new();
    let small = house.path().join("small");
    fs::create_dir(&small).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=3m,mode=0700", "tmpfs"])
        .arg(&small)
        .stderr(std::process::Stdio::null())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        return testkit::skip("a small file system cannot be mounted here");
    }
    struct Mounted(std::path::PathBuf);
    impl Drop for Mounted {
        fn drop(&mut self) {
            let _ = Command::new("umount").arg("-l").arg(&self.0).status();
        }
    }
    let _mounted = Mounted(small.clone());
    let inside = House::at(&small);
    let worker = inside.script("read x; head -c 12000000 /dev/zero | tr '\\0' x; echo; echo full; while read x; do echo got $x; done");
    worker.send(b"\r");
    let mut watcher = Watcher::watch(&worker);
    watcher.wait_for("full");
    worker.send(b"one\r");
    watcher.wait_for("got one");
    assert!(worker.status().recording.trouble.is_some(), "it says what is wrong");
    // Room again: it goes on by itself, and says what is missing.
    Command::new("mount").args(["-o", "remount,size=64m"]).arg(&small).status().unwrap();
    wait_for("recording again", || {
        worker.send(b"two\r");
        (worker.status().recording.trouble.is_none() && worker.status().recording.gaps > 0).then_some(())
    });
    wait_for("the new output", || worker.recorded().ends_with(b"got two\r\n").then_some(()));
    assert!(gaps(&worker) >= 1);
}

#[test]
fn d4_a_segment_removed_from_outside_is_noticed() {
    let house = House::new();
    let worker = house.script("while read x; do echo got $x; done");
    worker.send(b"one\r");
    Watcher::watch(&worker).wait_for("got one");
    for segment in fs::read_dir(worker.dir.recording()).unwrap() {
        fs::remove_file(segment.unwrap().path()).unwrap();
    }
    wait_for("another segment", || {
        worker.send(b"more\r");
        let recording = Recording::open(&worker.dir.recording()).unwrap();
        (!recording.segments().is_empty()).then_some(())
    });
    worker.send(b"last\r");
    wait_for("recording again", || worker.recorded().ends_with(b"got last\r\n").then_some(()));
}

#[test]
fn s26_a_model_that_panics_or_hangs_is_built_anew_and_the_worker_lives() {
    let house = House::new();
    let worker = house.worker_with(
        &["--env", "ABIDE_FAULTS=1", "--size", "60x10"],
        &["sh", "-c", "echo before; while read x; do echo \"$x\"; done"],
    );
    let mut watcher = Watcher::watch(&worker);
    watcher.wait_for("before");
    for (failures, fault) in [(1, "abide-fault:panic"), (2, "abide-fault:hang")] {
        worker.send(format!("{fault}\r").as_bytes());
        // Viewers see the bytes whatever the model does.
        watcher.wait_for(fault);
        if fault.ends_with("hang") {
            // Nobody notices a model that stands still before somebody waits for it.
            let mut late = Watcher::watch(&worker);
            late.wait_for_snapshot();
        }
        wait_for("the failure's report", || (worker.status().model_failures >= failures).then_some(()));
        worker.send(format!("after {failures}\r").as_bytes());
        watcher.wait_for(&format!("after {failures}"));
        let mut late = Watcher::watch(&worker);
        late.wait_for("before");
        late.wait_for(&format!("after {failures}"));
    }
    worker.send(b"the end\r");
    wait_for("the recording", || worker.recorded().ends_with(b"the end\r\nthe end\r\n").then_some(()));
}

#[test]
fn older_lines_than_the_model_keeps_come_from_the_recording() {
    let house = House::new();
    let worker = house
        .script("seq -f 'line %.0f and some more words to make it longer than a number is' 1 60000; read x");
    wait_for("the flood's end", || (worker.recorded().windows(10).any(|b| b == b"line 60000")).then_some(()));
    let watching = protocol::Attach { history: 50_000, ..crate::house::watching() };
    let mut watcher = Watcher::attach(&worker, watching);
    watcher.wait_for("line 60000");
    assert!(watcher.terminal.history_len() >= 50_000, "{} lines", watcher.terminal.history_len());
    let first = watcher.terminal.history_row(0).unwrap();
    let text: String = first.spans.iter().map(|span| span.text.as_str()).collect();
    assert!(text.starts_with("line "), "{text}");
    assert_eq!(worker.status().offset, watcher.at);
    let _ = Offset(0);
}

#[test]
fn u5_hosts_run_on_when_their_program_is_deleted() {
    let house = House::new();
    let copy = house.path().join("abide");
    fs::copy(ABIDE, &copy).unwrap();
    let started = house.command(["new", "-d", "--name", "x", "--", "cat"]).output();
    drop(started);
    let mut command = Command::new(&copy);
    command.args(["new", "-d", "--name", "orphan", "--", "cat"]).env("ABIDE_HOME", house.path());
    command.env("ABIDE_KEEPER", "false").env("HOME", house.path());
    assert!(command.status().unwrap().success());
    fs::remove_file(&copy).unwrap();
    let worker = house.called("orphan");
    worker.send(b"still here\r");
    Watcher::watch(&worker).wait_for("still here");
}
