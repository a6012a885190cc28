//! Reads the recordings of workers: output, screens, lines, marks, hits and whole files.
//!
//! All functions read files and block, so callers give them a thread of their own. They are bounded: no answer is
//! larger than a page or a chunk, a function holds at most two segments in memory, and a [`Stop`] ends it soon after it
//! is set, or when a deadline has passed.
//!
//! All answers are masked, by the rules that [`Masks`] finds for a worker. Half a secret is not recognised as one. So the
//! last instant of a worker that may still print is held back. Viewers that need live output attach to the host.

mod cursor;
mod error;
mod export;
mod info;
mod lines;
mod marks;
mod moment;
mod open;
mod output;
mod recorded;
mod screen;
mod search;

pub use cursor::{Cursor, Page, ParseCursorError};
pub use error::RecordingError;
pub use export::{Format, export};
pub use info::{Gap, Info, info};
pub use lines::{Line, WantedLines, lines};
pub use marks::{Mark, MarkKind, marks};
pub use moment::{Bound, Span};
pub use output::{Chunk, MOST_OUTPUT_BYTES, output};
pub use reading::{Masks, MasksError, Stop, StopGuard, Stopped};
pub(crate) use recorded::Recorded;
pub use screen::{ScreenAt, screen_at};
pub use search::{Asked, Case, Found, Hit, SearchCursor, search};
