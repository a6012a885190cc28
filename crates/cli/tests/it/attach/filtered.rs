//! Output of a child that must not reach the person's own terminal.

use std::fs;

use testkit::Watcher;

use crate::attach::desk::Desk;
use crate::house::House;

/// Questions that terminals answer: identity, cursor, status, modes, colours, sizes, settings, keyboard.
const QUESTIONS: &str = r"\033[c\033[>c\033[=c\033[5n\033[6n\033[?6n\033[?1$p\033[4$p\033[?u\033[>q\033Z\033[x\033[14t\033[18t\033[21t\033]4;1;?\007\033]10;?\007\033]11;?\007\033P$qm\033\\\033P+q544e\033\\";

/// What has effects outside the screen: clipboard, size and place of the window, printer, files and fonts.
const EFFECTS: &str = r"\033]52;c;aGVsbG8=\007\033]52;c;?\007\033[8;10;10t\033[3;1;1t\033[2t\033[9;1t\033[5i\033[4i\033]1337;File=inline=1:aGk=\007\033]50;fixed\007\033]5522;x\007\033[?3h\033[3J\033c";

#[test]
fn o4_a_query_is_answered_once_and_never_asked_of_the_persons_terminal() {
    let house = House::new();
    for (round, size) in [(0, (80, 24)), (1, (90, 30))] {
        let script = format!(
            "stty raw -echo; echo ready; head -c 1 >/dev/null; stty min 0 time 20; printf '{QUESTIONS}'; \
            dd bs=1 count=2000 2>/dev/null > answers{round}; echo done; sleep 1000"
        );
        let name = format!("asks{round}");
        let options = ["--name", &name, "--size", "80x24", "--size-policy", "fixed"];
        house.worker_with(&options, &["sh", "-c", &script]);
        let mut desk = Desk::attached(&house, size, &name);
        desk.wait_for("ready");
        desk.send(b"x");
        desk.wait_for("done");
        assert_eq!(String::from_utf8_lossy(&desk.answers), "", "{}", desk.printed().escape_ascii());
        let answers = fs::read(house.path().join(format!("answers{round}"))).unwrap();
        let text = answers.escape_ascii().to_string();
        let count = |needle: &str| text.matches(needle).count();
        assert_eq!(count(r"\x1b[0n"), 1, "{text}");
        assert_eq!(count("R"), 2, "the cursor, asked for in two ways: {text}");
        assert_eq!(count(r"\x1b[?1;2$y"), 1, "{text}");
        assert_eq!(count(r"\x1b[?0u"), 1, "{text}");
        assert_eq!(count(r"\x1b]11;"), 1, "{text}");
    }
}

#[test]
fn s22_clipboard_window_and_printer_are_out_of_reach() {
    let house = House::new();
    for (round, size) in [(0, (80, 24)), (1, (90, 30))] {
        let script = format!(
            "stty -echo; echo ready; read x; printf '{EFFECTS}'; echo done; read x; printf '{EFFECTS}'; \
            printf '\\033[?1049h'; echo other; read x"
        );
        let name = format!("acts{round}");
        let options = ["--name", &name, "--size", "80x24", "--size-policy", "fixed"];
        let worker = house.worker_with(&options, &["sh", "-c", &script]);
        let mut watcher = Watcher::watch(&worker);
        let mut desk = Desk::attached(&house, size, &name);
        desk.wait_for("ready");
        for text in ["done", "other"] {
            desk.send(b"\r");
            desk.wait_for(text);
        }
        if size == (80, 24) {
            desk.agrees_with(&mut watcher);
        }
        let printed = desk.printed().escape_ascii().to_string();
        for foreign in
            ["]52;", "]1337;", "]50;", "]5522;", "[8;10;10t", "[3;1;1t", "[2t", "[9;1t", "[5i", "[3J"]
        {
            assert!(!printed.contains(foreign), "{foreign}: {printed}");
        }
        desk.detach();
    }
}

#[test]
fn harmless_sequences_reach_the_persons_terminal() {
    let house = House::new();
    let script = r"stty -echo; echo ready; read x; printf '\033]2;a title\007\033]8;;https://example.org/\007a link\033]8;;\007 \033]8;;file:///etc/passwd\007no link\033]8;;\007 \007 \033[38;2;1;2;3mcolour\033[m'; read x";
    let worker = house.worker_with(&["--name", "shows", "--size", "80x24"], &["sh", "-c", script]);
    let mut watcher = Watcher::watch(&worker);
    let mut desk = Desk::attached(&house, (80, 24), "shows");
    desk.wait_for("ready");
    desk.send(b"\r");
    desk.wait_for("colour");
    watcher.wait_for("colour");
    assert_eq!(desk.screen.title(), "a title");
    let printed = desk.printed().escape_ascii().to_string();
    assert!(printed.contains("https://example.org/") && printed.contains(r"\x07"), "{printed}");
    assert!(!printed.contains("file:///"), "{printed}");
    assert_eq!(desk.screen.text(0), watcher.terminal.text(0));
    desk.detach();
}
