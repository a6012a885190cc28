//! A page that plays a recording by itself: one file, without a server and without the network.
//!
//! There is no terminal in the page. The model here draws every screen, and the page holds what changes from one moment
//! to the next: which rows, and where the cursor is. Rows and styles are sent once and named by number afterwards. The
//! whole is a stream of JSON, a record in each line, deflated, in base64:
//!
//! | record | meaning |
//! | --- | --- |
//! | object | the first: who, what, when, and the size |
//! | string | the next style, as rules of a style sheet; number 0, the plain one, is not sent |
//! | `[0, style, text, …]` | the next row: texts and their styles; a negative number behind a text is its width |
//! | `[1, ms, cursor, row, number, …]` | a moment, so long after the one before: the rows that changed |
//! | `[2, cols, rows]` | the next moment has this size, and every row is blank before it |
//! | `[3, ms, kind, label]` | a marker, so long after the beginning |
//!
//! A cursor is −1 where none is shown, else column + 1024 × row + 1,048,576 × shape.

mod moments;
mod page;
mod records;
mod rows;

use std::io::Write;

use playback::Source;
use terminal::HistoryLimit;

use crate::error::ExportError;
use crate::subject::Subject;
use crate::walk::Walk;
use moments::Moments;
use page::Page;
use records::Records;

/// The page shows the screen alone.
const HISTORY: HistoryLimit = HistoryLimit { lines: 0, bytes: 0 };

/// Writes a page that plays a recording.
///
/// It is written as the recording is played, and takes little memory however long that is. But a browser has to hold
/// all of it.
///
/// # Errors
///
/// When nothing is recorded, when it is more than a browser can be expected to hold, or when it cannot be written.
pub fn player<S: Source>(source: &S, subject: &Subject, out: impl Write) -> Result<(), ExportError> {
    let mut walk = Walk::begin(source, subject.range, HISTORY)?;
    let mut page = Page::begin(out, subject, walk.begin_us())?;
    let mut records = Records::begin(page.records(), subject, walk.begin_us(), walk.terminal().size())?;
    let mut moments = Moments::begin(walk.begin_us(), walk.terminal(), &mut records)?;
    loop {
        let next_us = walk.next_time_us();
        moments.draw_before(next_us, walk.terminal(), &mut records)?;
        let Some((time_us, step)) = walk.next() else { break };
        moments.take_in(time_us, &step, &mut records)?;
    }
    moments.end(&mut records)?;
    records.end()?.finish()?;
    Ok(page.end()?)
}
