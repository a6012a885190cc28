//! Painting rows into a viewer's terminal.

use std::fmt::Write as _;
use std::sync::Arc;

use super::row::{PaintCell, PaintRow, PaintText};
use crate::keyboard::KeyboardStack;
use crate::screen::SavedCursor;
use crate::sgr;
use crate::signal::PromptMark;
use crate::state::State;
use crate::style::{Style, Underline};
use crate::tables::Link;
use crate::width;

/// Writes a snapshot, knowing at every point what the viewer's terminal holds.
pub(super) struct Painter<'a> {
    pub(super) state: &'a State,
    out: Vec<u8>,
    pub(super) cols: usize,
    pub(super) height: usize,
    /// The viewer's pen.
    style: Style,
    link: Option<Arc<Link>>,
    /// The viewer's cursor while rows are painted.
    col: usize,
    row: usize,
    /// How untouched cells of the viewer's row look.
    backdrop: Style,
    /// The last column of the row before was printed on only to wrap; it should be blank, and look like this.
    printed_to_wrap: Option<Style>,
    /// Whether the viewer forms grapheme clusters.
    clusters: bool,
    /// Whether the viewer shows its alternate screen, which has no history.
    pub(super) on_alternate: bool,
}

impl<'a> Painter<'a> {
    pub(super) fn new(state: &'a State) -> Painter<'a> {
        Painter {
            state,
            out: Vec::with_capacity(4096),
            cols: usize::from(state.size.cols()),
            height: usize::from(state.size.rows()),
            style: Style::default(),
            link: None,
            col: 0,
            row: 0,
            backdrop: Style::default(),
            printed_to_wrap: None,
            clusters: false,
            on_alternate: false,
        }
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.out
    }

    pub(super) fn raw(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    pub(super) fn format(&mut self, arguments: std::fmt::Arguments<'_>) {
        struct Bytes<'b>(&'b mut Vec<u8>);
        impl std::fmt::Write for Bytes<'_> {
            fn write_str(&mut self, text: &str) -> std::fmt::Result {
                self.0.extend_from_slice(text.as_bytes());
                Ok(())
            }
        }
        // Writing to memory does not fail.
        let _ = Bytes(&mut self.out).write_fmt(arguments);
    }

    // The pen

    pub(super) fn set_style(&mut self, style: &Style, link: Option<&Arc<Link>>) {
        if self.link.as_ref() != link {
            match link {
                Some(link) if !link.id.is_empty() => {
                    self.format(format_args!("\x1b]8;id={};{}\x1b\\", link.id, link.uri));
                }
                Some(link) => self.format(format_args!("\x1b]8;;{}\x1b\\", link.uri)),
                None => self.raw("\x1b]8;;\x1b\\"),
            }
            self.link = link.cloned();
        }
        if self.style != *style {
            sgr::change(&mut self.out, &self.style, style);
            self.style = *style;
        }
    }

    pub(super) fn plain_style(&mut self) {
        self.set_style(&Style::default(), None);
    }

    /// Sets an underline colour that the next underline will have.
    pub(super) fn latent_underline_color(&mut self, color: crate::style::Color) {
        sgr::underline_color(&mut self.out, color);
    }

    // Rows

    /// Paints rows from the top of the viewer's empty screen on, letting it scroll when there are more than fit.
    /// With `exact`, blank rows at the end are made too, so that the viewer has as many lines above its screen as
    /// it should. Saves the cursor when its line comes by.
    pub(super) fn rows(
        &mut self,
        rows: impl Iterator<Item = PaintRow<'a>>,
        exact: bool,
        saved: Option<(&SavedCursor, usize)>,
    ) {
        let mut rows = rows.enumerate().peekable();
        (self.col, self.row) = (0, 0);
        self.backdrop = Style::default();
        let mut newlines = 0;
        while let Some((line, row)) = rows.next() {
            let saves_here = saved.filter(|&(_, at)| at == line);
            if line == 0 && row.wrapped {
                self.wrap_into_top();
            } else if row.wrapped {
                self.begin_wrapped(&row);
            } else if line > 0 {
                newlines += 1;
            }
            let next = rows.peek().map(|(_, next)| next).filter(|next| next.wrapped);
            let nothing = row.cells.is_empty() && row.fill == Style::default() && row.marks.is_empty();
            if nothing && next.is_none() && saves_here.is_none() && !row.wrapped {
                continue;
            }
            self.newlines(std::mem::take(&mut newlines));
            if let Some((saved, _)) = saves_here {
                self.save_cursor(saved);
                if self.col == self.cols {
                    // What the wrap had to print reaches the last column, and the next wrap is pending after it.
                    self.raw("\x1b[G");
                    self.print(&row.cell(0));
                }
            }
            row.marks.iter().for_each(|mark| self.mark(mark));
            self.cells(&row, next);
        }
        if exact {
            self.newlines(newlines);
        }
    }

    fn newlines(&mut self, n: usize) {
        if n == 0 {
            return;
        }
        // A line that scrolls in takes the pen's background.
        if self.row + n >= self.height && !self.style.background.is_default() {
            self.plain_style();
        }
        self.out.push(b'\r');
        self.out.extend(std::iter::repeat_n(b'\n', n));
        self.col = 0;
        self.row = (self.row + n).min(self.height - 1);
        self.backdrop = Style::default();
    }

    /// Makes the top row one that continues a line which is nowhere: wraps a line of blanks into the second row
    /// and scrolls that up.
    fn wrap_into_top(&mut self) {
        self.out.extend(std::iter::repeat_n(b' ', self.cols + 1));
        if self.height > 1 {
            self.raw("\x1b[S");
        } else if !self.on_alternate {
            self.raw("\x1b[3J");
        }
        self.raw("\x1b[H\x1b[X");
    }

    /// Goes on to a row that continues the line: the viewer wraps when its first cell is printed.
    fn begin_wrapped(&mut self, row: &PaintRow<'a>) {
        let first = row.cell(0);
        let scrolls = self.row + 1 == self.height;
        // Neither a blank nor a mark that stands alone makes the viewer wrap.
        let blank = matches!(first.text, PaintText::Blank) || first.width == 0;
        if blank {
            self.plain_style();
            self.out.push(b' ');
        } else {
            self.print(&first);
        }
        self.row = (self.row + 1).min(self.height - 1);
        self.backdrop = Style { background: self.style.background, ..Style::default() };
        if !scrolls || self.backdrop == Style::default() {
            self.backdrop = Style::default();
        } else {
            self.set_style(&row.fill, None);
            self.raw("\x1b[K");
            self.backdrop = row.fill;
        }
        self.col = usize::from(first.width.max(1));
        if let Some(style) = self.printed_to_wrap.take().filter(|_| self.height > 1) {
            let (last, col) = (self.cols, self.col.min(self.cols - 1) + 1);
            self.set_style(&style, None);
            self.format(format_args!("\x1b[A\x1b[{last}G\x1b[X\x1b[B\x1b[{col}G"));
            if self.col == self.cols {
                self.raw("\x1b[G");
                self.print(&first);
            }
        }
        if blank {
            self.raw("\x08");
            self.set_style(&first.style, first.link);
            self.raw("\x1b[X");
            self.col = 0;
        }
    }

    /// Paints what is left of a row. `next` is the row that continues it, if there is one.
    fn cells(&mut self, row: &PaintRow<'a>, next: Option<&PaintRow<'a>>) {
        let mut end = row.cells.len();
        if let Some(next) = next {
            // A wide character that did not fit leaves the last column blank by itself.
            let last = row.cell(self.cols - 1);
            let first = next.cell(0);
            let left_blank = matches!(last.text, PaintText::Blank)
                && first.width == 2
                && last.style == first.style
                && last.link == first.link;
            end = if left_blank { self.cols - 1 } else { self.cols };
        }
        while self.col < end {
            let cell = row.cell(self.col);
            // The last column is printed on when the line goes on after it: only then does the viewer wrap.
            let must_print = next.is_some() && self.col + 1 == self.cols;
            if cell.is_erased() && !must_print {
                let limit = if next.is_some() { end.min(self.cols - 1) } else { end };
                let run = (self.col..limit)
                    .take_while(|&col| row.cell(col).is_erased() && row.cell(col).style == cell.style)
                    .count();
                self.skip(run, &cell);
            } else {
                self.print(&cell);
                self.col += usize::from(cell.width.max(1));
                if must_print && cell.is_erased() {
                    self.printed_to_wrap = Some(cell.style);
                }
            }
        }
        if next.is_none() && self.col < self.cols && self.backdrop != row.fill {
            self.set_style(&row.fill, None);
            if self.col == 0 && row.wrapped {
                // Erasing to the end from the first column would make it a line of its own.
                let cols = self.cols;
                self.format(format_args!("\x1b[{cols}X"));
            } else {
                self.raw("\x1b[K");
            }
        }
    }

    /// Passes over blank columns, erasing them if they look different from the viewer's.
    fn skip(&mut self, run: usize, cell: &PaintCell<'a>) {
        if cell.style != self.backdrop {
            self.set_style(&cell.style, None);
            self.format(format_args!("\x1b[{run}X"));
        }
        match run {
            1 => self.raw("\x1b[C"),
            _ => self.format(format_args!("\x1b[{run}C")),
        }
        self.col += run;
    }

    pub(super) fn print(&mut self, cell: &PaintCell<'a>) {
        self.set_style(&cell.style, cell.link);
        match cell.text {
            PaintText::Blank | PaintText::Continuation => self.out.push(b' '),
            PaintText::Char(c) => {
                let clusters = cell.width != width::width(c) && cell.width != 0;
                self.set_clusters(clusters);
                // A mark that stands alone must not join the cell before it.
                if cell.width == 0 || (self.clusters && !c.is_ascii()) {
                    self.stay();
                }
                self.out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            PaintText::Cluster(text) => {
                let mut parts = text.chars();
                let base = parts.next().map_or(0, width::width);
                let marks = parts.all(|c| width::width(c) == 0);
                self.set_clusters(!marks || base != cell.width);
                if self.clusters || base == 0 {
                    self.stay();
                }
                self.out.extend_from_slice(text.as_bytes());
            }
        }
    }

    /// A sequence without effect, after which nothing joins the printed character.
    fn stay(&mut self) {
        let style = self.style;
        if style == Style::default() {
            self.raw("\x1b[m");
        } else {
            self.raw("\x1b[27m");
            if style.flags.contains(crate::style::Flags::INVERSE) {
                self.raw("\x1b[7m");
            }
        }
    }

    pub(super) fn set_clusters(&mut self, on: bool) {
        if self.clusters != on {
            self.raw(if on { "\x1b[?2027h" } else { "\x1b[?2027l" });
            self.clusters = on;
        }
    }

    fn mark(&mut self, mark: PromptMark) {
        match mark {
            PromptMark::Prompt => self.raw("\x1b]133;A\x1b\\"),
            PromptMark::Input => self.raw("\x1b]133;B\x1b\\"),
            PromptMark::Output => self.raw("\x1b]133;C\x1b\\"),
            PromptMark::Finished(None) => self.raw("\x1b]133;D\x1b\\"),
            PromptMark::Finished(Some(code)) => self.format(format_args!("\x1b]133;D;{code}\x1b\\")),
        }
    }

    // Saved cursors

    /// Saves a cursor on the current row and comes back.
    pub(super) fn save_cursor(&mut self, saved: &SavedCursor) {
        let (col, last) = (self.col, self.cols);
        if saved.col >= self.cols {
            // One that waits to wrap: something must be printed in the last column.
            self.plain_style();
            self.format(format_args!("\x1b[{last}G "));
            self.save_here(saved);
            let backdrop = self.backdrop;
            self.set_style(&backdrop, None);
            self.format(format_args!("\x1b[{last}G\x1b[X"));
        } else {
            let at = saved.col + 1;
            self.format(format_args!("\x1b[{at}G"));
            self.save_here(saved);
        }
        let at = col + 1;
        self.format(format_args!("\x1b[{at}G"));
    }

    fn save_here(&mut self, saved: &SavedCursor) {
        let mut style = Style {
            foreground: saved.foreground,
            background: saved.background,
            flags: saved.flags,
            ..Style::default()
        };
        if saved.flags.contains(crate::style::Flags::UNDERLINE) {
            style.underline = Underline::Single;
        }
        // A link that was open makes restoring bring the one open then into force.
        let open = Arc::new(Link { id: String::new(), uri: "about:blank".to_owned() });
        let link = saved.extended && style.underline == Underline::None;
        self.set_style(&style, link.then_some(&open));
        let charset = char::from(saved.charset.final_byte());
        if charset == 'B' {
            self.raw("\x1b7");
        } else {
            self.format(format_args!("\x1b({charset}\x1b7\x1b(B"));
        }
    }

    /// The alternate screen is not shown, but a cursor saved on it and its keyboard flags would come back with it.
    pub(super) fn hidden_alternate(&mut self, saved: &SavedCursor, keyboard: &KeyboardStack) {
        if *saved != SavedCursor::default() || *keyboard != KeyboardStack::default() {
            let row = saved.line.min(self.height - 1) + 1;
            self.format(format_args!("\x1b[?47h\x1b[{row}H"));
            self.col = 0;
            self.save_cursor(saved);
            self.plain_style();
            self.keyboard(keyboard);
            self.raw("\x1b[?47l\x1b[H");
        }
    }

    /// A cursor that was saved on a line further down than the screen now reaches, because the history above was
    /// cleared: saved on such a line, then the history is cleared here too.
    pub(super) fn saved_below_screen(
        &mut self,
        saved: &SavedCursor,
        line: usize,
        above: usize,
        capacity: usize,
    ) {
        if line < above + self.height {
            return;
        }
        let lines = (line + 1 - self.height).min(capacity);
        let last = self.height;
        self.format(format_args!("\x1b[{last}H"));
        self.out.extend(std::iter::repeat_n(b'\n', lines));
        self.col = 0;
        self.save_cursor(saved);
        self.plain_style();
        self.raw("\x1b[3J\x1b[H");
    }
}
