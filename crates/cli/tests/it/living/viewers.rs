//! Viewers: attached, coming back, slow, many, read-only, and of different sizes.

use std::time::Duration;

use model::{Epoch, ExitStatus, Offset, TermSize};
use protocol::{Attach, Form, HostMessage, Refusal, Refused, ViewerMessage};
use rustix::process::Signal;
use terminal::{HistoryLimit, Terminal};
use testkit::{Random, Watcher};

use crate::house::{House, Worker, receive, signal, wait_for, wait_until, watching};

/// Prints numbered lines, a few at a time, for ever.
const COUNTING: &str = "i=0; while :; do i=$((i+1)); echo line $i; done";

fn size_of(worker: &Worker) -> TermSize {
    worker.status().size
}

#[test]
fn a_viewer_sees_output_from_before_and_after_it_came() {
    let house = House::new();
    let worker = house.script("echo before; read x; echo after $x; read x");
    let mut watcher = Watcher::at_keyboard(&worker, 80, 24);
    watcher.wait_for("before");
    watcher.send(b"that\r");
    watcher.wait_for("after that");
}

#[test]
fn a_viewer_that_comes_back_gets_exactly_the_bytes_it_missed() {
    let house = House::new();
    let worker = house.script("while read x; do echo got $x; done");
    let mut first = Watcher::watch(&worker);
    worker.send(b"one\r");
    first.wait_for("got one");
    first.catch_up();
    let (epoch, at) = (first.welcome.epoch, first.at);
    drop(first);
    worker.send(b"two\r");
    Watcher::watch(&worker).wait_for("got two");

    let back = Attach { epoch: Some(epoch), since: Some(at), ..watching() };
    let mut back = Watcher::attach(&worker, back);
    back.at = at;
    back.wait_until("the rest", |watcher| watcher.output.ends_with(b"got two\r\n"));
    assert_eq!(back.snapshots, 0, "no snapshot was needed");
    assert_eq!(back.output, b"two\r\ngot two\r\n");
}

#[test]
fn a_viewer_that_missed_a_new_size_gets_a_snapshot_though_it_missed_no_byte() {
    let house = House::new();
    let worker = house.script("stty -echo; printf ready; exec cat");
    Watcher::watch(&worker).wait_for("ready");
    let (connection, seen) = viewer::attach(&worker.dir.socket(), watching()).unwrap();
    drop(connection);
    let mut owner = Watcher::at_keyboard(&worker, 33, 11);
    owner.wait_until("the new size", |_| size_of(&worker) == TermSize::clamped(33, 11));
    let resume = Attach { epoch: Some(seen.epoch), since: Some(seen.offset), ..watching() };
    let (mut connection, again) = viewer::attach(&worker.dir.socket(), resume).unwrap();
    assert_eq!((again.offset, again.size), (seen.offset, TermSize::clamped(33, 11)));
    assert!(matches!(receive(&mut connection), HostMessage::Snapshot { .. }));
}

#[test]
fn v6_forged_offsets_and_epochs_get_a_snapshot() {
    let house = House::new();
    let worker = house.script("echo hello; read x");
    let mut first = Watcher::watch(&worker);
    first.wait_for("hello");
    let (epoch, at) = (first.welcome.epoch, first.at);
    for (epoch, since) in [
        (Some(Epoch(epoch.0 + 1)), Some(at)),
        (Some(epoch), Some(Offset(at.0 + 1))),
        (Some(epoch), Some(Offset(u64::MAX))),
        (None, Some(at)),
        (Some(epoch), None),
    ] {
        let mut watcher = Watcher::attach(&worker, Attach { epoch, since, ..watching() });
        watcher.wait_for("hello");
        assert_eq!(watcher.snapshots, 1, "{epoch:?} {since:?}");
    }
}

#[test]
fn o3_attaching_at_any_offset_equals_having_been_there() {
    let house = House::new();
    let mut random = Random::new(7);
    let mut compared = 0;
    for round in 0..12 {
        let stream = testkit::StreamGen::new(round).sized(TermSize::clamped(80, 24)).long(6000).bytes();
        let file = house.path().join(format!("stream{round}"));
        std::fs::write(&file, &stream).unwrap();
        // The stream comes in pieces, each when asked for, raw and without echo.
        let cut = random.between(1, stream.len() - 1);
        let script = format!(
            "stty raw -echo; head -c {cut} {file}; head -c 1 >/dev/null; tail -c +{rest} {file}; exec cat >/dev/null",
            rest = cut + 1,
            file = file.display()
        );
        let worker = house.worker_with(&["--size", "80x24"], &["sh", "-c", &script]);
        let mut there = Watcher::watch(&worker);
        there.wait_for_snapshot();
        there.wait_until("the first part", |watcher| watcher.at >= Offset(cut as u64));
        // One viewer attaches where the output was cut, even inside a sequence; one resumes there.
        let mut late = Watcher::watch(&worker);
        late.wait_for_snapshot();
        let since = Offset(random.below(cut + 1) as u64);
        worker.send(b"x");
        let end = Offset(stream.len() as u64);
        let epoch = Some(there.welcome.epoch);
        let mut back = Watcher::attach(&worker, Attach { epoch, since: Some(since), ..watching() });
        back.at = since;
        back.terminal.feed(&stream[..since - Offset(0)]);
        for watcher in [&mut there, &mut late, &mut back] {
            watcher.wait_until("the end", |watcher| watcher.at >= end);
        }
        let fed = |bytes: &[u8]| {
            let mut terminal =
                Terminal::new(there.welcome.size, HistoryLimit { lines: 100_000, bytes: 64 << 20 });
            terminal.feed(bytes);
            terminal
        };
        let whole = fed(&stream).describe();
        for (who, watcher) in [("there", &there), ("late", &late), ("back", &back)] {
            // Some states no sequence brings another terminal to; docs/terminal.md names them.
            let reachable = fed(&stream[..watcher.drawn_at - Offset(0)]).out_of_reach().is_none();
            if reachable {
                assert_eq!(watcher.terminal.describe(), whole, "round {round}, {who}, cut at {cut}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 30, "{compared} of 36 could be compared");
}

#[test]
fn a_viewer_gets_both_forms_of_a_snapshot() {
    let house = House::new();
    let worker = house.script("for i in 1 2 3 4 5 6 7 8; do echo line $i; done; read x");
    let small = Some(TermSize::clamped(20, 4));
    let mut full = Watcher::attach(&worker, Attach { read_only: false, size: small, ..watching() });
    full.wait_for("line 8");
    full.wait_until("history", |watcher| watcher.terminal.text(100).contains("line 1"));
    let mut screen = Watcher::attach(&worker, Attach { form: Form::Screen, ..watching() });
    screen.wait_for("line 8");
    assert!(screen.snapshot.windows(8).any(|bytes| bytes == b"\x1b[?1049h"), "drawn on the alternate screen");
    assert!(!screen.terminal.text(100).contains("line 1"), "without history");
}

#[test]
fn s9_a_read_only_viewer_sends_nothing_to_the_child() {
    let house = House::new();
    let worker = house.script("stty -echo; echo ready; cat");
    let mut watcher =
        Watcher::attach(&worker, Attach { size: Some(TermSize::clamped(33, 11)), ..watching() });
    watcher.wait_for("ready");
    watcher.send(b"evil\r");
    watcher.say(&ViewerMessage::Resize(TermSize::clamped(44, 12)));
    watcher.say(&ViewerMessage::Kill(15));
    watcher.say(&ViewerMessage::Shutdown);
    watcher.say(&ViewerMessage::Lease);
    watcher.say(&ViewerMessage::Focus);
    watcher.catch_up();
    let refused = |message: &&HostMessage| {
        matches!(message, HostMessage::Refused(Refused { code: Refusal::ReadOnly, .. }))
    };
    assert_eq!(watcher.messages.iter().filter(refused).count(), 4, "{:?}", watcher.messages);
    worker.send(b"good\r");
    watcher.wait_for("good");
    assert!(!watcher.terminal.text(100).contains("evil"));
    assert_eq!(size_of(&worker), TermSize::clamped(120, 40));
}

#[test]
fn the_latest_viewer_owns_the_size_and_the_others_are_told() {
    let house = House::new();
    let worker = house.script("trap 'stty size' WINCH; echo ready; while :; do sleep 1000 & wait; done");
    Watcher::watch(&worker).wait_for("ready");
    let mut one = Watcher::at_keyboard(&worker, 80, 24);
    one.wait_for("24 80");
    let mut two = Watcher::at_keyboard(&worker, 60, 20);
    two.wait_for("20 60");
    one.wait_until("its screen in the other's size", |one| one.terminal.size() == TermSize::clamped(60, 20));
    one.wait_for("20 60");
    one.send(b"\r");
    two.wait_until("its screen in the other's size", |two| two.terminal.size() == TermSize::clamped(80, 24));
    // The host may not have noticed yet that the first watcher has left.
    wait_until("the first of two viewers owns the size", || {
        let viewers = worker.status().viewers;
        let owners: Vec<bool> = viewers.iter().map(|viewer| viewer.owns_size).collect();
        if owners == [true, false] { Ok(()) } else { Err(viewers) }
    });
    two.say(&ViewerMessage::Focus);
    one.wait_until("the size of who took focus", |one| one.terminal.size() == TermSize::clamped(60, 20));
    // The owner vanishes, and the remaining viewer owns the size.
    drop(two);
    one.wait_until("its own size again", |one| one.terminal.size() == TermSize::clamped(80, 24));
}

#[test]
fn the_smallest_policy_follows_all_viewers_and_the_fixed_one_none() {
    let house = House::new();
    let worker = house.worker_with(&["--size-policy", "smallest"], &["cat"]);
    let mut one = Watcher::at_keyboard(&worker, 80, 40);
    let two = Watcher::at_keyboard(&worker, 100, 24);
    one.wait_until("the smallest of both", |one| one.terminal.size() == TermSize::clamped(80, 24));
    drop(two);
    one.wait_until("its own", |one| one.terminal.size() == TermSize::clamped(80, 40));

    let worker = house.worker_with(&["--size-policy", "fixed", "--size", "70x20"], &["cat"]);
    let mut one = Watcher::at_keyboard(&worker, 80, 40);
    one.wait_for_snapshot();
    one.send(b"x");
    one.say(&ViewerMessage::Resize(TermSize::clamped(90, 30)));
    one.catch_up();
    assert_eq!(size_of(&worker), TermSize::clamped(70, 20));
}

#[test]
fn v7_of_a_storm_of_sizes_the_last_wins() {
    let house = House::new();
    let worker = house.worker(&["cat"]);
    let mut watchers = [Watcher::at_keyboard(&worker, 80, 24), Watcher::at_keyboard(&worker, 90, 30)];
    for n in 0..500 {
        watchers[1].say(&ViewerMessage::Resize(TermSize::clamped(40 + n % 100, 10 + n % 50)));
    }
    watchers[1].say(&ViewerMessage::Resize(TermSize::clamped(77, 22)));
    watchers[1].send(b"done\r");
    for watcher in &mut watchers {
        watcher.wait_until("the last size", |watcher| {
            watcher.terminal.size() == TermSize::clamped(77, 22) && watcher.terminal.text(0).contains("done")
        });
    }
    assert_eq!(size_of(&worker), TermSize::clamped(77, 22));
}

#[test]
fn viewers_are_listed_and_viewers_with_events_hear_of_changes() {
    let house = House::new();
    let worker = house.script("while read x; do printf '\\033]2;%s\\007\\007' \"$x\"; done");
    let mut curious = Watcher::attach(&worker, Attach { events: true, name: "curious".into(), ..watching() });
    let other = Watcher::attach(&worker, Attach { name: "other".into(), ..watching() });
    let sees = |watcher: &Watcher, count: usize| {
        watcher
            .messages
            .iter()
            .any(|message| matches!(message, HostMessage::Viewers(viewers) if viewers.viewers.len() == count))
    };
    curious.wait_until("both", |watcher| sees(watcher, 2));
    let names: Vec<String> = worker.status().viewers.into_iter().map(|viewer| viewer.name).collect();
    assert_eq!(names, ["curious", "other"]);
    curious.messages.clear();
    drop(other);
    curious.wait_until("itself alone", |watcher| sees(watcher, 1));
    worker.send(b"a title\r");
    curious.wait_until("the title and the bell", |watcher| {
        let title = protocol::SignalMessage::Title { text: "a title".into() };
        let told = |signal| watcher.messages.contains(&HostMessage::Signal(signal));
        told(title) && told(protocol::SignalMessage::Bell)
    });
    assert_eq!(worker.status().program.title, "a title");
}

#[test]
fn a_quiet_viewer_gets_events_and_no_output() {
    let house = House::new();
    let worker = house.script("while read x; do printf '\\033]2;%s\\007much output' \"$x\"; done; exit 3");
    let quiet = Attach { events: true, quiet: true, ..watching() };
    let mut listener = Watcher::attach(&worker, quiet);
    let mut other = Watcher::watch(&worker);
    assert_eq!(worker.status().viewers.len(), 1, "a listener is no viewer");
    worker.send(b"a title\r");
    other.wait_for("much output");
    listener.wait_until("the title", |watcher| {
        let title = protocol::SignalMessage::Title { text: "a title".into() };
        watcher.messages.contains(&HostMessage::Signal(title))
    });
    // It hears of the next things after its host became another program, too.
    house.output(["upgrade", "--force", worker.dir.id().as_str()]);
    listener.say(&ViewerMessage::Redraw);
    listener.say(&ViewerMessage::Input(b"typed by a listener\r".to_vec()));
    worker.send(b"\x04");
    assert_eq!(listener.wait_for_exit().status, ExitStatus::Exited { code: 3 });
    assert_eq!((listener.snapshots, listener.output.len()), (0, 0), "it was shown something");
    assert!(!other.terminal.text(0).contains("listener"));
}

#[test]
fn v1_a_stalled_viewer_is_bounded_and_the_others_get_every_byte() {
    let house = House::new();
    // Numbered lines, two megabytes of them. The next part comes when the viewers that read have the part before:
    // otherwise it would depend on the load of the machine whether they keep up.
    let script = "stty -echo; echo ready; for i in $(seq 0 39); do read x; seq $((i*8000+1)) $((i*8000+8000)); done; \
        read x; echo the end; read x";
    let worker = house.script(script);
    let mut stalled = Watcher::watch(&worker);
    stalled.wait_for("ready");
    let mut others: Vec<Watcher> = (0..9).map(|_| Watcher::watch(&worker)).collect();
    others.iter_mut().for_each(|watcher| watcher.wait_for("ready"));
    let before = others[0].at;
    let mut expected = Vec::new();
    for part in 0..40 {
        expected.extend((part * 8000 + 1..=part * 8000 + 8000).flat_map(|n| format!("{n}\r\n").into_bytes()));
        worker.send(b"\r");
        for watcher in &mut others {
            watcher.wait_until("this part", |watcher| watcher.at >= before + expected.len());
        }
    }
    worker.send(b"\r");
    expected.extend(b"the end\r\n");
    for watcher in &mut others {
        watcher.wait_for("the end");
        assert_eq!(watcher.snapshots, 1, "never behind");
        assert!(watcher.output.ends_with(&expected), "every byte");
    }
    let report = worker.status().viewers.into_iter().next().expect("the stalled one");
    assert!(report.behind_bytes <= 2 << 20, "{report:?}");
    // When it reads again, it gets the screen as it is.
    stalled.wait_for("the end");
    assert!(stalled.snapshots > 1, "replaced by a snapshot");
    assert_eq!(stalled.terminal.text(0), others[0].terminal.text(0));
}

#[test]
fn v5_many_viewers_at_once_see_the_same_screen() {
    let house = House::new();
    let worker = house.script("echo hello; read x; echo bye; read x");
    let mut watchers: Vec<Watcher> = (0..200).map(|_| Watcher::watch(&worker)).collect();
    for watcher in &mut watchers {
        watcher.wait_for("hello");
    }
    worker.send(b"\r");
    for watcher in &mut watchers {
        watcher.wait_for("bye");
    }
    assert_eq!(worker.status().viewers.len(), 200);
    drop(watchers);
    wait_for("an empty room", || worker.status().viewers.is_empty().then_some(()));
}

#[test]
fn a_viewer_that_acknowledges_is_not_sent_more_than_a_window() {
    let house = House::new();
    let worker = house.script(&format!("read x; ({COUNTING}) | head -c 3000000; echo; echo the end; read x"));
    let mut watcher = Watcher::attach(&worker, Attach { ack: true, ..watching() });
    watcher.wait_for_snapshot();
    worker.send(b"\r");
    wait_for("the end of the flood", || (worker.status().offset > Offset(3_000_000)).then_some(()));
    // Without a word from it, it gets a window's worth and no more.
    watcher.catch_up();
    assert!(watcher.output.len() <= 600_000, "{} bytes", watcher.output.len());
    let deadline = std::time::Instant::now() + testkit::WAIT;
    while !watcher.terminal.text(100).contains("the end") {
        watcher.say(&ViewerMessage::Ack(watcher.at));
        watcher.step(Duration::from_millis(500));
        assert!(std::time::Instant::now() < deadline, "{}", watcher.terminal.text(50));
    }
    assert!(watcher.snapshots >= 2, "it came back by a snapshot");
}

#[test]
fn v8_messages_of_two_typists_stay_whole() {
    let house = House::new();
    let worker = house.script("stty raw -echo; echo ready; head -c 80000 > typed; echo done; read x");
    let mut watcher = Watcher::watch(&worker);
    watcher.wait_for("ready");
    std::thread::scope(|scope| {
        for letter in [b'a', b'b'] {
            let worker = &worker;
            scope.spawn(move || {
                let mut connection = worker.connect();
                for _ in 0..400 {
                    let message = ViewerMessage::Input(vec![letter; 100]);
                    connection.send(&message).expect("the host listens");
                }
            });
        }
    });
    watcher.wait_for("done");
    let typed = std::fs::read(house.path().join("typed")).unwrap();
    assert_eq!(typed.len(), 80_000);
    for message in typed.chunks(100) {
        assert!(message.iter().all(|letter| *letter == message[0]), "a message was cut in two");
    }
}

#[test]
fn c7_input_that_the_child_does_not_read_is_refused() {
    let house = House::new();
    let worker = house.script("stty raw -echo; echo ready; sleep 1000");
    Watcher::watch(&worker).wait_for("ready");
    let mut connection = worker.connect();
    let refused = (0..40).any(|_| {
        connection.send(&ViewerMessage::Input(vec![b'x'; 60_000])).expect("the host listens");
        connection.send(&ViewerMessage::Ping(1)).expect("the host listens");
        match receive(&mut connection) {
            HostMessage::Pong(1) => false,
            HostMessage::Refused(Refused { code: Refusal::InputFull, .. }) => {
                assert_eq!(receive(&mut connection), HostMessage::Pong(1));
                true
            }
            other => panic!("{other:?}"),
        }
    });
    assert!(refused, "a child that never reads is not fed for ever");
    assert!(worker.status().offset > Offset(0), "output goes on");
}

#[test]
fn v3_broken_and_huge_frames_end_that_connection_alone() {
    let house = House::new();
    let worker = house.script("echo hello; read x");
    let mut watcher = Watcher::watch(&worker);
    watcher.wait_for("hello");
    for bytes in [&b"\x10\xff\xff\xff\xff"[..], b"\x13\x04\x00\x00\x00nope", b"\x11\x01\x00\x00\x00x"] {
        use std::io::{Read, Write};
        let mut stream = viewer::connect(&worker.dir.socket()).expect("the host listens");
        stream.write_all(bytes).unwrap();
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).expect("closed");
        assert_eq!(rest.first(), Some(&0x08), "told why: {rest:?}");
    }
    // Unknown types are skipped by their length.
    let mut connection = worker.connect();
    let mut stream = viewer::connect(&worker.dir.socket()).expect("the host listens");
    std::io::Write::write_all(&mut stream, b"\x7f\x03\x00\x00\x00abc\x17\x0b\x00\x00\x00{\"token\":5}")
        .unwrap();
    let mut answered = viewer::Connection::from_stream(stream);
    assert_eq!(receive(&mut answered), HostMessage::Pong(5));
    connection.send(&ViewerMessage::Ping(3)).unwrap();
    assert_eq!(receive(&mut connection), HostMessage::Pong(3));
    watcher.catch_up();
}

#[test]
fn s11_a_workers_files_are_the_users_alone() {
    use std::os::unix::fs::MetadataExt;
    let house = House::new();
    let worker = house.script("umask 0; echo hello; read x");
    Watcher::watch(&worker).wait_for("hello");
    wait_for("the recording", || (!worker.recorded().is_empty()).then_some(()));
    let mode = |path: &std::path::Path| std::fs::symlink_metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(worker.dir.path()), 0o700);
    for entry in std::fs::read_dir(worker.dir.path())
        .unwrap()
        .chain(std::fs::read_dir(worker.dir.recording()).unwrap())
    {
        let path = entry.unwrap().path();
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), expected, "{}", path.display());
    }
}

#[test]
fn s42_the_audit_record_says_who_did_what() {
    let house = House::new();
    let worker = house.script("trap : USR1; while :; do read x; done");
    let mut typist = Watcher::attach(&worker, Attach { read_only: false, name: "ann".into(), ..watching() });
    typist.send(b"secret\r");
    typist.say(&ViewerMessage::Kill(10));
    typist.catch_up();
    drop(typist);
    let pid = std::process::id();
    wait_for("the record", || {
        let log = std::fs::read_to_string(worker.dir.log()).unwrap_or_default();
        assert!(!log.contains("secret"), "typed bytes are not on record");
        let who = format!("(ann, process {pid})");
        let lines = ["attached to type", "sent signal 10", "left after typing 7 bytes"];
        lines.iter().all(|line| log.contains(&format!("{who} {line}"))).then_some(())
    });
}

#[test]
fn s12_answers_that_a_viewer_does_not_read_take_bounded_memory() {
    let house = House::new();
    let worker = house.script("echo hello; read x");
    let pid = worker.status().host_pid;
    let stream = viewer::connect(&worker.dir.socket()).expect("the host listens");
    stream.set_nonblocking(true).unwrap();
    let questions = ViewerMessage::Status.to_bytes().repeat(10_000);
    let mut asked = 0;
    // As many questions as the host takes while no answer is read.
    while let Ok(sent) = std::io::Write::write(&mut &stream, &questions) {
        asked += sent;
        Watcher::watch(&worker).wait_for("hello");
    }
    let kilobytes = testkit::resident_kb(pid);
    assert!(kilobytes < 32 << 10, "{asked} bytes of questions made it {kilobytes} kB large");
}

#[test]
fn other_viewers_hear_of_a_viewer_that_comes_back() {
    let house = House::new();
    let worker = house.script("echo hello; read x");
    let mut curious = Watcher::attach(&worker, Attach { events: true, ..watching() });
    curious.wait_for("hello");
    curious.messages.clear();
    let since = Some(curious.at);
    let back = Watcher::attach(&worker, Attach { epoch: Some(curious.welcome.epoch), since, ..watching() });
    curious.wait_until("both", |watcher| {
        let is_two =
            |message: &HostMessage| matches!(message, HostMessage::Viewers(all) if all.viewers.len() == 2);
        watcher.messages.iter().any(is_two)
    });
    drop(back);
}

#[test]
fn p6_a_stopped_host_is_not_answering_and_not_dead() {
    let house = House::new();
    let worker = house.script("read x");
    let pid = worker.status().host_pid;
    signal(pid, Signal::STOP);
    let listed = house.output(["ls"]);
    signal(pid, Signal::CONT);
    assert!(listed.contains("not answering"), "{listed}");
    wait_for("an answer", || viewer::status(&worker.dir.socket()).ok());
    assert!(house.output(["ls"]).contains("live"));
}

#[test]
fn s19_viewers_that_come_and_go_do_not_fill_the_hosts_log() {
    let house = House::new();
    let worker = house.script("read x");
    for _ in 0..400 {
        viewer::attach(&worker.dir.socket(), watching()).expect("a host");
    }
    let log = std::fs::read_to_string(worker.dir.log()).expect("a log");
    let lines = log.lines().filter(|line| line.contains(" attached ") || line.contains(" left ")).count();
    assert!((64..192).contains(&lines), "{lines} lines:\n{log}");
}
