//! One page to read and to print: everything that was printed, in its colours. No script, and nothing from the network.

mod given;
mod page;
mod redraw;
mod rows;
mod settled;

use std::io::Write;

use playback::Source;
use terminal::HistoryLimit;

use crate::error::ExportError;
use crate::subject::Subject;
use crate::walk::{Step, Walk};
use page::Page;
use settled::Settled;

/// What scrolls off is taken from a terminal of our own.
const HISTORY: HistoryLimit = HistoryLimit { lines: 0, bytes: 0 };

/// Writes a recording as a page to read: every line that was printed, once; of full-screen programs the screens that
/// stood for a while and those that they left.
///
/// # Errors
///
/// When nothing is recorded, or it cannot be written.
pub fn html<S: Source>(source: &S, subject: &Subject, out: impl Write) -> Result<(), ExportError> {
    let mut walk = Walk::begin(source, subject.range, HISTORY)?;
    let mut page = Page::begin(out, subject, walk.begin_us(), walk.terminal().size())?;
    let mut settled = Settled::begin(walk.terminal());
    let mut end_us = walk.begin_us();
    while let Some((time_us, step)) = walk.next() {
        end_us = time_us;
        match step {
            Step::Output(bytes) => settled.feed(time_us, &bytes, &mut page)?,
            Step::Resize(size) => settled.resize(time_us, size, &mut page)?,
            Step::Redrawn => settled.restart(walk.terminal(), &mut page)?,
            Step::Exit(status) => page.end_with(status),
            Step::Marker(marker) => page.marker(&marker)?,
        }
    }
    settled.end(&mut page)?;
    Ok(page.end(walk.begin_us(), end_us)?)
}
