//! Output that is still coming, as lines of text, each given out once and as soon as it is finished.

use model::TermSize;
use terminal::{HistoryLimit, Terminal, TextRow};

use crate::settling::{Cut, CutKind, FrameLine, cuts, frame, is_blank, joined};

/// How much is fed at once. All rows that it can scroll away must fit the history.
const PIECE_BYTES: usize = 16 << 10;

/// Rows that one piece can scroll away, with room to spare, and memory for them.
const HISTORY: HistoryLimit = HistoryLimit { lines: 200_000, bytes: 256 << 20 };

/// Rows of history that may gather before those that were given out are forgotten.
const GATHERED_ROWS: usize = 2_000;

/// A line of more rows than this is given out in parts, or an endless one would take endless memory.
const MOST_ROWS: usize = 10_000;

/// When a line counts as finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finished {
    /// When it has left the screen: nothing can change it any more.
    Scrolled,
    /// When the cursor stands below it, for a reader who waits for it. Should a program go back and change it, it
    /// comes again.
    Passed,
}

/// Turns output into lines of text.
pub struct Lines {
    terminal: Terminal,
    finished: Finished,
    /// Rows, counted from the oldest in the history, that have been given out.
    given: usize,
    /// The last of those rows, as they were: the ones that a program could still change.
    changeable: Vec<String>,
    /// How many of the next rows are not wanted.
    unwanted: usize,
    /// The beginning of a sequence that may take lines off the screen; it is not fed before its rest has come.
    held: Vec<u8>,
    /// What a full-screen program cleared last.
    cleared: Vec<FrameLine>,
}

impl Lines {
    /// Lines of a terminal of this size.
    pub fn new(size: TermSize, finished: Finished) -> Lines {
        Lines {
            terminal: Terminal::new(size, HISTORY),
            finished,
            given: 0,
            changeable: Vec::new(),
            unwanted: 0,
            held: Vec::new(),
            cleared: Vec::new(),
        }
    }

    /// The terminal's size.
    pub fn size(&self) -> TermSize {
        self.terminal.size()
    }

    /// Takes output in, and gives out the lines that it finished.
    pub fn feed(&mut self, bytes: &[u8]) -> String {
        let mut whole = std::mem::take(&mut self.held);
        whole.extend_from_slice(bytes);
        self.held = whole.split_off(cuts::held_from(&whole));
        let mut text = String::new();
        let mut rest = &whole[..];
        while let Some(Cut { start, end, kind }) = cuts::find(rest) {
            self.play(&rest[..start], &mut text);
            self.play_cut(&rest[start..end], kind, &mut text);
            rest = &rest[end..];
        }
        self.play(rest, &mut text);
        text
    }

    fn play(&mut self, bytes: &[u8], text: &mut String) {
        for piece in bytes.chunks(PIECE_BYTES) {
            self.feed_terminal(piece);
            self.give(text);
        }
    }

    fn feed_terminal(&mut self, bytes: &[u8]) {
        self.terminal.feed(bytes);
        self.terminal.take_replies();
        self.terminal.take_signals();
    }

    /// Plays a sequence that may take everything off the screen, and gives out what it took: the part not given out yet
    /// of the main screen, or the last frame of a full-screen program.
    fn play_cut(&mut self, sequence: &[u8], kind: CutKind, text: &mut String) {
        let frame = self.terminal.on_alternate_screen().then(|| frame::lines(&self.terminal));
        let rows: Vec<TextRow> = match frame {
            Some(_) => Vec::new(),
            None => self.rows_left().collect(),
        };
        let cols = self.size().cols();
        self.feed_terminal(sequence);
        match (frame, self.terminal.on_alternate_screen()) {
            (Some(lines), false) => {
                let cleared = std::mem::take(&mut self.cleared);
                let lines = if lines.is_empty() { cleared } else { lines };
                lines.iter().for_each(|(line, _)| text.extend([line, "\n"]));
            }
            (Some(lines), true) if kind == CutKind::Clear && !lines.is_empty() => self.cleared = lines,
            (None, false) if self.terminal.text_rows().all(|row| is_blank(&row)) => {
                let used = rows.iter().rposition(|row| !is_blank(row)).map_or(0, |last| last + 1);
                text.push_str(&joined(rows.into_iter().take(used).skip(self.unwanted), cols));
                self.unwanted = 0;
            }
            _ => {}
        }
        self.give(text);
    }

    /// Begins anew with a screen of this size, drawn by this snapshot, and gives out the lines of its history.
    pub fn restart(&mut self, size: TermSize, snapshot: &[u8]) -> String {
        self.draw(size, snapshot);
        self.given = 0;
        self.changeable.clear();
        let mut text = String::new();
        self.give(&mut text);
        text
    }

    /// Begins anew with a screen behind output that is missing: its history was given out, or is missing too.
    pub fn skip_to(&mut self, size: TermSize, snapshot: &[u8]) {
        self.draw(size, snapshot);
        self.given = self.limit();
        self.remember_given();
    }

    fn draw(&mut self, size: TermSize, snapshot: &[u8]) {
        self.terminal = Terminal::new(size, HISTORY);
        self.terminal.feed(snapshot);
        self.held.clear();
        self.cleared.clear();
    }

    /// Changes the terminal's size; lines are wrapped anew.
    pub fn resize(&mut self, size: TermSize) {
        if size == self.size() {
            return;
        }
        self.forget_given();
        self.terminal.resize(size);
        if self.finished == Finished::Passed {
            self.given = self.limit();
        }
        self.remember_given();
    }

    /// Skips the lines above the cursor that were not returned yet: the caller wants only output from now on.
    pub fn pass_over_screen(&mut self) {
        self.unwanted = self.above_cursor();
    }

    /// Rows above the cursor that were not given out.
    fn above_cursor(&self) -> usize {
        let cursor = usize::from(self.terminal.cursor().row);
        (self.terminal.history_len() + cursor).saturating_sub(self.given)
    }

    /// Gives out all that is left.
    pub fn rest(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        let mut given = String::new();
        self.play(&held, &mut given);
        let mut rows: Vec<TextRow> = self.rows_left().collect();
        self.given += rows.len();
        rows.drain(..self.unwanted.min(rows.len()));
        self.unwanted = 0;
        let mut text = joined(rows.into_iter(), self.size().cols());
        text.truncate(text.trim_end().len());
        if !text.is_empty() {
            text.push('\n');
        }
        given + &text
    }

    fn give(&mut self, text: &mut String) {
        if self.finished == Finished::Passed {
            if self.terminal.on_alternate_screen() {
                return;
            }
            self.go_back_to_changed();
        }
        // What a clear took off the screen does not come any more.
        self.unwanted = self.unwanted.min(self.above_cursor());
        let limit = self.limit();
        let mut rows: Vec<TextRow> = self.rows_left().collect();
        let count = whole_lines(&rows, limit.saturating_sub(self.given));
        let unwanted = self.unwanted.min(count);
        self.unwanted -= unwanted;
        text.push_str(&joined(rows.drain(..count).skip(unwanted), self.size().cols()));
        self.given += count;
        self.remember_given();
        if self.terminal.history_len() > GATHERED_ROWS {
            self.forget_given();
        }
    }

    /// A program that changed a row which was given out has it given out again, with what follows.
    fn go_back_to_changed(&mut self) {
        let from = self.given - self.changeable.len();
        let now = self.rows_from(from).map(|row| row.text);
        let same = now.zip(&self.changeable).take_while(|(now, given)| now == *given).count();
        self.given = from + same;
    }

    fn remember_given(&mut self) {
        // A program that clears its history takes rows away that were given out.
        self.given = self.given.min(self.terminal.history_len() + usize::from(self.size().rows()));
        if self.finished == Finished::Scrolled {
            self.given = self.given.min(self.terminal.history_len());
            return;
        }
        let from = self.given.min(self.terminal.history_len());
        let changeable = self.rows_from(from).take(self.given - from).map(|row| row.text).collect();
        self.changeable = changeable;
    }

    /// How many rows are finished.
    fn limit(&self) -> usize {
        let scrolled = self.terminal.history_len();
        match self.finished {
            Finished::Passed if !self.terminal.on_alternate_screen() => {
                scrolled + usize::from(self.terminal.cursor().row)
            }
            _ => scrolled,
        }
    }

    fn rows_left(&self) -> impl Iterator<Item = TextRow> + '_ {
        self.rows_from(self.given)
    }

    fn rows_from(&self, first: usize) -> impl Iterator<Item = TextRow> + '_ {
        let scrolled = self.terminal.history_len();
        let history = self.terminal.history_text_rows(scrolled.saturating_sub(first));
        history.chain(self.terminal.text_rows().skip(first.saturating_sub(scrolled)))
    }

    /// Forgets the rows of the history that were given out.
    fn forget_given(&mut self) {
        let scrolled = self.terminal.history_len();
        self.terminal.forget_history(scrolled.saturating_sub(self.given));
        self.given -= scrolled - self.terminal.history_len();
    }
}

/// How many of the first `count` rows make up whole lines.
fn whole_lines(rows: &[TextRow], count: usize) -> usize {
    let goes_on = |count: &usize| rows.get(*count).is_some_and(|row| row.wrapped);
    let whole = (0..=count).rev().find(|count| !goes_on(count)).unwrap_or(0);
    if count - whole > MOST_ROWS { count } else { whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(finished: Finished) -> Lines {
        Lines::new(TermSize::clamped(20, 4), finished)
    }

    #[test]
    fn every_line_comes_once_and_in_order() {
        let mut lines = lines(Finished::Scrolled);
        let numbered: String = (1..=20_000).map(|number| format!("line {number}\r\n")).collect();
        let mut text = lines.feed(numbered.as_bytes());
        text += &lines.rest();
        assert_eq!(text, numbered.replace('\r', ""));
    }

    #[test]
    fn lines_that_were_already_on_the_screen_can_be_skipped() {
        for finished in [Finished::Scrolled, Finished::Passed] {
            let mut lines = lines(finished);
            lines.feed(b"one\r\ntwo\r\nthree\r\nfour\r\n");
            lines.pass_over_screen();
            let mut text = lines.feed(b"five\r\nsix\r\nseven\r\neight\r\n");
            text += &lines.rest();
            assert_eq!(text, "five\nsix\nseven\neight\n", "{finished:?}");
        }
        let mut lines = lines(Finished::Scrolled);
        lines.feed(b"one\r\ntwo\r\n");
        lines.pass_over_screen();
        lines.feed(b"\x1b[H\x1b[2J");
        lines.feed(b"new\r\n");
        assert_eq!(lines.rest(), "new\n", "a clear has passed over it already");
    }

    #[test]
    fn a_line_that_wraps_is_one_line() {
        let mut lines = lines(Finished::Scrolled);
        let long = "x".repeat(75);
        let mut text = lines.feed(format!("a\r\n{long}\r\nb\r\nc\r\nd\r\n").as_bytes());
        text += &lines.rest();
        assert_eq!(text, format!("a\n{long}\nb\nc\nd\n"));
    }

    #[test]
    fn a_waiting_reader_gets_a_line_when_the_cursor_has_passed_it() {
        let mut lines = lines(Finished::Passed);
        assert_eq!(lines.feed(b"one\r\ntwo"), "one\n");
        assert_eq!(lines.feed(b" three\r\n"), "two three\n");
        assert_eq!(lines.feed(b"\x1b[A\x1b[Btwo"), "", "moving about changes nothing");
        assert_eq!(lines.feed(b"\x1b[H\x1b[2Jnew\r\n"), "two\nnew\n", "a clear leaves what had not come yet");
        assert_eq!(lines.feed(b"$ "), "");
        assert_eq!(lines.rest(), "$\n");
    }

    #[test]
    fn a_new_size_gives_no_line_twice() {
        for finished in [Finished::Scrolled, Finished::Passed] {
            let mut lines = lines(finished);
            let mut text = String::new();
            for number in 1..=50 {
                text += &lines.feed(format!("line {number}\r\n").as_bytes());
                lines.resize(TermSize::clamped(10 + number % 30, 2 + number % 7));
            }
            text += &lines.rest();
            let expected: String = (1..=50).map(|number| format!("line {number}\n")).collect();
            assert_eq!(text, expected, "{finished:?}");
        }
    }

    #[test]
    fn a_full_screen_program_leaves_its_last_frame() {
        let mut lines = lines(Finished::Passed);
        assert_eq!(lines.feed(b"before\r\n"), "before\n");
        assert_eq!(lines.feed(b"\x1b[?1049h\x1b[Hx\r\ny\r\nz"), "");
        assert_eq!(lines.feed(b"\x1b[2J\x1b[?10"), "", "it may clear its screen before it leaves");
        assert_eq!(lines.feed(b"49lafter\r\n"), "x\ny\nz\nafter\n");
    }
}
