//! Everything a terminal knows, and the operations that sequences are made of.

use model::TermSize;

use crate::cell::Cell;
use crate::charset::Charsets;
use crate::colors::Palette;
use crate::cursor::CursorStyle;
use crate::history::{History, HistoryLimit};
use crate::keyboard::KeyboardStack;
use crate::modes::Modes;
use crate::notification::Kitty99;
use crate::pen::Pen;
use crate::program_status::ProgramStatuses;
use crate::screen::{Margins, SavedCursor, Screen};
use crate::signal::{Progress, Signal};
use crate::style::{Flags, Style, StyleId};
use crate::tables::{Sweep, Tables};
use crate::titles::Titles;

/// Index of the main screen in [`State::screens`].
pub(crate) const MAIN: usize = 0;
/// Index of the alternate screen.
pub(crate) const ALTERNATE: usize = 1;

/// The terminal behind the parser.
pub(crate) struct State {
    pub(crate) size: TermSize,
    pub(crate) screens: [Screen; 2],
    /// Which screen is shown.
    pub(crate) active: usize,
    pub(crate) history: History,
    pub(crate) tables: Tables,
    pub(crate) pen: Pen,
    /// The pen's style as cells store it; [`State::pen_changed`] keeps it true.
    pub(crate) pen_style: StyleId,
    /// Whether anything was ever protected. Where nothing was, a selective erase is a plain one, which costs less.
    pub(crate) ever_protected: bool,
    pub(crate) charsets: Charsets,
    pub(crate) modes: Modes,
    pub(crate) cursor_style: CursorStyle,
    pub(crate) keyboards: [KeyboardStack; 2],
    pub(crate) titles: Titles,
    pub(crate) palette: Palette,
    pub(crate) cwd: String,
    pub(crate) progress: Progress,
    /// Whether a program ever reported progress.
    pub(crate) progress_touched: bool,
    pub(crate) statuses: ProgramStatuses,
    pub(crate) notification: Kitty99,
    /// Columns of the character printed last, if nothing happened since: marks join it, REP repeats it.
    pub(crate) joinable: u8,
    /// What rows are stamped with that change now.
    pub(crate) stamp: u32,
    pub(crate) signals: Vec<Signal>,
    pub(crate) replies: Vec<u8>,
}

/// Signals wait until the caller takes them. Beyond this number, the terminal drops them.
const MAX_SIGNALS: usize = 256;

impl State {
    pub(crate) fn new(size: TermSize, limit: HistoryLimit) -> State {
        State {
            size,
            screens: [Screen::new(size, StyleId::DEFAULT), Screen::hidden(size, SavedCursor::default())],
            active: MAIN,
            history: History::new(limit),
            tables: Tables::default(),
            pen: Pen::default(),
            pen_style: StyleId::DEFAULT,
            ever_protected: false,
            charsets: Charsets::default(),
            modes: Modes::default(),
            cursor_style: CursorStyle::default(),
            keyboards: Default::default(),
            titles: Titles::default(),
            palette: Palette::default(),
            cwd: String::new(),
            progress: Progress::None,
            progress_touched: false,
            statuses: ProgramStatuses::default(),
            notification: Kitty99::default(),
            joinable: 0,
            stamp: 0,
            signals: Vec::new(),
            replies: Vec::new(),
        }
    }

    #[inline]
    pub(crate) fn screen(&mut self) -> &mut Screen {
        &mut self.screens[self.active]
    }

    #[inline]
    pub(crate) fn cols(&self) -> usize {
        self.screens[self.active].cols()
    }

    #[inline]
    pub(crate) fn height(&self) -> usize {
        self.screens[self.active].height()
    }

    /// How many lines of history stand above the screen that is shown.
    #[inline]
    pub(crate) fn lines_above(&self) -> usize {
        if self.active == MAIN { self.history.len() } else { 0 }
    }

    #[inline]
    pub(crate) fn pen_changed(&mut self) {
        self.pen_style = match self.pen.inline_style() {
            Some(id) => id,
            None => self.tables.styles.id(&self.pen.style()),
        };
    }

    /// What erasing leaves: the pen's background and nothing else.
    #[inline]
    pub(crate) fn erase_style(&mut self) -> StyleId {
        let background = Style { background: self.pen.background, ..Style::default() };
        self.tables.styles.id(&background)
    }

    pub(crate) fn signal(&mut self, signal: Signal) {
        if self.signals.len() == MAX_SIGNALS {
            self.signals.remove(0);
        }
        self.signals.push(signal);
    }

    /// Keeps the cursor on the screen, and inside the scroll region in origin mode. `max_col` is one past the
    /// last column where a pending wrap may stay.
    #[inline]
    pub(crate) fn restrict(&mut self, max_col: usize) {
        let origin = self.modes.origin;
        let screen = self.screen();
        let (first, last) = match origin {
            true => (screen.margins.top, screen.margins.bottom),
            false => (0, screen.height() - 1),
        };
        screen.cursor.col = screen.cursor.col.min(max_col);
        screen.cursor.row = screen.cursor.row.clamp(first, last);
    }

    #[inline]
    pub(crate) fn restrict_to_screen(&mut self) {
        self.restrict(self.cols() - 1);
    }

    /// Moves to an address, counted from the scroll region in origin mode.
    #[inline]
    pub(crate) fn go_to(&mut self, col: usize, row: usize) {
        let origin = self.modes.origin;
        let screen = self.screen();
        screen.cursor.col = col;
        screen.cursor.row = if origin { screen.margins.top + row } else { row };
        self.restrict_to_screen();
    }

    /// Moves by a distance. In origin mode the web viewer counts the target row from the scroll region once more;
    /// so do we, since its screen is the one people see.
    pub(crate) fn move_by(&mut self, cols: isize, rows: isize) {
        self.restrict_to_screen();
        let cursor = self.screen().cursor;
        let row = cursor.row as isize + rows;
        if self.modes.origin && row < 0 {
            let screen = self.screen();
            screen.cursor.col = cursor.col.saturating_add_signed(cols);
            screen.cursor.row = screen.margins.top.saturating_add_signed(row);
            return self.restrict_to_screen();
        }
        self.go_to(cursor.col.saturating_add_signed(cols), row.max(0) as usize);
    }

    pub(crate) fn up(&mut self, n: usize) {
        let screen = self.screen();
        let (row, top) = (screen.cursor.row, screen.margins.top);
        let n = if row >= top { n.min(row - top) } else { n };
        self.move_by(0, -(n as isize));
    }

    pub(crate) fn down(&mut self, n: usize) {
        let screen = self.screen();
        let (row, bottom) = (screen.cursor.row, screen.margins.bottom);
        let n = if row <= bottom { n.min(bottom - row) } else { n };
        self.move_by(0, n as isize);
    }

    pub(crate) fn save_cursor(&mut self) {
        let above = self.lines_above();
        let (pen, charset) = (self.pen, self.charsets.active);
        let screen = self.screen();
        screen.saved = SavedCursor {
            col: screen.cursor.col.min(screen.cols()),
            line: above + screen.cursor.row,
            foreground: pen.foreground,
            background: pen.background,
            flags: pen.flags,
            extended: pen.extended,
            charset,
        };
    }

    pub(crate) fn restore_cursor(&mut self) {
        let above = self.lines_above();
        let screen = self.screen();
        let saved = screen.saved;
        screen.cursor.col = saved.col;
        screen.cursor.row = saved.line.saturating_sub(above);
        self.pen.foreground = saved.foreground;
        self.pen.background = saved.background;
        self.pen.flags = saved.flags;
        self.pen.extended = saved.extended;
        self.pen_changed();
        self.charsets.active = saved.charset;
        self.restrict_to_screen();
    }

    /// Down one row, scrolling at the end of the region.
    #[inline]
    pub(crate) fn line_feed(&mut self) {
        if self.modes.newline {
            self.screen().cursor.col = 0;
        }
        let screen = self.screen();
        let row = screen.cursor.row;
        if row == screen.margins.bottom {
            self.scroll(false);
        } else if row + 1 < screen.height() {
            screen.cursor.row = row + 1;
            screen.rows[row + 1].wrapped = false;
        }
        let screen = self.screen();
        if screen.cursor.col >= screen.cols() {
            screen.cursor.col -= 1;
        }
    }

    /// As a line feed, but a soft wrap of the row below stays as it is (IND).
    pub(crate) fn index(&mut self) {
        self.restrict_to_screen();
        let screen = self.screen();
        let row = screen.cursor.row;
        if row == screen.margins.bottom {
            self.scroll(false);
        } else if row + 1 < screen.height() {
            screen.cursor.row = row + 1;
        }
        self.restrict_to_screen();
    }

    pub(crate) fn reverse_index(&mut self) {
        self.restrict_to_screen();
        let fill = self.erase_style();
        let screen = self.screen();
        let Margins { top, bottom } = screen.margins;
        if screen.cursor.row == top {
            screen.scroll_down(top, bottom, 1, fill);
        } else {
            screen.cursor.row = screen.cursor.row.saturating_sub(1);
            self.restrict_to_screen();
        }
    }

    /// Scrolls the region up by one row. From the top of the main screen, that row goes into the history.
    #[inline]
    pub(crate) fn scroll(&mut self, wrapped: bool) {
        let fill = self.erase_style();
        let screen = &mut self.screens[self.active];
        let Margins { top, bottom } = screen.margins;
        if top == 0 && self.active == MAIN {
            let before = self.history.len();
            self.history.push(&screen.rows[0], &self.tables);
            // Whole blocks leave when memory, not the number of lines, is the limit.
            let left = (before + 1).saturating_sub(self.history.len());
            screen.saved.line = screen.saved.line.saturating_sub(left.saturating_sub(1));
        }
        if top == 0 && bottom + 1 == screen.height() {
            if let Some(mut row) = screen.rows.pop_front() {
                row.clear(fill);
                screen.rows.push_back(row);
            }
        } else {
            screen.scroll_up(top, bottom, 1, fill);
        }
        screen.rows[bottom].wrapped = wrapped;
    }

    /// Forgets the history but for its newest `lines`.
    pub(crate) fn forget_history(&mut self, lines: usize) {
        let before = self.history.len();
        self.history.keep_last(lines);
        let saved = &mut self.screens[MAIN].saved;
        saved.line = saved.line.saturating_sub(before - self.history.len());
    }

    pub(crate) fn show_alternate(&mut self) {
        if self.active == ALTERNATE {
            return;
        }
        let mut alternate = Screen::new(self.size, self.erase_style());
        alternate.saved = self.screens[ALTERNATE].saved;
        alternate.cursor = self.screens[MAIN].cursor;
        self.screens[ALTERNATE] = alternate;
        self.active = ALTERNATE;
    }

    pub(crate) fn show_main(&mut self) {
        if self.active == MAIN {
            return;
        }
        self.screens[MAIN].cursor = self.screens[ALTERNATE].cursor;
        self.screens[ALTERNATE] = Screen::hidden(self.size, self.screens[ALTERNATE].saved);
        self.active = MAIN;
    }

    /// DECSTR.
    pub(crate) fn soft_reset(&mut self) {
        self.pen = Pen::default();
        self.pen_changed();
        self.modes.soft_reset();
        self.cursor_style = CursorStyle::default();
        self.charsets = Charsets::default();
        let line = self.lines_above();
        let screen = self.screen();
        screen.margins = Margins::whole(screen.height());
        screen.saved = SavedCursor { line, ..SavedCursor::default() };
    }

    /// RIS.
    pub(crate) fn full_reset(&mut self) {
        self.pen = Pen::default();
        self.pen_changed();
        self.modes.full_reset();
        self.cursor_style = CursorStyle::default();
        self.charsets = Charsets::default();
        self.screens =
            [Screen::new(self.size, StyleId::DEFAULT), Screen::hidden(self.size, SavedCursor::default())];
        self.active = MAIN;
        self.history.clear();
        self.keyboards = Default::default();
        self.palette.reset();
        self.progress = Progress::None;
        self.set_title(String::new());
    }

    pub(crate) fn set_title(&mut self, title: String) {
        self.titles.touched |= !title.is_empty();
        if self.titles.window != title {
            self.titles.window.clone_from(&title);
            if let Some(Signal::Title(last)) = self.signals.last_mut() {
                *last = title;
            } else {
                self.signal(Signal::Title(title));
            }
        }
    }

    /// The cell that was printed last, and its column, if it is as it was printed.
    pub(crate) fn joinable_cell(&self) -> Option<(usize, Cell)> {
        let screen = &self.screens[self.active];
        let col = screen.cursor.col.checked_sub(usize::from(self.joinable))?;
        let cell = screen.rows[screen.cursor.row].cell(col);
        let printed = self.joinable > 0
            && cell.style() == self.pen_style
            && cell.width() == self.joinable
            && cell.has_content();
        printed.then_some((col, cell))
    }

    /// Protects what is printed from selective erase (DECSCA).
    pub(crate) fn protect(&mut self, on: bool) {
        self.ever_protected |= on;
        let flags = self.pen.flags;
        self.pen.flags = if on { flags.with(Flags::PROTECTED) } else { flags.without(Flags::PROTECTED) };
        self.pen_changed();
    }

    /// Drops what no cell refers to any more from the side tables.
    #[cold]
    pub(crate) fn sweep(&mut self) {
        let mut sweep = Sweep::new(std::mem::take(&mut self.tables));
        for screen in &mut self.screens {
            for row in &mut screen.rows {
                row.fill = sweep.style(row.fill);
                row.cells_mut().iter_mut().for_each(|cell| sweep.cell(cell));
            }
        }
        self.pen.link = sweep.link(self.pen.link);
        self.tables = sweep.finish();
        self.pen_changed();
        self.history.close_block();
    }
}
