//! How sockets end, and what goes on without them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use model::ExitStatus;
use protocol::HostMessage;
use serde_json::json;

use super::{DOORS, Door, Seat, Stage};
use crate::house::{House, SetAtEnd, wait_for};
use crate::server::{Server, Socket};

const ECHO: &str = "stty -echo; echo ready; while read x; do echo \"<$x>\"; done";

fn seats(stage: &Stage) -> Vec<Seat> {
    let mut seats: Vec<Seat> = DOORS.map(|door| Seat::take(stage, door)).into();
    for seat in &mut seats {
        seat.wait_for("ready");
    }
    seats
}

/// Types through one, and waits until all have seen it.
fn all_see(seats: &mut [Seat], word: &str) {
    seats[0].keys(&format!("{word}\r"));
    for seat in seats {
        seat.wait_for(&format!("<{word}>"));
    }
}

fn open_sockets(server: &Server) -> usize {
    let text = server.get("/api/metrics").text;
    let line = text.lines().find_map(|line| line.strip_prefix("abide_open_sockets "));
    line.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{text}"))
}

#[test]
fn c4_the_exit_of_a_program_comes_after_all_its_output() {
    let stage = Stage::new("echo ready; read x; seq 1 2000; echo the last words; exit 7");
    let mut all = seats(&stage);
    stage.host().send(b"\r");
    for seat in &mut all {
        match seat.door {
            Door::Terminals => {
                let end = seat.wait_to_hear("session_closed");
                let expected = json!({"type": "session_closed", "workerId": stage.worker, "reason": "exited", "exitCode": 7});
                assert_eq!(end, expected);
                assert_eq!(seat.socket.closed, None, "others may be on it");
            }
            door => assert_eq!(seat.wait_for_close(), 1000, "{door:?}"),
        }
        assert!(seat.terminal.text(0).contains("the last words"), "{:?}", seat.door);
        match seat.door {
            Door::Frames => {
                let Some(HostMessage::Exited(exited)) = seat.heard.last() else { panic!("{:?}", seat.heard) };
                assert_eq!(exited.status, ExitStatus::Exited { code: 7 });
            }
            Door::Json => {
                assert_eq!(seat.wait_said("exit"), json!({"type": "exit", "exitCode": 7, "signal": null}));
            }
            Door::Pipe | Door::Terminals => {}
        }
    }
    // A viewer that comes later gets the exit as well.
    stage.host().wait_for_exit();
    for door in DOORS {
        let mut late = Seat::take_as(&stage, door, &stage.server.token).expect("it opens");
        match door {
            Door::Terminals => assert_eq!(late.wait_to_hear("session_closed")["exitCode"], 7),
            _ => assert_eq!(late.wait_for_close(), 1000, "{door:?}"),
        }
    }
}

#[test]
fn every_dialect_shows_the_output_of_a_program_that_has_ended() {
    let secret = format!("ghp_{}", "0123456789abcdefABCDEFghijklmnopqrst");
    let script = format!("echo ready; read x; seq 1 500; echo {secret}; echo the last words; exit 7");
    let stage = Stage::new(&script);
    let mut live = Seat::take(&stage, Door::Json);
    stage.host().send(b"\r");
    assert_eq!(live.wait_for_close(), 1000);
    stage.host().wait_for_exit();
    for door in [Door::Pipe, Door::Json, Door::Terminals] {
        let mut late = Seat::take_as(&stage, door, &stage.server.token).expect("it opens");
        late.be(120, 40);
        match door {
            Door::Terminals => {
                let end = late.wait_to_hear("session_closed");
                assert_eq!((&end["reason"], &end["exitCode"]), (&json!("exited"), &json!(7)));
                let back = late.wait_said("session_reattached");
                assert_eq!((&back["cols"], &back["rows"]), (&json!(120), &json!(40)));
            }
            door => assert_eq!(late.wait_for_close(), 1000, "{door:?}"),
        }
        if door == Door::Json {
            assert_eq!(late.wait_said("exit"), json!({"type": "exit", "exitCode": 7, "signal": null}));
        }
        let text = late.terminal.text(1000);
        let lines: Vec<&str> = text.lines().collect();
        let first = lines.iter().position(|line| *line == "1").expect("its history");
        assert_eq!(lines[first + 499], "500", "{door:?}");
        assert!(text.contains("the last words"), "{door:?}");
        assert!(!text.contains(&secret), "{door:?}: what leaves a recording is masked");
    }
}

#[test]
fn p3_after_a_host_was_killed_all_viewers_attach_again() {
    let stage = Stage::with(House::with_keeper(), &[], ECHO);
    stage.host().wait_for_lease();
    let mut all = seats(&stage);
    all_see(&mut all, "before");
    wait_for("the recording", || stage.host().recorded().ends_with(b"<before>\r\n").then_some(()));
    let ends: Vec<_> = all.iter().map(|seat| (seat.at, seat.epoch)).collect();
    stage.host().kill_host();
    for seat in &mut all {
        match seat.door {
            Door::Terminals => assert_eq!(seat.wait_to_hear("session_closed")["reason"], "host-gone"),
            door => assert_eq!(seat.wait_for_close(), 4001, "{door:?}"),
        }
    }
    wait_for("another host", || viewer::status(&stage.host().dir.socket()).ok());
    let mut again: Vec<Seat> = DOORS.map(|door| Seat::take(&stage, door)).into();
    for seat in &mut again {
        seat.wait_for("<before>");
    }
    all_see(&mut again, "after");
    assert!(again[0].epoch > ends[0].1, "another host is another epoch");
    // A viewer that resumes with an offset of the killed host gets a whole new screen instead of wrong output.
    let mut resumed = Seat::take_as(&stage, Door::Terminals, &stage.server.token).expect("it opens");
    resumed.wait_for("<after>");
    resumed.be(80, 24);
    resumed.reattach(ends[3].0, ends[3].1);
    resumed.wait_for("<after>");
    assert_eq!(resumed.terminal.text(0).matches("<before>").count(), 1);
}

#[test]
fn p5_a_host_is_upgraded_under_open_sockets() {
    let stage = Stage::new(ECHO);
    let mut all = seats(&stage);
    all_see(&mut all, "before");
    for round in 0..3 {
        stage.house.output(["upgrade", stage.worker.as_str()]);
        all_see(&mut all, &format!("after {round}"));
    }
    for seat in &all {
        assert_eq!(seat.socket.closed, None, "{:?}", seat.door);
        assert_eq!(seat.terminal.text(100).matches("<before>").count(), 1, "{:?}", seat.door);
    }
}

#[test]
fn p1_a_server_that_stops_says_so_to_every_socket_and_the_next_one_goes_on() {
    let stage = Stage::new(ECHO);
    let mut all = seats(&stage);
    all_see(&mut all, "before");
    let mut dashboard = Socket::open(&stage.server, "/ws/dashboard");
    dashboard.json();
    let has = (all[0].at, all[0].epoch);
    let Stage { server, house, task, worker } = stage;
    let stopping = std::thread::spawn(move || server.stop());
    for seat in &mut all {
        assert_eq!(seat.wait_for_close(), 1012, "{:?}", seat.door);
    }
    assert_eq!(dashboard.wait_for_close().0, 1012);
    stopping.join().expect("it stops");
    house.called(worker.as_str()).send(b"meanwhile\r");
    let server = Server::start(&house);
    let stage = Stage { server, house, task, worker };
    // With what it had it gets just what it missed.
    let mut back = Seat::take_as(&stage, Door::Frames, &stage.server.token);
    let seat = back.as_mut().expect("it opens");
    seat.wait_for("<meanwhile>");
    let mut missed = Socket::open(&stage.server, &Door::Frames.path(&stage));
    let attach = protocol::Attach { since: has.0, epoch: has.1, ..crate::house::watching() };
    missed.frame(&protocol::ViewerMessage::Attach(attach));
    let mut shown = Vec::new();
    wait_for("the missed output", || {
        match missed.host_message().expect("a message") {
            HostMessage::Output { bytes, .. } => shown.extend(bytes),
            HostMessage::Snapshot { .. } => panic!("it got a whole screen"),
            _ => {}
        }
        (shown == b"<meanwhile>\r\n").then_some(())
    });
}

#[test]
fn v2_a_viewer_that_answers_no_ping_is_closed_on_every_socket() {
    let quick = [("ABIDE_TERMINAL_PING_INTERVAL", "200ms"), ("ABIDE_TERMINAL_PONG_TIMEOUT", "5s")];
    let stage = Stage::with(House::new(), &quick, ECHO);
    let paths: Vec<String> =
        DOORS.iter().map(|door| door.path(&stage)).chain(["/ws/dashboard".into()]).collect();
    let mut awake = Seat::take(&stage, Door::Frames);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        // One that answers stays: it reads all the time, and so answers every ping at once.
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                awake.step();
            }
        });
        let _end = SetAtEnd(&is_over);
        let mut silent: Vec<Socket> = paths.iter().map(|path| Socket::open(&stage.server, path)).collect();
        wait_for("only the one that answers", || (open_sockets(&stage.server) == 1).then_some(()));
        for (path, socket) in paths.iter().zip(&mut silent) {
            assert_eq!(socket.wait_for_close().0, 4004, "{path}");
        }
    });
    awake.keys("still here\r");
    awake.wait_for("<still here>");
}

/// More than a message may have.
const TOO_LONG: usize = (1 << 20) + 17;

#[test]
fn v3_s12_a_malformed_or_too_long_message_closes_that_socket_only() {
    let stage = Stage::new(ECHO);
    let mut all = seats(&stage);
    let mut dashboard = Socket::open(&stage.server, "/ws/dashboard");
    dashboard.json();
    for door in DOORS {
        // A pipe takes everything for keys.
        if door != Door::Pipe {
            for text in ["", "no JSON", "{}", r#"{"type":"unheard"}"#, "[[[[", r#"{"type":"input"}"#] {
                let mut socket = Socket::open(&stage.server, &door.path(&stage));
                socket.text(text);
                assert_eq!(socket.wait_for_close().0, 1008, "{door:?}: {text}");
            }
            let mut socket = Socket::open(&stage.server, &door.path(&stage));
            socket.binary(b"hi".to_vec());
            assert_eq!(socket.wait_for_close().0, 1008, "{door:?}");
        }
        // Where pictures come, more is not yet too long.
        let expected = if door == Door::Json { 1008 } else { 1009 };
        let mut socket = Socket::open(&stage.server, &door.path(&stage));
        match expected {
            1008 => socket.binary(vec![b' '; TOO_LONG]),
            _ => socket.announce(TOO_LONG),
        }
        assert_eq!(socket.wait_for_close().0, expected, "{door:?}");
    }
    let mut long = Socket::open(&stage.server, "/ws/dashboard");
    long.announce(TOO_LONG);
    assert_eq!(long.wait_for_close().0, 1009);
    all_see(&mut all, "alive");
    assert_eq!(dashboard.closed, None);
    assert!(all.iter().all(|seat| seat.socket.closed.is_none()));
}

impl Seat {
    /// Something that was said already.
    fn wait_said(&self, kind: &str) -> serde_json::Value {
        let said = self.said.iter().find(|message| message["type"] == kind);
        said.unwrap_or_else(|| panic!("{kind} was not said: {:?}", self.said)).clone()
    }
}
