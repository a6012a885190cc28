//! Which screens a page shows, and when.

use std::io::{self, Write};

use terminal::{Cursor, CursorShape, StyledRow, Terminal};

use super::records::Records;
use crate::error::ExportError;
use crate::marker::{Marker, MarkerKind};
use crate::pace::Pace;
use crate::walk::Step;

/// What is printed within this time is shown at once: people see no more than thirty screens in a second.
const MOMENT_US: u64 = 33_000;

/// More moments than this are too many for a browser. It is four hours of a program that never stands still.
const MOST_MOMENTS: u64 = 400_000;

/// Turns what happens into moments.
pub(super) struct Moments {
    begin_us: u64,
    pace: Pace,
    /// When the last moment was drawn.
    drawn_ms: u64,
    /// When something happened last.
    last_ms: u64,
    rows: Vec<StyledRow>,
    cursor: i64,
    count: u64,
}

impl Moments {
    /// Draws the first one.
    pub(super) fn begin<W: Write>(
        begin_us: u64,
        terminal: &Terminal,
        records: &mut Records<W>,
    ) -> Result<Moments, ExportError> {
        let rows = vec![StyledRow::default(); usize::from(terminal.size().rows())];
        let pace = Pace::new(MOMENT_US);
        let mut moments = Moments { begin_us, pace, drawn_ms: 0, last_ms: 0, rows, cursor: -1, count: 0 };
        moments.draw(begin_us, terminal, records)?;
        Ok(moments)
    }

    /// Takes in what happened.
    pub(super) fn take_in<W: Write>(
        &mut self,
        time_us: u64,
        step: &Step,
        records: &mut Records<W>,
    ) -> io::Result<()> {
        let ms = self.ms(time_us);
        self.last_ms = ms;
        if let Step::Output(_) | Step::Resize(_) | Step::Redrawn = step {
            self.pace.changed(time_us);
        }
        match step {
            Step::Output(_) | Step::Redrawn => Ok(()),
            Step::Marker(marker) => records.marker(ms, marker),
            Step::Resize(size) => {
                records.marker(ms, &Marker { kind: MarkerKind::Resize, label: size.to_string() })
            }
            Step::Exit(status) => {
                records.marker(ms, &Marker { kind: MarkerKind::Exit, label: status.to_string() })
            }
        }
    }

    /// Draws what has happened, unless something follows so soon that both are one moment.
    pub(super) fn draw_before<W: Write>(
        &mut self,
        next_us: Option<u64>,
        terminal: &Terminal,
        records: &mut Records<W>,
    ) -> Result<(), ExportError> {
        match self.pace.due(next_us, terminal.modes().synchronized) {
            Some(time_us) => self.draw(time_us, terminal, records),
            None => Ok(()),
        }
    }

    fn draw<W: Write>(
        &mut self,
        time_us: u64,
        terminal: &Terminal,
        records: &mut Records<W>,
    ) -> Result<(), ExportError> {
        let is_resized = records.size(terminal.size(), &mut self.rows)?;
        let mut changed = Vec::new();
        for (index, row) in terminal.rows().enumerate() {
            if self.rows.get(index) != Some(&row) {
                changed.push((index, records.row(&row)?));
                self.rows[index] = row;
            }
        }
        let cursor = cursor_number(terminal.cursor());
        let is_first = self.count == 0;
        if !is_first && !is_resized && changed.is_empty() && cursor == self.cursor {
            return Ok(());
        }
        self.cursor = cursor;
        self.count += 1;
        if self.count > MOST_MOMENTS {
            return Err(ExportError::TooLong);
        }
        self.tell(self.ms(time_us), &changed, records)
    }

    /// Brings the page to the end, if something happened there that is not seen on the screen.
    pub(super) fn end<W: Write>(&mut self, records: &mut Records<W>) -> Result<(), ExportError> {
        if self.last_ms > self.drawn_ms { self.tell(self.last_ms, &[], records) } else { Ok(()) }
    }

    fn tell<W: Write>(
        &mut self,
        ms: u64,
        changed: &[(usize, u32)],
        records: &mut Records<W>,
    ) -> Result<(), ExportError> {
        records.moment(ms - self.drawn_ms, self.cursor, changed)?;
        self.drawn_ms = ms;
        Ok(())
    }

    /// Milliseconds since the beginning, not before the time they stand for.
    fn ms(&self, time_us: u64) -> u64 {
        time_us.saturating_sub(self.begin_us).div_ceil(1000)
    }
}

fn cursor_number(cursor: Cursor) -> i64 {
    if !cursor.visible {
        return -1;
    }
    let shape = match cursor.style.shape {
        None | Some(CursorShape::Block) => 0,
        Some(CursorShape::Underline) => 1,
        Some(CursorShape::Bar) => 2,
    };
    i64::from(cursor.col) | i64::from(cursor.row) << 10 | shape << 20
}
