//! Children that end at once, end with an error, refuse to end, leave processes behind or print without end.

use std::fs;

use model::ExitStatus;
use protocol::{ChildState, HostMessage, Refusal, Refused, ViewerMessage};
use rustix::process::Signal;
use testkit::Watcher;

use crate::hardships;
use crate::house::{House, is_alive, receive, signal, wait_for};

#[test]
fn c5_a_worker_that_ends_without_viewers_leaves_its_screen_and_its_code() {
    let house = House::new();
    let worker = house.worker_with(&["--name", "gone"], &["sh", "-c", "echo the last words; exit 3"]);
    worker.wait_for_exit();
    assert!(!worker.dir.socket().exists(), "the socket is gone");
    assert!(house.output(["screen", "gone"]).contains("the last words"));
    assert_eq!(house.output(["logs", "gone"]), "the last words\n");
    assert_eq!(house.run(["wait", "gone"]).status.code(), Some(3));
    assert!(house.output(["ls"]).contains("exited 3"));
    let recorded = fs::metadata(worker.dir.path()).unwrap();
    assert_eq!(std::os::unix::fs::MetadataExt::mode(&recorded) & 0o777, 0o700);
}

#[test]
fn p13_when_memory_runs_out_the_child_goes_before_its_host() {
    let house = House::new();
    let status = house.script("read x").status();
    let score = |pid: u32| -> i32 {
        fs::read_to_string(format!("/proc/{pid}/oom_score_adj")).unwrap().trim().parse().unwrap()
    };
    let (host, child, ours) = (score(status.host_pid), score(status.child_pid), score(std::process::id()));
    assert!(child > host || host == 1000, "child {child}, host {host}");
    assert_eq!(host, ours, "the kernel kills a host no sooner than its starter");
}

#[test]
fn an_exit_has_its_code_or_its_signal() {
    let house = House::new();
    for (script, status) in [
        ("read x; exit 0", ExitStatus::Exited { code: 0 }),
        ("read x; exit 42", ExitStatus::Exited { code: 42 }),
        ("read x; kill -SEGV $$", ExitStatus::Killed { signal: 11 }),
    ] {
        let worker = house.script(script);
        let mut watcher = Watcher::watch(&worker);
        watcher.wait_for_snapshot();
        worker.send(b"\r");
        assert_eq!(watcher.wait_for_exit().status, status, "{script}");
        assert_eq!(worker.wait_for_exit().status, status, "{script}");
    }
}

#[test]
fn c1_a_child_that_ignores_everything_is_forced() {
    let house = House::new().setting("ABIDE_GRACE_MS", "300");
    let worker = house.script("trap '' HUP TERM INT; echo ready; while :; do sleep 1000; done");
    Watcher::watch(&worker).wait_for("ready");
    worker.connect().send(&ViewerMessage::Shutdown).unwrap();
    wait_for("its ending", || (worker.status().state == ChildState::Ending).then_some(()));
    assert_eq!(worker.wait_for_exit().status, ExitStatus::Killed { signal: 9 });
}

#[test]
fn kill_ends_a_worker_and_says_how() {
    let house = House::new();
    let worker = house.worker_with(&["--name", "sleepy"], &["sleep", "1000"]);
    let words = house.output(["kill", "sleepy"]);
    assert!(words.contains("SIGHUP"), "{words}");
    assert_eq!(worker.wait_for_exit().status, ExitStatus::Killed { signal: 1 });

    let worker = house.worker_with(
        &["--name", "careful"],
        &["sh", "-c", "trap 'exit 7' USR1; while :; do sleep 0.1; done"],
    );
    wait_for("its trap", || {
        house.run(["kill", "careful", "--signal", "USR1"]);
        worker.dir.exit_note()
    });
    assert_eq!(worker.wait_for_exit().status, ExitStatus::Exited { code: 7 });
}

#[test]
fn c2_a_worker_ends_with_its_leader_and_survivors_are_counted() {
    let house = House::new();
    let worker = house.worker_with(
        &["--name", "parent"],
        &[
            "sh",
            "-c",
            "setsid sh -c 'echo $$ > left; exec sleep 1000' >/dev/null 2>&1 & \
            while ! [ -s left ]; do sleep 0.01; done; echo gone; exit 5",
        ],
    );
    let note = worker.wait_for_exit();
    assert_eq!(note.status, ExitStatus::Exited { code: 5 });
    assert_eq!(note.survivors, 1);
    let left: u32 = fs::read_to_string(house.path().join("left")).unwrap().trim().parse().unwrap();
    assert!(is_alive(left), "killed only on request");
    house.output(["kill", "--survivors", "parent"]);
    wait_for("its end", || (!is_alive(left)).then_some(()));
}

#[test]
fn c3_a_child_that_closes_its_terminal_lives_on() {
    let house = House::new();
    let worker = house.script("echo hello; exec <&- >&- 2>&-; sleep 1000");
    let mut watcher = Watcher::watch(&worker);
    watcher.wait_for("hello");
    watcher.catch_up();
    let before = cpu_ticks(worker.status().host_pid);
    for _ in 0..20 {
        watcher.catch_up();
        assert_eq!(worker.status().state, ChildState::Live);
    }
    assert!(cpu_ticks(worker.status().host_pid) - before < 20, "it does not spin");
}

/// Hundredths of a second of processor time.
fn cpu_ticks(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

#[test]
fn c6_a_command_that_cannot_start_says_why_and_leaves_nothing() {
    let house = House::new();
    let script = house.path().join("script");
    fs::write(&script, "echo hello").unwrap();
    for (arguments, words) in [
        (&["no-such-command"][..], "there is no command `no-such-command`"),
        (&["/etc/passwd"], "Permission denied"),
        (&[script.to_str().unwrap()], "Permission denied"),
    ] {
        let output = house.run([&["new", "-d", "--"], arguments].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(125), "{error}");
        assert!(error.contains(words) && error.contains("hint: "), "{error}");
    }
    let output = house.run(["new", "-d", "--cwd", "/no/such/place", "--", "true"]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("/no/such/place"));
    assert_eq!(house.home().worker_dirs().unwrap().len(), 0);
}

#[test]
fn s30_the_child_has_three_descriptors_and_a_session_of_its_own() {
    let house = House::new();
    let worker =
        house.script("ls -l /proc/self/fd | wc -l; ps -o sid= -p $$; echo $$; umask; ulimit -c; read x");
    let mut watcher = Watcher::watch(&worker);
    watcher.wait_until("five lines", |watcher| watcher.terminal.text(0).trim().lines().count() >= 5);
    let text = watcher.terminal.text(0);
    let lines: Vec<&str> = text.trim().lines().map(str::trim).collect();
    // A total, three descriptors, and the one that lists them.
    assert_eq!(lines[0], "5", "{text}");
    assert_eq!(lines[1], lines[2], "it leads its session");
    let mask = std::process::Command::new("sh").args(["-c", "umask; ulimit -c"]).output().unwrap();
    assert_eq!(lines[3..5].join("\n"), String::from_utf8(mask.stdout).unwrap().trim(), "as the user has it");
    let host = worker.status().host_pid;
    let names: Vec<String> = fs::read_dir(format!("/proc/{host}/fd"))
        .unwrap()
        .filter_map(|entry| Some(fs::read_link(entry.ok()?.path()).ok()?.display().to_string()))
        .collect();
    let foreign = names.iter().filter(|name| {
        let known = ["/dev/null", "/dev/pts/", "/dev/ptmx", "socket:", "anon_inode:", "pidfd:"];
        !known.iter().any(|known| name.starts_with(known)) && !name.contains(&worker.dir.id().to_string())
    });
    assert_eq!(foreign.count(), 0, "{names:?}");
}

#[test]
fn p12_a_hang_up_of_the_starter_leaves_the_host_alone() {
    let house = House::new();
    let worker = house.script("echo hello; read x");
    let host = worker.status().host_pid;
    for number in [Signal::HUP, Signal::INT, Signal::QUIT, Signal::PIPE] {
        signal(host, number);
    }
    let stat = fs::read_to_string(format!("/proc/{host}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    assert_eq!(fields[3], host.to_string(), "a session of its own");
    assert_eq!(fields[4], "0", "no controlling terminal");
    Watcher::watch(&worker).wait_for("hello");
}

#[test]
fn o1_a_flood_is_bounded_in_memory_and_can_be_interrupted() {
    let house = House::new();
    let worker = house.script("trap 'echo; echo stopped; exit 9' INT; read x; cat /dev/zero | tr '\\0' x");
    let mut stalled = Watcher::watch(&worker);
    stalled.wait_for_snapshot();
    let growth = hardships::growth_kb(&worker, 150 << 20);
    assert!(growth < 64 << 10, "grew by {growth} kB");
    worker.send(b"\x03");
    assert_eq!(worker.wait_for_exit().status, ExitStatus::Exited { code: 9 });
    let recorded: u64 = fs::read_dir(worker.dir.recording())
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum();
    assert!(recorded <= 64 << 20, "the recording is bounded: {recorded}");
}

#[test]
fn o4_the_host_answers_a_query_once_with_any_viewers() {
    let house = House::new();
    for viewers in [0, 1, 10] {
        let worker = house.script(
            "stty raw -echo min 0 time 30; printf '\\033[c\\033[6n\\033[5n'; dd bs=1 count=60 2>/dev/null > answers; \
             stty cooked; echo done; read x",
        );
        let mut watchers: Vec<Watcher> =
            (0..viewers).map(|_| Watcher::at_keyboard(&worker, 80, 24)).collect();
        let mut watcher = Watcher::watch(&worker);
        watcher.wait_for("done");
        watchers.iter_mut().for_each(|watcher| watcher.wait_for("done"));
        let answers = fs::read(house.path().join("answers")).unwrap();
        let count = |needle: &[u8]| answers.windows(needle.len()).filter(|bytes| bytes == &needle).count();
        let text = answers.escape_ascii().to_string();
        assert_eq!(count(b"\x1b[?"), 1, "{viewers} viewers: {text}");
        assert_eq!(count(b"R"), 1, "{viewers} viewers: {text}");
        assert_eq!(count(b"\x1b[0n"), 1, "{viewers} viewers: {text}");
    }
}

#[test]
fn s21_attaching_writes_nothing_to_the_child() {
    let house = House::new();
    let worker = house.script(
        "stty raw -echo min 0 time 10; echo ready; printf '\\033[?1004h\\033[?2048h\\033[?2031h'; \
        dd bs=1 count=100 2>/dev/null | od -c | head -3; echo done; read x",
    );
    let mut watcher = Watcher::watch(&worker);
    watcher.wait_for("ready");
    let mut others: Vec<Watcher> = (0..5).map(|_| Watcher::watch(&worker)).collect();
    others.iter_mut().for_each(Watcher::wait_for_snapshot);
    watcher.wait_for("done");
    let text = watcher.terminal.text(10);
    // A size report is what the program asked for with ?2048; nothing else may come.
    let lines = text.lines().filter(|line| line.starts_with("0000")).count();
    assert!(lines <= 2, "{text}");
}

#[test]
fn an_ended_worker_refuses_attach_send_and_kill() {
    let house = House::new();
    let worker = house.worker_with(&["--name", "over"], &["true"]);
    worker.wait_for_exit();
    for arguments in [&["attach", "over"][..], &["send", "over", "x"], &["kill", "over"]] {
        let output = house.run(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        let words = String::from_utf8(output.stderr).unwrap();
        assert!(words.starts_with("error: "), "{arguments:?}: {words}");
    }
    house.output(["rm", "over"]);
    assert!(house.home().worker_dirs().unwrap().is_empty());
}

#[test]
fn an_invalid_signal_number_is_refused() {
    let house = House::new();
    let worker = house.script("read x");
    let mut connection = worker.connect();
    connection.send(&ViewerMessage::Kill(0)).unwrap();
    let HostMessage::Refused(Refused { code, .. }) = receive(&mut connection) else { panic!("not refused") };
    assert_eq!(code, Refusal::Signal);
}
