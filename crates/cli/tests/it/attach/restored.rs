//! `abide` gives the person's terminal back as it was, after every kind of end.

use model::TermSize;
use rustix::process::Signal;
use terminal::{HistoryLimit, Terminal};

use crate::attach::desk::{DETACH, Desk, children, rows};
use crate::house::{House, Worker, signal, wait_for};

const SIZE: (u16, u16) = (80, 24);

/// A child that turns everything on that a terminal has, and then waits for a line.
const EVERYTHING: &str = r"printf '\033[?1049h\033[?25l\033[?1000;1006;1004;2004;2027h\033[>31u\033[>4;2m\033[?1h\033=\033[5 q';
    printf '\033]2;a title\007\033]11;rgb:ff/00/00\007\033]4;1;rgb:00/ff/00\007\033]9;4;1;50\007\033(0\033[3;5r\033[?6h\033[4h\033[41;1m';
    printf 'ALL OF IT'; stty raw -echo; head -c 1 >/dev/null; exit 9";

/// What a terminal is apart from what it shows: all that must be as before.
fn state(terminal: &Terminal) -> String {
    let is_row = |line: &str| {
        let rest = line.strip_prefix("main ").or_else(|| line.strip_prefix("history "));
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    // A person does not see saved cursors, or that titles and colours were changed and changed back.
    let is_seen = |line: &&str| !is_row(line) && !line.starts_with("cursor ") && !line.contains(" saved ");
    let text = terminal.describe().replace("touched: true", "touched: false");
    text.lines().filter(is_seen).map(|line| format!("{line}\n")).collect()
}

/// A window that got these bytes and nothing else.
fn untouched(bytes: &[u8]) -> Terminal {
    let size = TermSize::clamped(SIZE.0, SIZE.1);
    let mut terminal = Terminal::new(size, HistoryLimit { lines: 1000, bytes: 1 << 20 });
    terminal.feed(bytes);
    terminal
}

/// Attaches a worker that turns everything on, lets something happen to it, and checks that the terminal is given back.
fn check(code: u8, words: &str, happens: impl FnOnce(&mut Desk, &Worker)) -> Desk {
    let house = House::new();
    let worker = house.worker_with(&["--name", "wild", "--size", "80x24"], &["sh", "-c", EVERYTHING]);
    let mut desk = Desk::attached(&house, SIZE, "wild");
    desk.wait_for("ALL OF IT");
    desk.wait_until("its modes", |screen| {
        screen.modes().application_keypad && screen.modes().focus_events && screen.keyboard_flags() == 31
    });
    assert!(!desk.has_its_settings(), "keys come as they are typed");
    happens(&mut desk, &worker);
    assert_eq!(desk.wait_for_end(), code, "{}", desk.screen.text(0));
    desk.wait_until("the person's own screen", |screen| !screen.on_alternate_screen());
    let text = desk.screen.text(0);
    assert!(text.starts_with("$ abide\n") && text.contains(words), "{text}");
    wait_for("the terminal's settings", || desk.has_its_settings().then_some(()));
    assert_eq!(state(&desk.screen), state(&untouched(b"")));
    assert_eq!(desk.screen.title(), "");
    assert_eq!(String::from_utf8_lossy(&desk.answers), "", "the person's terminal was asked nothing");
    desk
}

#[test]
fn a_terminal_is_given_back_on_detaching() {
    let desk = check(0, "[detached from wild]", |desk, _| desk.send(DETACH));
    let expected = untouched(b"$ abide\r\n[detached from wild]\r\n[ended 0]\r\n");
    assert_eq!(rows(&desk.screen), rows(&expected));
    assert_eq!(desk.screen.cursor(), expected.cursor());
}

#[test]
fn a_terminal_is_given_back_when_the_child_ends() {
    let desk = check(9, "[wild exited 9]", |desk, _| desk.send(b"x"));
    let expected = untouched(b"$ abide\r\n[wild exited 9]\r\n[ended 9]\r\n");
    assert_eq!(rows(&desk.screen), rows(&expected), "a full-screen program leaves nothing behind");
    assert_eq!(desk.screen.cursor(), expected.cursor());
}

#[test]
fn a_terminal_is_given_back_on_a_signal_to_leave() {
    for number in [Signal::TERM, Signal::HUP, Signal::INT] {
        check(0, "[detached from wild]", |desk, worker| {
            signal(desk.abide(), number);
            wait_for("no viewers", || worker.status().viewers.is_empty().then_some(()));
        });
    }
}

#[test]
fn a_terminal_is_given_back_even_when_we_are_killed() {
    check(128 + 9, "", |desk, worker| {
        // The guard is started after the first screen is shown.
        let abide = desk.abide();
        wait_for("the guard", || {
            let guard = |pid: &u32| {
                let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                line.windows(12).any(|part| part == b"attach-guard")
            };
            children(abide).iter().any(guard).then_some(())
        });
        signal(abide, Signal::KILL);
        wait_for("no viewers", || worker.status().viewers.is_empty().then_some(()));
    });
}

#[test]
fn a_terminal_is_given_back_when_the_host_is_lost() {
    let desk = check(125, "error: worker `wild` is lost", |_, worker| worker.kill_host());
    assert!(desk.screen.text(0).contains("hint: `abide logs wild`"), "{}", desk.screen.text(0));
}

#[test]
fn a_stopped_and_continued_attach_has_its_terminal_again() {
    let house = House::new();
    house.worker_with(&["--name", "calm", "--size", "80x24"], &["sh", "-c", "echo hello; cat"]);
    let mut desk = Desk::attached(&house, SIZE, "calm");
    desk.wait_for("hello");
    let abide = desk.abide();
    signal(abide, Signal::STOP);
    desk.use_otherwise();
    assert!(desk.has_its_settings() && !desk.screen.text(0).contains("hello"));
    signal(abide, Signal::CONT);
    desk.wait_for("hello");
    assert!(!desk.has_its_settings(), "keys come as they are typed");
    desk.send(b"typed\r");
    desk.wait_for("typed");
    desk.detach();
}
