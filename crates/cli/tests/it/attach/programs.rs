//! Real programs: attached, used, detached, attached again in windows of other sizes.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use model::TermSize;
use rustix::process::Signal;
use testkit::Watcher;

use crate::attach::desk::{DETACH, Desk};
use crate::house::{House, signal};

/// A program that says nothing for so long has drawn what it had to draw.
const QUIET_MS: &str = "150";

/// The sizes of the windows, one after the other.
const SIZES: [(u16, u16); 4] = [(100, 30), (80, 24), (120, 40), (33, 9)];

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

/// A text of more lines than any window, some of them long, with colours of no program and characters of all widths.
fn write_text(to: &Path) {
    let mut text = String::new();
    for number in 1..=200 {
        let rest = match number % 4 {
            0 => "plain words, not too many".to_owned(),
            1 => "long ".repeat(30),
            2 => "wide 日本語 and e\u{301} and 🚀 and äöü".to_owned(),
            _ => "\tindented\twith tabs".to_owned(),
        };
        let _ = writeln!(text, "line {number} {rest}");
    }
    fs::write(to, text).unwrap();
}

/// Runs a program in a worker, uses it in each window, and compares every window with the worker's terminal.
fn check(program: &str, arguments: &[&str], ready: &str, uses: [&[u8]; 4]) {
    if !is_installed(program) {
        return testkit::skip(&format!("no {program}"));
    }
    let house = House::new();
    write_text(&house.path().join("text"));
    let command = [&[program], arguments].concat();
    let options = ["--name", "program", "--env", "LESSHISTFILE=-", "--env", "PS1=prompt$ "];
    let worker = house.worker_with(&options, &command);
    let mut watcher = Watcher::watch(&worker);
    // A program that is told of a new size before it listens for that draws in the old one, in any terminal.
    watcher.wait_for(ready);
    for ((cols, rows), keys) in SIZES.into_iter().zip(uses) {
        let mut desk = Desk::attached(&house, (cols, rows), "program");
        watcher.wait_until("the window's size", |watcher| {
            watcher.terminal.size() == TermSize::clamped(cols, rows)
        });
        // A window of nine rows need not show what the others do.
        if rows > 10 {
            desk.wait_for(ready);
        }
        house.output(["wait", "program", "--quiet", QUIET_MS]);
        desk.send(keys);
        house.output(["wait", "program", "--quiet", QUIET_MS]);
        // A clock on its screen shall not tick while we compare.
        let child = worker.status().child_pid;
        signal(child, Signal::STOP);
        desk.agrees_with(&mut watcher);
        signal(child, Signal::CONT);
        desk.send(DETACH);
        assert_eq!(desk.wait_for_end(), 0, "{}", desk.screen.text(0));
        assert_eq!(String::from_utf8_lossy(&desk.answers), "", "the person's terminal was asked nothing");
    }
}

#[test]
fn vim_is_the_same_in_every_window() {
    let uses: [&[u8]; 4] = [
        b"20Gitext of ours, \xe6\x97\xa5\xe6\x9c\xac\x1b:set number\r",
        b"\x06vjj",
        b"\x1b:split\r:vsplit\r:set hlsearch\r/line\r",
        b"\x1b:help\r",
    ];
    check("vim", &["-u", "NONE", "-i", "NONE", "-N", "-n", "text"], "line", uses);
}

#[test]
fn less_is_the_same_in_every_window() {
    check("less", &["text"], "line", [b" j", b"/indented\r", b"G", b"g-N\r"]);
}

#[test]
fn nano_is_the_same_in_every_window() {
    check("nano", &["--ignorercfiles", "text"], "Help", [b"typed \x16", b"\x17line 77\r", b"more", b"\x07"]);
}

#[test]
fn htop_is_the_same_in_every_window() {
    check("htop", &["-d", "50"], "CPU", [b"\x1b[B\x1b[B", b"t", b"\x1bOR", b""]);
}

#[test]
fn bash_is_the_same_in_every_window() {
    let uses: [&[u8]; 4] = [
        b"echo $((6*7)); printf '\\033[31mred\\033[m\\n'; seq 1 40\rnot entered yet \xc3\xa9",
        b" and more of it, so much that the line does not fit into one row any more, and goes on in the next one",
        b"\x01\x0b\x19\x19 ",
        b"\x15ls\r",
    ];
    check("bash", &["--norc", "--noprofile"], "prompt$", uses);
}
