//! `abide replay`

use model::TermSize;
use protocol::ViewerMessage;
use recording::{BlockKind, Recording};
use rustix::process::Signal;
use terminal::{HistoryLimit, Terminal};
use testkit::Watcher;

use crate::attach::Desk;
use crate::house::{House, Worker, signal, wait_for};

/// A shell of a kind: two commands with their marks, a line of input between all that happens, and an exit. It asks its
/// terminal what it is, writes to its clipboard, and prints a lot of which nothing is seen.
const STORY: &str = r#"stty -echo
    printf '\033]133;A\007$ \033]133;B\007make all\n\033]133;C\007alpha \033[c\033]52;c;aGVsbG8=\007\n'; read x
    printf '\033[1;31mbeta\033[m\n\033]133;D;0\007'; read x
    stty size; read x
    printf '$ \033]133;C\007\033[?1h\033[?2004h\033[?1000hgamma\n\033]133;D;1\007'; read x
    printf '\033[m%.0s' $(seq 1 1000); seq 1 100; printf 'the end'; exit 3"#;

/// Runs the story to its end. It waits at each stop until the output is recorded, so that each step has its own block.
fn story(house: &House) -> Worker {
    let worker = house.worker_with(&["--name", "story", "--size", "60x12"], &["sh", "-c", STORY]);
    let mut watcher = Watcher::at_keyboard(&worker, 60, 12);
    let recorded = |text: &str| {
        wait_for(text, || String::from_utf8_lossy(&worker.recorded()).contains(text).then_some(()));
    };
    watcher.wait_for("alpha");
    recorded("alpha");
    watcher.send(b"\n");
    watcher.wait_for("beta");
    recorded("beta");
    for rows in [2, 14] {
        let size = TermSize::clamped(70, rows);
        watcher.say(&ViewerMessage::Resize(size));
        watcher.wait_until("the new size", |watcher| watcher.terminal.size() == size);
    }
    watcher.send(b"\n");
    watcher.wait_for("14 70");
    recorded("14 70");
    watcher.send(b"\n");
    watcher.wait_for("gamma");
    recorded("gamma");
    watcher.send(b"\n");
    worker.wait_for_exit();
    // The sealing process renames the files, so we wait for it.
    wait_for("a sealed recording", || {
        let files = std::fs::read_dir(worker.dir.recording()).ok()?;
        let mut names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
        names.all(|name| name.ends_with(".sealed")).then_some(())
    });
    worker
}

/// A window in which the story is replayed and has been paused at its beginning.
fn replayed(house: &House, size: (u16, u16), options: &[&str]) -> Desk {
    let mut desk = Desk::with(house, size, &[&["replay", "story"], options].concat());
    desk.wait_until("a replay", Terminal::on_alternate_screen);
    desk.wait_until("the status line", |screen| status(screen).contains("/0:"));
    desk
}

/// What the window shows above the status line, without what is blank at the end.
fn shown(screen: &Terminal) -> String {
    let text = rows(screen);
    text[..text.len() - 1].join("\n").trim_end().to_owned()
}

/// The status line.
fn status(screen: &Terminal) -> String {
    rows(screen).pop().unwrap_or_default()
}

/// What a terminal of a worker shows, without what is blank at the end.
fn text(terminal: &Terminal) -> String {
    rows(terminal).join("\n").trim_end().to_owned()
}

fn rows(screen: &Terminal) -> Vec<String> {
    screen.rows().map(|row| row.text().trim_end().to_owned()).collect()
}

/// Presses keys, and looks until the status line says this.
fn press(desk: &mut Desk, keys: &[u8], words: &str) {
    desk.send(keys);
    desk.wait_until(words, |screen| status(screen).contains(words));
}

/// Goes to the end, where it pauses, and back to the beginning, from which it does not play on. Marks up to the exit are
/// known by then.
fn rewind(desk: &mut Desk) {
    press(desk, b"G", "the end: exited 3");
    desk.send(b"g");
    desk.wait_until("the beginning", |screen| {
        let status = status(screen);
        status.contains("⏸ 0:00/") && !status.contains("the end") && status.contains("┼  ")
    });
}

#[test]
fn the_end_shows_the_last_screen_and_the_exit() {
    let house = House::new();
    story(&house);
    let mut desk = replayed(&house, (80, 24), &[]);
    press(&mut desk, b"\x1b[F", "the end: exited 3");
    let expected = house.output(["screen", "story"]);
    desk.wait_until("the last screen", |screen| shown(screen) == expected.trim_end());
    assert!(status(&desk.screen).contains('⏸'), "{}", status(&desk.screen));
    assert_eq!(String::from_utf8_lossy(&desk.answers), "", "the person's terminal was asked nothing");
    let printed = desk.printed();
    assert!(!printed.windows(4).any(|part| part == b"\x1b]52"), "nothing goes to the clipboard");
    assert!(!desk.screen.modes().application_cursor, "keys are ours");
}

#[test]
fn a_fast_replay_plays_everything_by_itself() {
    let house = House::new();
    story(&house);
    let mut desk = replayed(&house, (80, 24), &["--speed", "1000"]);
    desk.wait_until("the end", |screen| status(screen).contains("the end: exited 3"));
    assert_eq!(shown(&desk.screen), house.output(["screen", "story"]).trim_end());
}

#[test]
fn marks_lead_to_commands_and_sizes_and_the_exit_and_back() {
    let house = House::new();
    story(&house);
    let mut desk = replayed(&house, (100, 24), &[]);
    rewind(&mut desk);
    press(&mut desk, b"]", "$ make all → exit 0");
    desk.wait_until("the screen before its output", |screen| shown(screen) == "$ make all");
    press(&mut desk, b"]", "resized to 70×2");
    desk.wait_until("the two rows then", |screen| shown(screen) == "beta");
    press(&mut desk, b"]", "resized to 70×14");
    desk.wait_until("all that came back", |screen| shown(screen) == "$ make all\nalpha\nbeta");
    press(&mut desk, b"]", "→ exit 1");
    desk.wait_until("the screen then", |screen| shown(screen) == "$ make all\nalpha\nbeta\n14 70\n$");
    press(&mut desk, b"]", "the end: exited 3");
    press(&mut desk, b"]", "no mark after this");
    press(&mut desk, b"[", "→ exit 1");
    press(&mut desk, b"[", "resized to 70×14");
    press(&mut desk, b"[", "resized to 70×2");
    press(&mut desk, b"[", "$ make all → exit 0");
    desk.wait_until("the screen again", |screen| shown(screen) == "$ make all");
    press(&mut desk, b"[", "no mark before this");
}

#[test]
fn single_steps_go_forward_and_back() {
    let house = House::new();
    let worker = story(&house);
    let mut desk = replayed(&house, (100, 24), &[]);
    rewind(&mut desk);
    // How the story was cut into outputs is up to the machine's load, so the recording says what steps there are.
    let recording = Recording::open(&worker.dir.recording()).unwrap();
    let mut model =
        Terminal::new(recording.segments()[0].head.size, HistoryLimit { lines: 1000, bytes: 1 << 20 });
    let mut before_outputs = Vec::new();
    for block in recording.blocks() {
        match block.kind {
            BlockKind::Snapshot(bytes) => {
                model.feed(&bytes);
                continue;
            }
            BlockKind::Output(bytes) => {
                before_outputs.push(text(&model));
                model.feed(&bytes);
            }
            BlockKind::Resize(size) => model.resize(size),
            BlockKind::Exit(_) => {}
            BlockKind::Gap { .. } | BlockKind::Epoch(_) => panic!("the story has no such thing"),
        }
        let expected = text(&model);
        desk.send(b".");
        desk.wait_until(&expected, |screen| shown(screen) == expected);
    }
    assert!(before_outputs.len() >= 5, "{before_outputs:?}");
    press(&mut desk, b".", "the end: exited 3");
    for expected in before_outputs.into_iter().rev() {
        desk.send(b",");
        desk.wait_until(&expected, |screen| shown(screen) == expected);
    }
}

#[test]
fn searching_leads_to_where_a_text_appears() {
    let house = House::new();
    story(&house);
    let mut desk = replayed(&house, (100, 24), &[]);
    rewind(&mut desk);
    desk.send(b"/b[e]ta");
    desk.wait_until("the prompt", |screen| status(screen).starts_with("/b[e]ta"));
    desk.send(b"\r");
    desk.wait_until("the next match", |screen| shown(screen) == "$ make all\nalpha\nbeta");
    press(&mut desk, b"n", "no match in that direction");
    press(&mut desk, b"/^5[05]$\r", "⏸");
    desk.wait_until("the line that came", |screen| shown(screen).ends_with("\n49\n50"));
    desk.send(b"n");
    desk.wait_until("the next one", |screen| shown(screen).ends_with("\n54\n55"));
    desk.send(b"N");
    desk.wait_until("the one before", |screen| shown(screen).ends_with("\n49\n50"));
    press(&mut desk, b"N", "no match in that direction");
}

#[test]
fn a_window_that_is_too_small_shows_where_the_cursor_is_and_says_so() {
    let house = House::new();
    story(&house);
    let mut desk = replayed(&house, (120, 24), &[]);
    press(&mut desk, b"G", "the end: exited 3");
    desk.resize(120, 6);
    desk.wait_until("a part of it", |screen| {
        let text = rows(screen);
        text.len() == 6 && text[3..5] == ["100", "the end"] && status(screen).contains("70×14")
    });
    desk.resize(30, 20);
    desk.wait_until("all of it", |screen| shown(screen).starts_with("88\n") && status(screen).contains("⏸"));
}

#[test]
fn a_key_shows_the_help() {
    let house = House::new();
    story(&house);
    let mut desk = replayed(&house, (80, 24), &[]);
    rewind(&mut desk);
    desk.send(b"?");
    desk.wait_for("the previous mark, the next mark");
    desk.send(b"?");
    desk.wait_until("the screen", |screen| !screen.text(0).contains("the next mark"));
}

#[test]
fn a_moment_to_begin_at_is_a_moment_of_the_recording() {
    let house = House::new();
    story(&house);
    let mut desk = replayed(&house, (100, 24), &["--from", "+1h"]);
    desk.wait_until("the end", |screen| status(screen).contains("the end: exited 3"));
    desk.send(b"q");
    assert_eq!(desk.wait_for_end(), 0);
    let mut desk = replayed(&house, (100, 24), &["--from", "1h", "--speed", "0.1"]);
    desk.wait_until("the beginning", |screen| status(screen).contains("▶ 0:00/"));
}

#[test]
fn the_terminal_is_given_back_at_every_kind_of_end() {
    let house = House::new();
    story(&house);
    let ways: [&dyn Fn(&mut Desk); 5] = [
        &|desk| desk.send(b"q"),
        &|desk| desk.send(b"\x1b"),
        &|desk| desk.send(b"\x03"),
        &|desk| signal(desk.abide(), Signal::TERM),
        &|desk| signal(desk.abide(), Signal::HUP),
    ];
    for end in ways {
        let mut desk = replayed(&house, (80, 24), &[]);
        rewind(&mut desk);
        assert!(!desk.has_its_settings(), "keys come as they are typed");
        end(&mut desk);
        assert_eq!(desk.wait_for_end(), 0, "{}", desk.screen.text(0));
        assert_eq!(desk.screen.text(0), "$ abide\n[ended 0]\n");
        assert!(!desk.screen.on_alternate_screen() && desk.screen.cursor().visible);
        wait_for("the terminal's settings", || desk.has_its_settings().then_some(()));
    }
}

#[test]
fn a_replay_of_a_live_worker_ends_at_its_newest_output() {
    let house = House::new();
    let worker =
        house.worker_with(&["--name", "story", "--size", "60x12"], &["sh", "-c", "echo so far; read x"]);
    Watcher::watch(&worker).wait_for("so far");
    wait_for("the recording", || worker.recorded().starts_with(b"so far").then_some(()));
    let mut desk = replayed(&house, (100, 24), &[]);
    press(&mut desk, b"G", "abide attach story");
    desk.wait_until("its screen", |screen| shown(screen) == "so far");
}

#[test]
fn a_replay_says_where_output_is_missing() {
    let house = House::with_keeper();
    let script = "stty -echo; echo one; read x; echo two; read x";
    let worker = house.worker_with(&["--name", "story", "--size", "60x12"], &["sh", "-c", script]);
    wait_for("the recording", || worker.recorded().ends_with(b"one\r\n").then_some(()));
    worker.wait_for_lease();
    worker.kill_host();
    wait_for("another host", || viewer::status(&worker.dir.socket()).ok());
    worker.send(b"\n");
    Watcher::watch(&worker).wait_for("two");
    wait_for("the recording", || worker.recorded().ends_with(b"two\r\n").then_some(()));
    let mut desk = replayed(&house, (100, 24), &[]);
    press(&mut desk, b"G", "behind a gap: so far");
    // In a fast run the gap is so close to the end that the head is on its mark.
    desk.wait_until("its mark", |screen| status(screen).contains(['╋', '◉']));
    press(&mut desk, b"[", "a gap: output is missing");
    desk.wait_until("the output before the gap", |screen| shown(screen) == "one");
}

#[test]
fn a_replay_without_a_terminal_without_a_recording_or_with_a_bad_speed_is_refused() {
    let house = House::new();
    let worker = story(&house);
    let words = house.refused(&["replay", "story"], 2);
    assert!(words.contains("`abide logs story`") && words.contains("`abide export story`"), "{words}");
    for speed in ["0", "0.01", "1001", "fast", "NaN"] {
        let output = house.run(["replay", "story", "--speed", speed]);
        assert_eq!(output.status.code(), Some(2), "{speed}");
    }
    assert!(house.refused(&["replay", "nobody"], 125).contains("there is no worker `nobody`"));
    std::fs::remove_dir_all(worker.dir.recording()).unwrap();
    let mut desk = Desk::with(&house, (80, 24), &["replay", "story"]);
    assert_eq!(desk.wait_for_end(), 1);
    assert!(
        desk.screen.text(0).contains("error: worker `story` has no recording"),
        "{}",
        desk.screen.text(0)
    );
}
