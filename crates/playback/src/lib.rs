//! A recording, played: screens at any moment, lines of settled text, and marks on a time line.
//!
//! `recording` knows files and blocks, `terminal` knows screens; here they come together. A [`Source`] hands out the
//! blocks of segments. A [`Player`] brings a terminal to any moment of it, at the cost of one segment. [`lines`] tells
//! the printed lines, each one once, and [`marks`] what there is to jump to: commands, resizes, gaps, the end.
//! [`commands`] are those of a shell that marks, and [`printed`] is what one of them printed.
//! [`Lines`] does the same for output that is still coming.
//!
//! What leaves is a [`MaskedRecording`]. [`seal_recording`] brings a recording to rest: masked, compressed, and with
//! its lines beside it, in which [`search_segment`] finds what is looked for.

mod commands;
mod event;
mod lines;
mod live_lines;
mod marks;
mod masked;
mod player;
mod seal;
mod search;
mod settling;
mod source;
mod time_line;

pub use commands::{Command, CommandEnd, commands, printed};
pub use event::{Event, EventKind};
pub use lines::{lines, lines_of_segment};
pub use live_lines::{Finished, Lines};
pub use marks::{Mark, MarkKind, marks};
pub use masked::MaskedRecording;
pub use player::Player;
pub use recording::{Line, LineKind};
pub use seal::{Growth, Masks, SealedRecording, count_unsealed, seal_recording};
pub use search::{
    Case, Passage, PassageLine, Query, QueryError, Searched, Wanted, search_segment, segment_times,
};
pub use source::Source;
pub use time_line::Moment;
