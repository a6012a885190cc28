//! The screen: feed it a program's bytes, resize it, take a snapshot.
//!
//! [`Terminal`] follows a program's output as the web viewer (xterm.js) would, and can at any byte hand out a
//! *snapshot*: bytes that bring a fresh terminal into the very same state, with both screens, history, cursor,
//! modes, colours and even an unfinished sequence. It answers device queries and notices [`Signal`]s. It opens no
//! file, reads no clock and spawns nothing. With any input it stays within bounds of time and memory.

mod base64;
mod cell;
mod charset;
mod colors;
mod csi;
mod css;
mod cursor;
mod describe;
mod edit;
mod erase;
mod esc;
mod hash;
mod history;
mod html;
mod keyboard;
mod modes;
mod notification;
mod osc;
mod out_of_reach;
mod pen;
mod print;
mod program_status;
mod reflow;
mod reply;
mod row;
mod screen;
mod set_mode;
mod sgr;
mod signal;
mod snapshot;
mod state;
mod style;
mod styled;
mod tables;
mod terminal;
mod text_row;
mod titles;
mod width;
mod window;

pub use css::{CssColors, CssPlace, css, css_lines};
pub use cursor::{Cursor, CursorShape, CursorStyle};
pub use history::HistoryLimit;
pub use modes::{Modes, MouseEncoding, MouseTracking};
pub use program_status::{BlockedOn, ProgramState, ProgramStatus};
pub use signal::{Notification, Progress, PromptMark, PromptMarks, Signal};
pub use snapshot::SnapshotForm;
pub use style::{Color, ColorKind, Flags, Style, Underline};
pub use styled::{Span, StyledRow};
pub use tables::Link;
pub use terminal::Terminal;
pub use text_row::TextRow;
pub use width::width;
