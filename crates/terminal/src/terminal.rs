//! The door: bytes in, state out.

use std::ops::Range;

use grammar::{ControlString, Function, Grammar, Params, Sequence, StringKind, Visitor};
use model::TermSize;

use crate::cursor::Cursor;
use crate::history::HistoryLimit;
use crate::modes::Modes;
use crate::program_status::ProgramStatus;
use crate::signal::{Progress, Signal};
use crate::snapshot::{self, SnapshotForm};
use crate::state::{ALTERNATE, State};
use crate::styled::{self, StyledRow};
use crate::text_row::{self, TextRow};

/// A terminal without a window.
pub struct Terminal {
    grammar: Grammar,
    state: State,
}

/// Side tables are looked after so often, that one long chunk cannot grow them.
const STRIDE: usize = 64 << 10;

impl Terminal {
    /// An empty terminal.
    pub fn new(size: TermSize, history: HistoryLimit) -> Terminal {
        Terminal { grammar: Grammar::default(), state: State::new(size, history) }
    }

    /// Takes in output of the program. Any split of the output into calls gives the same terminal.
    pub fn feed(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(STRIDE) {
            self.grammar.feed(part, &mut self.state);
            if self.state.tables.want_sweep() {
                self.state.sweep();
            }
        }
    }

    /// Stamps rows that change from now on with a number of the caller's, which they keep wherever they move; see
    /// [`TextRow::stamp`]. It is zero at first, and costs a history nothing as long as it is.
    pub fn set_stamp(&mut self, stamp: u32) {
        self.state.stamp = stamp;
    }

    /// Changes the size. Lines of the main screen and the history are wrapped anew; the alternate screen is cut
    /// or extended, since its program redraws it.
    pub fn resize(&mut self, size: TermSize) {
        self.state.resize(size);
    }

    /// The size.
    pub fn size(&self) -> TermSize {
        self.state.size
    }

    /// Bytes that bring a viewer's terminal into this terminal's state. They draw no answer and ring no bell.
    pub fn snapshot(&self, form: SnapshotForm) -> Vec<u8> {
        snapshot::write(&self.state, self.grammar.unfinished(), form)
    }

    /// Takes the answers to the program's questions; they belong into its input.
    pub fn take_replies(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.state.replies)
    }

    /// Takes what the program signalled since the last call.
    pub fn take_signals(&mut self) -> Vec<Signal> {
        std::mem::take(&mut self.state.signals)
    }

    /// The visible rows.
    pub fn rows(&self) -> impl Iterator<Item = StyledRow> + '_ {
        let screen = &self.state.screens[self.state.active];
        screen.rows.iter().map(|row| styled::live_row(row, &self.state.tables))
    }

    /// The visible rows as plain text.
    pub fn text_rows(&self) -> impl Iterator<Item = TextRow> + '_ {
        let screen = &self.state.screens[self.state.active];
        screen.rows.iter().map(|row| text_row::live_row(row, &self.state.tables))
    }

    /// How many lines scrolled off the main screen and are still kept.
    pub fn history_len(&self) -> usize {
        self.state.history.len()
    }

    /// Whether there were more lines, for which there was no room.
    pub fn history_is_cut(&self) -> bool {
        self.state.history.is_cut()
    }

    /// Forgets the history but for its newest `lines`. Nothing else changes, except that a larger screen can bring back
    /// no more than those.
    pub fn forget_history(&mut self, lines: usize) {
        self.state.forget_history(lines);
    }

    /// A line of the history, counted from the oldest.
    pub fn history_row(&self, index: usize) -> Option<StyledRow> {
        self.state.history.line(index).map(styled::stored_row)
    }

    /// The newest `lines` of the history, oldest of them first.
    pub fn history_rows(&self, lines: usize) -> impl Iterator<Item = StyledRow> + '_ {
        self.state.history.last(lines).map(styled::stored_row)
    }

    /// The same as plain text.
    pub fn history_text_rows(&self, lines: usize) -> impl Iterator<Item = TextRow> + '_ {
        self.state.history.last(lines).map(text_row::stored_row)
    }

    /// The visible screen, with up to `history_lines` before it if the main one is shown, as plain text: one line
    /// for each logical line.
    pub fn text(&self, history_lines: usize) -> String {
        styled::text(&self.logical_lines(history_lines))
    }

    /// The same as an HTML fragment: one `pre` with a `span` for each change of style.
    pub fn html(&self, history_lines: usize) -> String {
        crate::html::write(&self.logical_lines(history_lines), &self.state.palette)
    }

    fn logical_lines(&self, history_lines: usize) -> Vec<StyledRow> {
        let history_lines = if self.on_alternate_screen() { 0 } else { history_lines };
        let rows = self.history_rows(history_lines).chain(self.rows());
        styled::logical_lines(rows, self.size().cols())
    }

    /// Where the cursor is and how it looks.
    pub fn cursor(&self) -> Cursor {
        let screen = &self.state.screens[self.state.active];
        let last = screen.cols() - 1;
        Cursor {
            col: screen.cursor.col.min(last) as u16,
            row: screen.cursor.row as u16,
            pending_wrap: screen.cursor.col > last,
            visible: self.state.modes.cursor_visible,
            style: self.state.cursor_style,
        }
    }

    /// The modes in force.
    pub fn modes(&self) -> &Modes {
        &self.state.modes
    }

    /// The kitty keyboard flags in force on the screen that is shown.
    pub fn keyboard_flags(&self) -> u32 {
        self.state.keyboards[self.state.active].flags()
    }

    /// True while a full-screen program shows its own screen.
    pub fn on_alternate_screen(&self) -> bool {
        self.state.active == ALTERNATE
    }

    /// The window title. Output chose it: make it safe before showing it elsewhere.
    pub fn title(&self) -> &str {
        &self.state.titles.window
    }

    /// The working directory as the program wrote it (OSC 7), or nothing.
    pub fn cwd(&self) -> &str {
        &self.state.cwd
    }

    /// The progress a program reports.
    pub fn progress(&self) -> Progress {
        self.state.progress
    }

    /// The newest report of each part of the program (OSC 7501).
    pub fn program_statuses(&self) -> &[ProgramStatus] {
        self.state.statuses.all()
    }

    /// Memory that the history takes, in bytes.
    pub fn history_bytes(&self) -> usize {
        self.state.history.heap_bytes()
    }

    /// Names the part of the state, if there is one, that no snapshot can bring back. For tests.
    pub fn out_of_reach(&self) -> Option<&'static str> {
        self.state.out_of_reach()
    }

    /// What a snapshot must bring back, as text: terminals of equal description look and behave alike. For tests.
    pub fn describe(&self) -> String {
        crate::describe::write(&self.state, self.grammar.unfinished())
    }
}

impl State {
    /// One function, so that what is behind it is compiled into it.
    #[inline(never)]
    fn csi(&mut self, params: &Params, function: Function) {
        self.control_sequence(params, function);
        self.joinable = 0;
    }
}

impl Visitor for State {
    fn keeps(kind: StringKind) -> bool {
        kind != StringKind::Other
    }

    #[inline(always)]
    fn text(&mut self, text: &[u8], _at: u64) {
        self.print_ascii(text);
    }

    #[inline(always)]
    fn character(&mut self, c: char, _place: Range<u64>) {
        self.put(c);
    }

    #[inline(always)]
    fn control(&mut self, control: u8, _place: Range<u64>) {
        self.control_character(control);
        self.joinable = 0;
    }

    #[inline(always)]
    fn escape(&mut self, sequence: Sequence<'_>) {
        self.escape_sequence(sequence.function);
        self.joinable = 0;
    }

    #[inline(always)]
    fn sequence(&mut self, params: &Params, sequence: Sequence<'_>) {
        self.csi(params, sequence.function);
    }

    fn string_ends(&mut self, string: ControlString<'_>) {
        let ControlString { kind, function, text, terminator: Some(terminator), .. } = string else { return };
        match kind {
            StringKind::System => self.operating_system_command(text, terminator),
            StringKind::Device => self.device_control_string(function, text),
            StringKind::Other => return,
        }
        self.joinable = 0;
    }
}
