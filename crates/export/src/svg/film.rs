//! The screens of a recording that differ, and when each is shown.

use std::collections::HashMap;

use model::TermSize;
use playback::Source;
use terminal::{CursorShape, StyledRow, Terminal};

use super::row::Row;
use super::sheet::Sheet;
use super::timing::Clock;
use super::write::MOST_BYTES;
use super::{Motion, Picture};
use crate::error::ExportError;
use crate::pace::Pace;
use crate::walk::{Step, Walk};

/// What is printed within this time is shown at once: a file with more screens is larger and looks the same.
const MOMENT_US: u64 = 66_000;

/// More screens than this are too many for a picture: five minutes of a program that never stands still.
const MOST_FRAMES: usize = 5_000;

/// Which row: a place in [`Film::rows`].
pub(super) type RowId = usize;

/// A row with nothing to see.
pub(super) const BLANK: RowId = 0;

/// All that a picture shows.
pub(super) struct Film {
    /// At least one, the earliest first; each is later than the one before.
    pub(super) frames: Vec<Frame>,
    /// Every row that was ever on the screen, once.
    pub(super) rows: Vec<Row>,
    /// The classes that rows name.
    pub(super) sheet: Sheet,
    /// The most columns that the terminal had.
    pub(super) cols: u16,
    /// The most rows that the terminal had.
    pub(super) height: u16,
}

/// A screen.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// When it is shown, after the beginning.
    pub(super) at_ms: u64,
    pub(super) rows: Vec<RowId>,
    pub(super) cursor: Option<CursorAt>,
}

/// A cursor that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CursorAt {
    pub(super) col: u16,
    pub(super) row: u16,
    pub(super) shape: CursorShape,
}

impl Film {
    /// Plays a part of a recording, and keeps what is to be shown of it.
    pub(super) fn take<S: Source>(mut walk: Walk<'_, S>, picture: &Picture) -> Result<Film, ExportError> {
        let mut taking = Taking::new(Sheet::new(picture.theme));
        match picture.motion {
            Motion::Still => {
                while walk.next().is_some() {}
                taking.draw(0, walk.terminal())?;
            }
            Motion::Plays { idle_limit, speed } => {
                let mut clock = Clock::new(walk.begin_us(), idle_limit, speed);
                let mut pace = Pace::new(clock.recorded_us(MOMENT_US));
                taking.draw(0, walk.terminal())?;
                loop {
                    let next_us = walk.next_time_us();
                    if let Some(time_us) = pace.due(next_us, walk.terminal().modes().synchronized) {
                        taking.draw(clock.shown_ms(time_us), walk.terminal())?;
                    }
                    let Some((time_us, step)) = walk.next() else { break };
                    if let Step::Output(_) | Step::Resize(_) | Step::Redrawn = step {
                        pace.changed(time_us);
                    }
                }
            }
        }
        Ok(taking.film)
    }
}

/// A film that is being taken.
struct Taking {
    film: Film,
    known: HashMap<Row, RowId>,
    /// What all rows together take in a file.
    bytes: usize,
    /// The screen that was drawn last.
    screen: Vec<StyledRow>,
    size: Option<TermSize>,
}

impl Taking {
    fn new(sheet: Sheet) -> Taking {
        let blank = Row::default();
        let rows = vec![blank.clone()];
        let film = Film { frames: Vec::new(), rows, sheet, cols: 0, height: 0 };
        Taking { film, known: HashMap::from([(blank, BLANK)]), bytes: 0, screen: Vec::new(), size: None }
    }

    fn draw(&mut self, at_ms: u64, terminal: &Terminal) -> Result<(), ExportError> {
        let size = terminal.size();
        if self.size.replace(size) != Some(size) {
            self.screen.clear();
        }
        self.film.cols = self.film.cols.max(size.cols());
        self.film.height = self.film.height.max(size.rows());
        let mut rows = self.film.frames.last().map_or_else(Vec::new, |frame| frame.rows.clone());
        rows.resize(size.rows().into(), BLANK);
        let screen: Vec<StyledRow> = terminal.rows().collect();
        for (index, row) in screen.iter().enumerate() {
            if self.screen.get(index) != Some(row) {
                rows[index] = self.row(row, size.cols())?;
            }
        }
        self.screen = screen;
        self.add(Frame { at_ms, rows, cursor: cursor(terminal) })
    }

    fn row(&mut self, row: &StyledRow, cols: u16) -> Result<RowId, ExportError> {
        let row = Row::draw(row, cols, &mut self.film.sheet);
        if let Some(known) = self.known.get(&row) {
            return Ok(*known);
        }
        self.bytes += row.bytes();
        if self.bytes > MOST_BYTES {
            return Err(ExportError::TooLarge);
        }
        let id = self.film.rows.len();
        self.film.rows.push(row.clone());
        self.known.insert(row, id);
        Ok(id)
    }

    fn add(&mut self, frame: Frame) -> Result<(), ExportError> {
        let frames = &mut self.film.frames;
        if frames.last().is_some_and(|last| last.rows == frame.rows && last.cursor == frame.cursor) {
            return Ok(());
        }
        // Of several screens at one time only the last can be seen.
        while frames.last().is_some_and(|last| last.at_ms >= frame.at_ms) {
            frames.pop();
        }
        frames.push(frame);
        if frames.len() > MOST_FRAMES { Err(ExportError::TooLarge) } else { Ok(()) }
    }
}

fn cursor(terminal: &Terminal) -> Option<CursorAt> {
    let cursor = terminal.cursor();
    let shape = cursor.style.shape.unwrap_or(CursorShape::Block);
    cursor.visible.then_some(CursorAt { col: cursor.col, row: cursor.row, shape })
}
