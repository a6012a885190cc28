//! Every door shows the host's own screen.

use std::time::Instant;

use terminal::Terminal;
use testkit::{WAIT, Watcher};

use super::{DOORS, Door, Seat, Stage};
use crate::house::wait_for;

/// Colours, wide and joined characters, tabs, a region that scrolls, a long line, a title, history; then it answers.
const SCENERY: &str = r#"
stty -echo
seq 1 200
printf '\033[1;31mred\033[m \033[7minverse\033[m 漢字かな e\314\201 👍\r\n\ttab\033[5C|\r\n'
printf '%0150d\r\n' 7
printf '\033]2;a title\007\033[6n\033[c\033[3;8r\033[8;1Hin the region\n\n\033[r\033[20;11Hhere'
while read x; do printf '<%s>\r\n' "$x"; done"#;

/// Whether two show the same.
fn same(seen: &Terminal, host: &Terminal) -> bool {
    seen.size() == host.size()
        && seen.text(100) == host.text(100)
        && seen.cursor() == host.cursor()
        && seen.on_alternate_screen() == host.on_alternate_screen()
}

/// Waits until every seat shows the host's screen, which is also the one that `abide screen` prints.
fn compare(stage: &Stage, seats: &mut [Seat]) {
    let host = stage.host();
    for seat in seats {
        let deadline = Instant::now() + WAIT;
        loop {
            seat.step();
            let mut watcher = Watcher::watch(&host);
            watcher.wait_for_snapshot();
            if same(&seat.terminal, &watcher.terminal) {
                break;
            }
            let (seen, there) = (look(&seat.terminal), look(&watcher.terminal));
            assert!(Instant::now() < deadline, "{:?} sees {seen}\nand the host has {there}", seat.door);
        }
        let printed = stage.house.output(["screen", &host.name]);
        assert_eq!(printed.trim_end(), seat.terminal.text(0).trim_end(), "{:?}", seat.door);
    }
}

fn look(terminal: &Terminal) -> String {
    format!("{:?} {:?}\n{}", terminal.size(), terminal.cursor(), terminal.text(100))
}

#[test]
fn o1_o2_every_dialect_shows_the_hosts_screen_and_the_keys_of_all_others() {
    let stage = Stage::new(SCENERY);
    let mut seats: Vec<Seat> = DOORS.map(|door| Seat::take(&stage, door)).into();
    for seat in &mut seats {
        seat.wait_for("here");
    }
    compare(&stage, &mut seats);
    // Each types once, and all see it.
    for typing in 0..seats.len() {
        let word = format!("typed through {:?}", seats[typing].door);
        seats[typing].keys(&format!("{word}\r"));
        for seat in &mut seats {
            seat.wait_for(&format!("<{word}>"));
        }
    }
    compare(&stage, &mut seats);
    // Who comes later sees the same.
    seats.extend(DOORS.map(|door| Seat::take(&stage, door)));
    compare(&stage, &mut seats);
    assert!(seats.iter().all(|seat| seat.socket.closed.is_none()));
}

#[test]
fn v9_s27_a_size_from_any_dialect_is_clamped_and_applies_to_all_viewers() {
    for door in DOORS {
        let stage = Stage::new(SCENERY);
        let others = DOORS.into_iter().filter(|other| *other != door);
        let mut seats: Vec<Seat> = others.map(|other| Seat::take(&stage, other)).collect();
        // The pipe has the size of the viewer that came last.
        seats.push(Seat::take(&stage, door));
        for seat in &mut seats {
            seat.wait_for("here");
        }
        compare(&stage, &mut seats);
        for (asked, got) in [((100, 30), (100, 30)), ((1, 65535), (2, 1000)), ((60, 20), (60, 20))] {
            // An emulator resizes itself before it asks the host. JSON and pipe are not told of a new size.
            let plain = |seat: &&mut Seat| matches!(seat.door, Door::Json | Door::Pipe);
            seats.iter_mut().filter(plain).for_each(|seat| seat.be(got.0, got.1));
            seats.last_mut().expect("a seat").resize(&stage.server, asked.0, asked.1);
            let host = stage.host();
            wait_for(&format!("{door:?}: the size {got:?}"), || {
                let size = host.status().size;
                ((size.cols(), size.rows()) == got).then_some(())
            });
            compare(&stage, &mut seats);
        }
    }
}

#[test]
fn a_full_screen_program_is_shown_and_left_again() {
    let script = r#"stty -echo; echo before; read x; printf '\033[?1049h\033[2J\033[5;5Hfull screen'; read x; printf '\033[?1049l'; echo after; read x"#;
    let stage = Stage::new(script);
    let mut seats: Vec<Seat> = DOORS.map(|door| Seat::take(&stage, door)).into();
    for seat in &mut seats {
        seat.wait_for("before");
    }
    stage.host().send(b"\r");
    for seat in &mut seats {
        seat.wait_for("full screen");
        assert!(seat.terminal.on_alternate_screen(), "{:?}", seat.door);
    }
    seats.extend(DOORS.map(|door| Seat::take(&stage, door)));
    compare(&stage, &mut seats);
    stage.host().send(b"\r");
    for seat in &mut seats {
        seat.wait_for("after");
        assert!(seat.terminal.text(100).contains("before"), "{:?}", seat.door);
    }
    compare(&stage, &mut seats);
}

#[test]
fn o5_a_character_that_comes_in_pieces_is_shown_whole() {
    let script = r#"stty -echo; printf 'a\346\274'; read x; printf '\242b'; read x; printf '\033[3'; read x; printf '1mred\033[m'; read x"#;
    let stage = Stage::new(script);
    let mut seats: Vec<Seat> = DOORS.map(|door| Seat::take(&stage, door)).into();
    for text in ["a", "漢b", "漢b", "漢bred"] {
        for seat in &mut seats {
            seat.wait_for(text);
        }
        // A viewer that comes in the middle of a character sees it whole as well.
        seats.extend(DOORS.map(|door| Seat::take(&stage, door)));
        stage.host().send(b"\r");
    }
    for seat in &seats {
        let text = String::from_utf8_lossy(&seat.shown);
        assert!(seat.door == Door::Frames || !text.contains('\u{fffd}'), "{:?}: {text:?}", seat.door);
        assert!(!seat.terminal.text(0).contains('\u{fffd}'), "{:?}", seat.door);
    }
}
