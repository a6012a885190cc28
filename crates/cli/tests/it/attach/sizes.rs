//! Windows of different sizes, and windows that change.

use model::TermSize;
use testkit::Watcher;

use crate::attach::desk::{Desk, looks};
use crate::house::House;

/// Says how large its terminal is, whenever that changes. It looks, and does not wait for a signal: a shell can miss a
/// signal that comes just before it reads.
const TELLING: &str = "echo ready; while :; do now=$(stty size); [ \"$now\" = \"$seen\" ] || echo \"$now\"; \
    seen=$now; sleep 0.05; done";

/// Fills every place of its terminal with what tells where it is, whenever the size changes.
const FILLING: &str = r#"
    fill() { printf '\033[H\033[2J'; i=1; while [ $i -le $1 ]; do
        printf '\033[%d;1Hrow %d of %d columns\033[%d;%dH%d' $i $i $2 $i $(($2 - 2)) $((100 + i)); i=$((i+1)); done;
        printf '\033[H'; }
    stty -echo; while :; do now=$(stty size); [ "$now" = "$seen" ] || fill $now; seen=$now; sleep 0.05; done"#;

#[test]
fn a_worker_follows_its_window() {
    let house = House::new();
    let worker = house.worker_with(&["--name", "telling"], &["sh", "-c", TELLING]);
    let mut watcher = Watcher::watch(&worker);
    let mut desk = Desk::attached(&house, (80, 24), "telling");
    desk.wait_for("24 80");
    for (cols, rows) in [(61, 17), (120, 50), (80, 24), (10, 3)] {
        desk.resize(cols, rows);
        let size = TermSize::clamped(cols, rows);
        watcher.wait_until("the window's size", |watcher| watcher.terminal.size() == size);
        desk.wait_for(&format!("{rows} {cols}"));
        desk.agrees_with(&mut watcher);
    }
    // A storm of sizes: the last one stays.
    for cols in 20..70 {
        desk.resize(cols, 20);
    }
    desk.wait_for("20 69");
    desk.agrees_with(&mut watcher);
    desk.detach();
}

/// Waits until a window shows the last row, and the cursor is back where it is put after that: what comes while a window
/// is being filled is not what this is about.
fn filled(desk: &mut Desk, last: &str) {
    desk.wait_until(last, |screen| {
        screen.text(0).contains(last) && (screen.cursor().col, screen.cursor().row) == (0, 0)
    });
}

#[test]
fn a_smaller_window_takes_the_size_and_the_larger_one_shows_the_whole_screen() {
    let house = House::new();
    let worker = house.worker_with(&["--name", "shared"], &["sh", "-c", FILLING]);
    let mut watcher = Watcher::watch(&worker);
    let mut large = Desk::attached(&house, (100, 30), "shared");
    filled(&mut large, "row 30 of 100");
    large.agrees_with(&mut watcher);

    let mut small = Desk::attached(&house, (60, 20), "shared");
    filled(&mut small, "row 20 of 60");
    small.agrees_with(&mut watcher);
    let smaller: Vec<String> =
        (1..=20).map(|row| format!("{:<57}{}", format!("row {row} of 60 columns"), 100 + row)).collect();
    large.wait_until("the whole smaller screen and nothing else, and the cursor where it is", |screen| {
        let is_filled = (screen.cursor().col, screen.cursor().row) == (0, 0);
        is_filled && screen.text(0).trim_end().lines().eq(&smaller)
    });

    // The viewer that types owns the size.
    large.send(b"\r");
    filled(&mut large, "row 30 of 100");
    large.agrees_with(&mut watcher);
    assert_eq!(worker.status().size, TermSize::clamped(100, 30));
    small.wait_until("the part of the larger screen where the cursor is", |screen| {
        let text = screen.text(0);
        let is_filled = (screen.cursor().col, screen.cursor().row) == (0, 0);
        is_filled
            && text.starts_with("row 1 of 100")
            && text.contains("row 20 of 100")
            && !text.contains("row 21")
    });
    small.send(b"\r");
    filled(&mut small, "row 20 of 60");
    small.agrees_with(&mut watcher);

    // The smaller window goes: the worker has the larger one's size again.
    small.detach();
    filled(&mut large, "row 30 of 100");
    large.agrees_with(&mut watcher);
    large.detach();
}

#[test]
fn keys_work_the_same_through_a_window_of_another_size() {
    let house = House::new();
    let script = r"stty raw -echo; printf '\033[?1h\033[?2004hready'; exec cat -v";
    let options = ["--name", "keys", "--size", "70x20", "--size-policy", "fixed"];
    let worker = house.worker_with(&options, &["sh", "-c", script]);
    let mut watcher = Watcher::watch(&worker);
    for size in [(70, 20), (90, 30)] {
        let mut desk = Desk::attached(&house, size, "keys");
        desk.wait_until("its modes", |screen| {
            screen.modes().application_cursor && screen.modes().bracketed_paste
        });
        desk.send(b"\x1bOA\x1b[200~x\x1b[201~\xc3\xa9");
        watcher.wait_for("^[OA^[[200~x^[[201~M-CM-)");
        desk.wait_for("^[OA^[[200~x^[[201~M-CM-)");
        desk.detach();
        worker.send(b"\x1b[2J\r");
    }
    assert_eq!(worker.status().size, TermSize::clamped(70, 20), "no viewer changes a fixed size");
}

#[test]
fn a_window_that_changes_while_another_size_is_shown_stays_right() {
    let house = House::new();
    let options = ["--name", "fixed", "--size", "70x20", "--size-policy", "fixed"];
    let worker = house.worker_with(&options, &["sh", "-c", FILLING]);
    let mut watcher = Watcher::watch(&worker);
    watcher.wait_for("row 20 of 70");
    let mut desk = Desk::attached(&house, (90, 30), "fixed");
    desk.wait_for("row 20 of 70");
    desk.resize(30, 8);
    desk.wait_until("the part with the cursor", |screen| {
        let text = screen.text(0);
        text.starts_with("row 1 of 70") && text.contains("row 8 of") && !text.contains("row 9")
    });
    desk.resize(70, 20);
    desk.agrees_with(&mut watcher);
    desk.resize(71, 20);
    desk.wait_until("the same", |screen| screen.text(0) == watcher.terminal.text(0));
    desk.resize(70, 20);
    desk.agrees_with(&mut watcher);
    assert!(looks(&desk.screen).contains("row 20 of 70"));
}
