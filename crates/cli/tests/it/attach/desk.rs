//! A person at a terminal window.

use std::fmt::Write;
use std::time::{Duration, Instant};

use model::{Epoch, TermSize};
use rustix::termios::Termios;
use terminal::{HistoryLimit, Terminal};
use testkit::{Program, WAIT, Watcher};

use crate::house::{ABIDE, House, Worker, wait_for};

/// What a person does at a shell: a command, once the line is entered, and then no other.
const SHELL: &str = r#"printf '$ '; read line; "$@"; echo "[ended $?]"; read line"#;

/// The line that is entered; its echo is on the screen before `abide` runs.
const LINE: &[u8] = b"abide\r";

/// How long a test waits for output before it looks at something else.
const MOMENT: Duration = Duration::from_millis(20);

/// The message about the end of `abide` is in the last so many bytes.
const ENDING_BYTES: usize = 1000;

/// The keys that detach, unless set otherwise.
pub(super) const DETACH: &[u8] = b"\x1cd";

/// A person at a terminal window, in which a shell runs `abide`.
pub(crate) struct Desk {
    program: Program,
    /// What the window shows.
    pub(crate) screen: Terminal,
    /// What the window would have answered to questions: the person's own terminal was asked.
    pub(crate) answers: Vec<u8>,
    /// The terminal's settings before `abide` came.
    settings: Termios,
    fed: usize,
}

impl Desk {
    /// A window of this size in which `abide` is run.
    pub(crate) fn with(house: &House, (cols, rows): (u16, u16), arguments: &[&str]) -> Desk {
        let size = TermSize::clamped(cols, rows);
        let mut command = Program::command("sh");
        house.settle(&mut command);
        command.env("TERM", "xterm-256color").args(["-c", SHELL, "sh", ABIDE]).args(arguments);
        let mut program = Program::spawn(&mut command, size);
        program.wait_for("$ ");
        let settings = program.settings();
        program.send(LINE);
        let screen = Terminal::new(size, HistoryLimit { lines: 1000, bytes: 1 << 20 });
        Desk { program, screen, answers: Vec::new(), settings, fed: 0 }
    }

    /// A window in which this worker is attached and has been shown.
    pub(crate) fn attached(house: &House, size: (u16, u16), name: &str) -> Desk {
        let mut desk = Desk::with(house, size, &["attach", name]);
        desk.wait_until("the worker's screen", Terminal::on_alternate_screen);
        desk
    }

    /// Types something.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.program.send(bytes);
    }

    /// Drags the window's corner.
    pub(crate) fn resize(&mut self, cols: u16, rows: u16) {
        let size = TermSize::clamped(cols, rows);
        self.screen.resize(size);
        self.program.resize(size);
    }

    /// The process of `abide`.
    pub(crate) fn abide(&self) -> u32 {
        *children(self.program.pid()).first().expect("`abide` is the shell's only child")
    }

    /// Everything that was printed in the window.
    pub(crate) fn printed(&self) -> &[u8] {
        self.program.output()
    }

    /// Whether the terminal's settings are as before `abide` came.
    pub(crate) fn has_its_settings(&self) -> bool {
        format!("{:?}", self.program.settings()) == format!("{:?}", self.settings)
    }

    /// Uses the window for something else, as a shell does while `abide` is stopped.
    pub(super) fn use_otherwise(&mut self) {
        self.program.set_settings(&self.settings);
        self.screen.feed(b"\x1b[?1049l\x1b[2J\x1b[H$ jobs\r\n");
    }

    /// Looks until the window shows something.
    pub(crate) fn wait_until(&mut self, what: &str, mut done: impl FnMut(&Terminal) -> bool) {
        let deadline = Instant::now() + WAIT;
        self.show();
        while !done(&self.screen) {
            self.program.read_for(deadline.saturating_duration_since(Instant::now()));
            self.show();
            assert!(
                Instant::now() < deadline,
                "{what}: not seen; the window shows:\n{}",
                self.screen.text(0)
            );
        }
    }

    /// Looks until the window shows this text.
    pub(crate) fn wait_for(&mut self, text: &str) {
        self.wait_until(text, |screen| screen.text(0).contains(text));
    }

    /// Looks until `abide` has ended; gives its exit code.
    pub(crate) fn wait_for_end(&mut self) -> u8 {
        let code = |printed: &[u8]| {
            let text = String::from_utf8_lossy(&printed[printed.len().saturating_sub(ENDING_BYTES)..]);
            text.rsplit_once("[ended ")?.1.split_once(']')?.0.parse().ok()
        };
        // We look at the printed bytes, not at the screen: if `abide` is killed, its guard brings back the screen later.
        self.program.wait_until("the end of `abide`", |printed| code(printed).is_some());
        self.show();
        code(self.program.output()).expect("seen")
    }

    /// Waits until `abide` is attached to the host of this epoch: what is typed to one that dies goes with it.
    pub(crate) fn wait_for_host(&self, worker: &Worker, epoch: Epoch) {
        wait_for("the window at another host", || {
            let status = viewer::status(&worker.dir.socket()).ok()?;
            let is_there = status.viewers.iter().any(|viewer| viewer.name.starts_with("attach "));
            (status.epoch == epoch && is_there).then_some(())
        });
    }

    /// Detaches.
    pub(crate) fn detach(mut self) {
        self.send(DETACH);
        assert_eq!(self.wait_for_end(), 0, "{}", self.screen.text(0));
    }

    /// Looks until the window shows exactly what the worker's terminal does, cursor and keyboard modes included.
    pub(crate) fn agrees_with(&mut self, watcher: &mut Watcher) {
        let deadline = Instant::now() + WAIT;
        loop {
            watcher.catch_up();
            self.program.read_for(MOMENT);
            self.show();
            let (shown, there) = (looks(&self.screen), looks(&watcher.terminal));
            if shown == there {
                return;
            }
            assert!(
                Instant::now() < deadline,
                "the window shows\n{shown}\nand the worker's terminal\n{there}"
            );
        }
    }

    /// Feeds the printed bytes to the screen.
    fn show(&mut self) {
        let printed = self.program.output();
        self.screen.feed(&printed[self.fed..]);
        self.fed = printed.len();
        self.answers.extend(self.screen.take_replies());
        self.screen.take_signals();
    }
}

/// The processes that a process started.
pub(super) fn children(of: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").expect("/proc");
    let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| parent(*pid) == Some(of)).collect()
}

fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// What a person sees of a terminal, and what their keys send: rows with their styles, the cursor and the modes of keys
/// and mouse.
pub(super) fn looks(terminal: &Terminal) -> String {
    let mut looks = rows(terminal);
    let cursor = terminal.cursor();
    let modes = terminal.modes();
    let _ = writeln!(looks, "{cursor:?}");
    let _ = writeln!(
        looks,
        "cursor keys {} keypad {} paste {} focus {} mouse {:?} {:?} keyboard {} {}",
        modes.application_cursor,
        modes.application_keypad,
        modes.bracketed_paste,
        modes.focus_events,
        modes.mouse,
        modes.mouse_encoding,
        terminal.keyboard_flags(),
        modes.modify_other_keys,
    );
    looks
}

/// The rows that are seen, with their styles.
pub(super) fn rows(terminal: &Terminal) -> String {
    let name = if terminal.on_alternate_screen() { "alternate " } else { "main " };
    let text = terminal.describe();
    let rows = text.lines().filter_map(|line| {
        let row = line.strip_prefix(name)?;
        row.starts_with(|c: char| c.is_ascii_digit()).then(|| row.split_once(" [").map_or("", |(_, row)| row))
    });
    rows.map(|row| format!("[{row}\n")).collect()
}
