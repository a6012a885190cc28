//! What was recorded of workers, as others may have it: ranges, screens, lines, marks, hits and whole files.
//!
//! Everything here reads files and blocks until it is done, so callers give it a thread of its own. It is bounded: no
//! answer is larger than a page or a chunk, nothing holds more than a segment or two in memory, and a [`Stop`] ends it
//! soon after it is set, or when a deadline has passed.
//!
//! Everything that leaves is masked, by the rules that [`Masks`] finds for a worker. A secret of which only half is
//! printed looks like none. So of a worker that may still print, the last instant is held back; live output is what
//! attaching is for.

mod cursor;
mod error;
mod export;
mod info;
mod lines;
mod marks;
mod masks;
mod moment;
mod open;
mod output;
mod screen;
mod search;
mod stop;

pub use cursor::{Cursor, Page, ParseCursorError};
pub use error::RecordingError;
pub use export::{Format, export};
pub use info::{Gap, Info, info};
pub use lines::{Line, WantedLines, lines};
pub use marks::{Mark, MarkKind, marks};
pub use masks::{Masks, MasksError};
pub use moment::{Bound, Span};
pub use output::{Chunk, MOST_OUTPUT_BYTES, output};
pub use screen::{ScreenAt, screen_at};
pub use search::{Asked, Case, Found, Hit, SearchCursor, search};
pub use stop::{Stop, StopGuard, Stopped};
