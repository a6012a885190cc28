//! A viewer that comes back, by the offset that it has, whenever it loses the server.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use model::{Epoch, Offset, TermSize, WorkerId};
use protocol::{Attach, HostMessage, ViewerMessage};
use terminal::{HistoryLimit, Terminal};
use testkit::WAIT;
use tungstenite::Message;

use super::door::{Door, NO_SERVER_PAUSE};
use crate::house::{House, wait_for, watching};
use crate::server::Socket;

/// How long it waits for the next message before it looks whether all is over.
const TURN: Duration = Duration::from_millis(20);

/// A viewer that comes back.
pub(super) struct Follower {
    worker: WorkerId,
    epoch: Option<Epoch>,
    at: Offset,
    size: TermSize,
    /// What it was shown: a snapshot and all output since, from the oldest to the newest.
    shown: Vec<Shown>,
    part: Vec<u8>,
    attached: usize,
}

struct Shown {
    from: Offset,
    snapshot: Vec<u8>,
    output: Vec<u8>,
}

impl Follower {
    pub(super) fn new(worker: WorkerId) -> Follower {
        Follower {
            worker,
            epoch: None,
            at: Offset(0),
            size: TermSize::clamped(80, 24),
            shown: Vec::new(),
            part: Vec::new(),
            attached: 0,
        }
    }

    /// Watches until all is over and everything that was printed by then has come.
    pub(super) fn follow(&mut self, house: &House, door: &Door<'_>, is_over: &AtomicBool) {
        let path = format!("/api/workers/{}/attach", self.worker);
        let mut enough = None;
        while !self.has(enough) {
            self.is_enough(&mut enough, house, is_over);
            let Some(mut socket) = Socket::reach(&door.address, &door.token, &path) else {
                thread::sleep(NO_SERVER_PAUSE);
                continue;
            };
            // A server that is killed between Welcome and Snapshot leaves a viewer that has seen nothing: it cannot resume.
            let since = self.shown.last().map(|_| self.at);
            let attach = Attach { epoch: self.epoch, since, ..watching() };
            socket.try_send(Message::binary(ViewerMessage::Attach(attach).to_bytes()));
            // A snapshot that was cut off comes as a whole once more.
            self.part.clear();
            while socket.closed.is_none() && !self.has(enough) {
                if let Some(message) = socket.host_message_within(TURN) {
                    self.take(message);
                }
                self.is_enough(&mut enough, house, is_over);
            }
        }
    }

    /// Once the load is over, all output that was printed by then has to come soon.
    fn is_enough(&self, enough: &mut Option<(Offset, Instant)>, house: &House, is_over: &AtomicBool) {
        if enough.is_none() && is_over.load(Ordering::Relaxed) {
            let printed = house.called(self.worker.as_str()).status().offset;
            *enough = Some((printed, Instant::now() + WAIT));
        }
    }

    fn has(&self, enough: Option<(Offset, Instant)>) -> bool {
        let Some((printed, deadline)) = enough else { return false };
        assert!(Instant::now() < deadline, "shown up to {}, printed up to {printed}", self.at);
        self.at >= printed
    }

    fn take(&mut self, message: HostMessage) {
        match message {
            HostMessage::Welcome(welcome) => {
                assert_eq!(*self.epoch.get_or_insert(welcome.epoch), welcome.epoch, "the same host");
                self.attached += 1;
                self.size = welcome.size;
            }
            HostMessage::Snapshot { at, last, bytes } => {
                self.part.extend(bytes);
                if last {
                    assert!(at >= self.at, "never back: {at} after {}", self.at);
                    let snapshot = std::mem::take(&mut self.part);
                    self.shown.push(Shown { from: at, snapshot, output: Vec::new() });
                    self.at = at;
                }
            }
            HostMessage::Output { at, bytes } => {
                assert_eq!(at, self.at, "output follows the shown bytes");
                self.at += bytes.len();
                self.shown.last_mut().expect("a screen before any output").output.extend(bytes);
            }
            message => panic!("{message:?}"),
        }
    }

    /// Checks that the follower was shown exactly the printed bytes: each screen is the one of its offset, and after it
    /// comes every byte, once. The printed bytes are those of the recording, whose numbers show that none is missing.
    pub(super) fn check(&self, house: &House) {
        let worker = house.called(self.worker.as_str());
        let printed = wait_for("the recording", || {
            let printed = worker.recorded();
            (printed.len() as u64 >= self.at.0).then_some(printed)
        });
        let whole_lines = printed.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let text = str::from_utf8(&printed[..whole_lines]).expect("text");
        let mut lines = text.lines().zip(1..);
        assert!(lines.all(|(line, number)| line == format!("number {number}")), "all numbers are recorded");
        for shown in &self.shown {
            let from = usize::try_from(shown.from.0).expect("a length");
            let expected = &printed[from..][..shown.output.len()];
            assert!(shown.output == expected, "other output was shown from {} on", shown.from);
            let (screen, right) = (self.screen(&shown.snapshot), self.screen(&printed[..from]));
            assert_eq!(screen, right, "the screen after {} bytes", shown.from);
        }
    }

    fn screen(&self, bytes: &[u8]) -> String {
        let mut terminal = Terminal::new(self.size, HistoryLimit { lines: 1000, bytes: 1 << 20 });
        terminal.feed(bytes);
        terminal.text(0)
    }

    pub(super) fn told(&self) -> String {
        format!(
            "a viewer attached {} times, had {} screens and {} bytes",
            self.attached,
            self.shown.len(),
            self.at
        )
    }
}
