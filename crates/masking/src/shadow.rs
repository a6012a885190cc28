//! The shadow of a screen: of every cell, one byte of what it shows and the place in the stream it came from.
//!
//! It follows the moves, wraps, scrolls and erasures that decide what stands beside what, as `terminal` does them,
//! and nothing else. Before text is lost that the rules have not seen, they check its row.

mod control;
mod edit;
mod line;
mod look;
mod pen;
mod places;
mod print;
mod row;
mod screen;
mod unsettled;

use std::collections::VecDeque;
use std::sync::Arc;

use model::TermSize;

use crate::mask::Mask;
use crate::open::Open;
use crate::rules::{Hit, Rules, Source};
use line::Line;
use row::Row;
use screen::Screen;

const MAIN: usize = 0;
const ALTERNATE: usize = 1;

#[derive(Debug)]
pub(crate) struct Shadow {
    rules: Arc<Rules>,
    cols: usize,
    screens: [Screen; 2],
    active: usize,
    above: Above,
    modes: Modes,
    /// The character printed last, if nothing happened since: marks join it, REP repeats it.
    last: Option<Printed>,
    /// Row and column where the last printed character ended.
    swept_to: (usize, usize),
    /// Lines that scrolled off the main screen, and could come back when it grows.
    history: usize,
    pub(crate) masks: Vec<Mask>,
    /// Columns looked at so far.
    pub(crate) looked_at: u64,
    line: Line,
    hits: Vec<Hit>,
}

/// What stood above the screen that is shown, as far as it may go on there.
#[derive(Debug, Default)]
struct Above {
    rows: VecDeque<Row>,
    spare: Vec<Row>,
    /// What was open before the first of the rows.
    open_before: Open,
    /// What is open where the screen begins.
    open: Open,
}

#[derive(Debug)]
struct Modes {
    autowrap: bool,
    insert: bool,
    origin: bool,
    newline: bool,
    /// Which of the four character sets draws lines, and which one is in use.
    line_drawing: [bool; 4],
    charset: usize,
}

impl Default for Modes {
    fn default() -> Modes {
        let line_drawing = [false; 4];
        Modes { autowrap: true, insert: false, origin: false, newline: false, line_drawing, charset: 0 }
    }
}

#[derive(Clone, Copy, Debug)]
struct Printed {
    byte: u8,
    cols: u8,
}

impl Shadow {
    pub(crate) fn new(rules: Arc<Rules>, size: TermSize) -> Shadow {
        let (cols, height) = (usize::from(size.cols()), usize::from(size.rows()));
        Shadow {
            rules,
            cols,
            screens: [Screen::new(cols, height), Screen::new(cols, height)],
            active: MAIN,
            above: Above::default(),
            modes: Modes::default(),
            last: None,
            swept_to: (0, 0),
            history: 0,
            masks: Vec::new(),
            looked_at: 0,
            line: Line::default(),
            hits: Vec::new(),
        }
    }

    #[inline]
    fn screen(&mut self) -> &mut Screen {
        &mut self.screens[self.active]
    }

    #[inline]
    fn height(&self) -> usize {
        self.screens[self.active].height()
    }

    #[inline]
    fn row(&self, row: usize) -> &Row {
        self.screens[self.active].row(row)
    }

    #[inline]
    fn row_mut(&mut self, row: usize) -> &mut Row {
        self.screens[self.active].row_mut(row)
    }

    /// Changes the size. Lines are not wrapped anew: programs redraw what they care for.
    pub(crate) fn resize(&mut self, size: TermSize) {
        let (cols, height) = (usize::from(size.cols()), usize::from(size.rows()));
        if (cols, height) == (self.cols, self.height()) {
            return;
        }
        self.look_at_all();
        let main = &self.screens[MAIN];
        let at_bottom = main.cursor.row + 1 == main.height();
        let more = if at_bottom { self.history.min(height.saturating_sub(main.height())) } else { 0 };
        self.history -= more;
        self.screens[MAIN].resize(cols, height, more);
        self.screens[ALTERNATE].resize(cols, height, 0);
        self.above.clear();
        self.cols = cols;
        self.last = None;
    }

    fn show_alternate(&mut self) {
        if self.active == MAIN {
            self.look_at_all();
            let saved = self.screens[ALTERNATE].saved;
            let mut alternate = Screen::new(self.cols, self.height());
            (alternate.cursor, alternate.saved) = (self.screens[MAIN].cursor, saved);
            self.screens[ALTERNATE] = alternate;
            self.active = ALTERNATE;
            self.above.clear();
        }
    }

    fn show_main(&mut self) {
        if self.active == ALTERNATE {
            self.look_at_all();
            self.screens[MAIN].cursor = self.screens[ALTERNATE].cursor;
            self.active = MAIN;
            self.above.clear();
        }
    }

    /// RIS.
    fn full_reset(&mut self) {
        self.look_at_all();
        let (cols, height) = (self.cols, self.height());
        self.screens = [Screen::new(cols, height), Screen::new(cols, height)];
        self.active = MAIN;
        self.modes = Modes::default();
        self.history = 0;
        self.above.clear();
    }

    /// DECSTR.
    fn soft_reset(&mut self) {
        self.modes = Modes::default();
        let screen = self.screen();
        (screen.top, screen.bottom) = (0, screen.height() - 1);
        screen.saved = Default::default();
    }
}

impl Above {
    #[inline]
    fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.open == Open::Nothing
    }

    fn clear(&mut self) {
        self.spare.extend(self.rows.drain(..));
        self.spare.truncate(8);
        (self.open_before, self.open) = (Open::Nothing, Open::Nothing);
    }
}

/// What control strings ask for.
impl Shadow {
    /// A sequence that changes no cell came by.
    #[inline]
    pub(crate) fn styled(&mut self) {
        self.last = None;
    }

    /// The secrets of a line that is not on the screen.
    pub(crate) fn secrets(&mut self, line: &[u8]) -> Vec<Hit> {
        self.looked_at += line.len() as u64;
        if !self.rules.stirs(line) {
            return Vec::new();
        }
        self.rules.search(line, Open::Nothing, &mut self.hits);
        self.hits.clone()
    }

    /// What finds the first secret of a text, if it has one.
    pub(crate) fn first_secret(&mut self, text: &str) -> Option<Source> {
        self.looked_at += text.len() as u64;
        self.rules.first_source(text)
    }
}
