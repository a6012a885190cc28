//! Faults that a child must not notice: killed hosts, upgrades, full disks, failing models, deleted sockets, reused
//! numbers.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use home::Identity;
use model::ExitStatus;
use protocol::{HostMessage, Refusal, Refused, Upgrade, ViewerMessage};
use recording::Recording;
use rustix::process::Signal;
use testkit::Watcher;
use viewer::Connection;

use crate::hardships;
use crate::house::{ABIDE, House, Worker, receive, wait_for};
use crate::numbers::gaps;

#[test]
fn p3_a_killed_host_loses_no_child_while_its_lease_is_held() {
    hardships::host_kills(50);
}

#[test]
fn p3_a_host_killed_before_it_gave_its_lease_loses_no_child_either() {
    let house = House::with_keeper();
    let worker = house.script("while read x; do echo got $x; done");
    worker.wait_for_lease();
    let child = worker.status().child_pid;
    // Each as soon as it listens. The keeper asks for the lease at the same moment, and sometimes comes too late.
    for epoch in 2..8 {
        worker.kill_host();
        wait_for("another host", || {
            let deadline = Instant::now() + Duration::from_millis(20);
            while Instant::now() < deadline {
                if viewer::status(&worker.dir.socket()).is_ok_and(|status| status.epoch.0 >= epoch) {
                    return Some(());
                }
            }
            None
        });
    }
    worker.wait_for_lease();
    assert_eq!(worker.status().child_pid, child);
    worker.send(b"it\r");
    Watcher::watch(&worker).wait_for("got it");
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
    hardships::upgrades(100);
}

#[test]
fn p5_a_program_that_is_unfit_is_refused_and_the_old_one_runs_on() {
    let house = House::new();
    let worker = house.leaky("while read x; do echo got $x; done");
    let writable = house.path().join("writable");
    fs::copy(ABIDE, &writable).unwrap();
    fs::set_permissions(&writable, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let sleepy = house.path().join("sleepy");
    fs::write(&sleepy, "#!/bin/sh\nexec sleep 1000\n").unwrap();
    fs::set_permissions(&sleepy, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    for (program, words) in [
        ("/bin/true", "cannot read the state of this host"),
        ("/no/such/program", "cannot look at"),
        ("bin/true", "absolute"),
        (writable.to_str().unwrap(), "only you or root"),
        (sleepy.to_str().unwrap(), "cannot read the state of this host"),
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
fn p5_keys_that_wait_for_the_child_survive_an_upgrade() {
    let house = House::new();
    let worker = house.script(
        "stty raw -echo; echo ready; while ! [ -e go ]; do sleep 0.05; done; head -c 200000 > typed; echo done; read x",
    );
    let mut watcher = Watcher::watch(&worker);
    watcher.wait_for("ready");
    for letter in *b"abcd" {
        worker.send(&[letter; 50_000]);
    }
    let mut connection = worker.connect();
    let program = std::path::Path::new(ABIDE).with_file_name("abide-host").display().to_string();
    connection.send(&ViewerMessage::Upgrade(Upgrade { program })).unwrap();
    assert!(matches!(receive(&mut connection), HostMessage::Status(_)));
    fs::write(house.path().join("go"), "").unwrap();
    watcher.wait_for("done");
    let typed: Vec<u8> = b"abcd".iter().flat_map(|letter| vec![*letter; 50_000]).collect();
    assert!(fs::read(house.path().join("typed")).unwrap() == typed, "every key, in order");
}

#[test]
fn an_upgrade_does_not_save_a_worker_that_is_about_to_end() {
    let house = House::new().setting("ABIDE_GRACE_MS", "2000");
    let worker = house.script("trap '' HUP TERM; echo ready; while :; do sleep 1000; done");
    Watcher::watch(&worker).wait_for("ready");
    worker.connect().send(&ViewerMessage::Shutdown).unwrap();
    wait_for("its ending", || (worker.status().state == protocol::ChildState::Ending).then_some(()));
    let mut connection = worker.connect();
    let program = std::path::Path::new(ABIDE).with_file_name("abide-host").display().to_string();
    connection.send(&ViewerMessage::Upgrade(Upgrade { program })).unwrap();
    let HostMessage::Refused(Refused { code, .. }) = receive(&mut connection) else { panic!("not refused") };
    assert_eq!(code, Refusal::Upgrade);
    assert_eq!(worker.wait_for_exit().status, ExitStatus::Killed { signal: 9 });
}

#[test]
fn r1_without_descriptors_viewers_stay_and_new_ones_are_refused() {
    let house = House::new();
    // The host may open forty files, and no more.
    let script = format!("ulimit -n 40; exec {ABIDE} new -d --name narrow -- cat");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).env("ABIDE_HOME", house.path()).env("ABIDE_KEEPER", "false");
    assert!(command.env("HOME", house.path()).output().unwrap().status.success());
    let worker = house.called("narrow");
    let mut watcher = Watcher::at_keyboard(&worker, 80, 24);
    let mut connections = Vec::new();
    let refused = (0..60).find_map(|_| {
        let mut connection = worker.connect();
        // If the host refuses at once, this send may fail. The refusal can be read all the same.
        let _ = connection.send(&ViewerMessage::Ping(1));
        match receive(&mut connection) {
            HostMessage::Refused(refused) => Some(refused),
            _ => {
                connections.push(connection);
                None
            }
        }
    });
    assert_eq!(refused.expect("a refusal").code, Refusal::Full);
    // A request that needs a descriptor fails, and no other viewer notices.
    let mut last = connections.pop().expect("some were let in");
    last.send(&ViewerMessage::Lease).unwrap();
    watcher.send(b"still here\r");
    watcher.wait_for("still here");
    drop(connections);
    wait_for("room again", || viewer::status(&worker.dir.socket()).ok());
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
fn p9_making_the_socket_again_cuts_no_viewer_off() {
    let house = House::new();
    let worker = house.script("read x");
    let host = worker.dir.identity().expect("a host");
    for number in 0..300 {
        // The host makes its socket again, as if a program had missed it, while a viewer connects.
        assert_eq!(host.signal(Signal::USR1), Ok(true), "the host runs");
        let mut connection = wait_for("a connection", || Connection::open(&worker.dir.socket()).ok());
        connection.send(&ViewerMessage::Ping(number)).expect("the viewer stays connected");
        assert_eq!(receive(&mut connection), HostMessage::Pong(number));
    }
}

#[test]
fn p8_stale_files_and_reused_numbers_do_no_harm() {
    let house = House::new();
    let worker = house.worker_with(&["--name", "old"], &["sh", "-c", "echo hello; read x"]);
    Watcher::watch(&worker).wait_for("hello");
    worker.kill_host();
    // Another process has the number now and must not be signalled. Its start differs by one tick from the one on disk:
    // a start that is copied from the host can be equal, because a tick is 10 ms long.
    let mut stranger = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let other = Identity::of(stranger.id()).unwrap();
    let reused = Identity { start_ticks: other.start_ticks - 1, ..other };
    // Threads of a process that was killed may hold it for a moment after the process is gone.
    let lock = worker.dir.lock_within(testkit::WAIT).unwrap().expect("no host runs it");
    worker.dir.write_identity(&lock, &reused).unwrap();
    drop(lock);
    assert!(house.output(["ls"]).contains("lost"));
    house.run(["kill", "old"]);
    // `wait` closes its input, at which `cat` ends by itself: unless a signal has ended it before.
    let ended = stranger.wait().unwrap();
    assert!(ended.success(), "the stranger was signalled: {ended}");
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
        .stderr(Stdio::null())
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

/// A worker that floods its terminal while its disk fails as `fault` says, and what its status says of the recording.
fn flood_on_a_bad_disk(house: &House, fault: &str) -> (Worker, Watcher) {
    let flood = "head -c 30000000 /dev/zero | tr '\\0' x; echo; echo flooded";
    let script = format!("read x; echo abide-fault:{fault}; {flood}; while read x; do echo got $x; done");
    let worker = house.worker_with(&["--env", "ABIDE_FAULTS=1"], &["sh", "-c", &script]);
    worker.send(b"\r");
    let mut watcher = Watcher::watch(&worker);
    watcher.wait_for("flooded");
    worker.send(b"one\r");
    watcher.wait_for("got one");
    (worker, watcher)
}

/// The disk is well again: what is missing is marked, and the recording goes on.
fn mend(worker: &Worker) {
    fs::write(worker.dir.path().join("mended"), b"").unwrap();
    worker.send(b"two\r");
    wait_for("recording again", || worker.recorded().ends_with(b"got two\r\n").then_some(()));
    assert_eq!(worker.status().recording.trouble, None);
    assert_eq!(gaps(worker), 1, "what could not be recorded is marked");
    worker.send(b"\x04");
    worker.wait_for_rest();
}

#[test]
fn d2_a_disk_that_stalls_keeps_no_terminal_waiting() {
    let house = House::new();
    let (worker, _watcher) = flood_on_a_bad_disk(&house, "stall");
    let behind = worker.status();
    assert!(behind.recording.recorded < behind.offset, "the disk still stalls");
    mend(&worker);
}

#[test]
fn d2_a_read_only_disk_is_reported_and_keeps_no_terminal_waiting() {
    let house = House::new();
    let (worker, _watcher) = flood_on_a_bad_disk(&house, "read-only");
    let trouble = wait_for("the trouble", || worker.status().recording.trouble);
    assert!(trouble.to_lowercase().contains("read-only"), "{trouble}");
    mend(&worker);
}

#[test]
fn d2_a_worker_that_ends_on_a_read_only_disk_still_reports_its_exit() {
    let house = House::new();
    let (worker, mut watcher) = flood_on_a_bad_disk(&house, "read-only");
    worker.send(b"\x04");
    assert_eq!(watcher.wait_for_exit().status, ExitStatus::Exited { code: 0 });
    assert_eq!(worker.wait_for_exit().status, ExitStatus::Exited { code: 0 });
    assert_eq!(gaps(&worker), 1, "what could not be recorded is marked");
}

#[test]
fn d2_a_slow_sync_keeps_no_terminal_waiting_and_costs_nothing() {
    let house = House::new();
    let worker = house.worker_with(
        &["--env", "ABIDE_FAULTS=1"],
        &["sh", "-c", "while read x; do echo got $x; done; echo good bye; exit 3"],
    );
    let slow_sync = worker.dir.path().join("slow-sync");
    fs::write(&slow_sync, b"").unwrap();
    // It prints, echoes, is attached to and changes its size.
    let mut watcher = Watcher::at_keyboard(&worker, 100, 30);
    watcher.send(b"one\r");
    watcher.wait_for("got one");
    Watcher::at_keyboard(&worker, 70, 20).wait_for("got one");
    // It becomes another program, and what it prints is recorded.
    let mut connection = worker.connect();
    let program = std::path::Path::new(ABIDE).with_file_name("abide-host").display().to_string();
    connection.send(&ViewerMessage::Upgrade(Upgrade { program })).unwrap();
    let answer = receive(&mut connection);
    assert!(matches!(answer, HostMessage::Status(_)), "{answer:?}");
    watcher.send(b"two\r");
    watcher.wait_for("got two");
    wait_for("the recording", || worker.recorded().ends_with(b"got two\r\n").then_some(()));
    // Viewers get the exit, also those that come later.
    watcher.send(b"\x04");
    let ended = ExitStatus::Exited { code: 3 };
    assert_eq!(watcher.wait_for_exit().status, ended);
    let mut late = Watcher::watch(&worker);
    late.wait_for("good bye");
    assert_eq!(late.wait_for_exit().status, ended);
    drop((watcher, late, connection));
    assert!(house.output(["ls"]).contains("exited 3"), "the worker is not lost while the disk is slow");
    assert_eq!(worker.dir.exit_note(), None, "the disk is still slow");
    // The host has waited for the disk, and nothing is missing.
    fs::remove_file(&slow_sync).unwrap();
    assert_eq!(worker.wait_for_exit().status, ended);
    worker.wait_for_rest();
    assert!(worker.recorded().ends_with(b"good bye\r\n"));
    assert_eq!(gaps(&worker), 0);
}

#[test]
fn d4_a_segment_removed_from_outside_is_noticed() {
    let house = House::new();
    let worker = house.leaky("while read x; do echo got $x; done");
    worker.send(b"one\r");
    Watcher::watch(&worker).wait_for("got one");
    wait_for("the recording", || worker.recorded().ends_with(b"got one\r\n").then_some(()));
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
        &["sh", "-c", "stty -echo; echo before; while read x; do echo \"$x\"; done"],
    );
    let mut watcher = Watcher::watch(&worker);
    watcher.wait_for("before");
    // A screen that was asked for shows that the model has come so far.
    Watcher::watch(&worker).wait_for("before");
    for (failures, fault) in [(1, "abide-fault:panic"), (2, "abide-fault:hang")] {
        worker.send(format!("{fault}\r").as_bytes());
        // Viewers see the bytes even if the model fails.
        watcher.wait_for(fault);
        if fault.ends_with("hang") {
            // The host notices a hanging model only when a viewer waits for a snapshot.
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
    wait_for("the recording", || worker.recorded().ends_with(b"the end\r\n").then_some(()));
}

#[test]
fn s26_a_model_that_hangs_in_a_flood_without_viewers_holds_no_child_up() {
    let house = House::new();
    let worker = house.worker_with(
        &["--env", "ABIDE_FAULTS=1"],
        &[
            "sh",
            "-c",
            "echo abide-fault:hang; head -c 2000000 /dev/zero | tr '\\0' x; echo done > finished; read x",
        ],
    );
    wait_for("the flood's end", || house.path().join("finished").exists().then_some(()));
    assert!(worker.status().model_failures > 0);
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
}

#[test]
fn u5_hosts_run_on_when_their_program_is_deleted() {
    let house = House::new();
    let copy = house.path().join("abide");
    // Another process copies it. If this one did, a program that another test starts meanwhile could have inherited the
    // open file, and a file that is open for writing cannot be run.
    assert!(Command::new("cp").arg(ABIDE).arg(&copy).status().unwrap().success());
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
