//! A recording as files for other people, and other people's recordings for us.
//!
//! Out: [`asciicast()`] for players of terminal recordings, [`text()`] and [`html()`] to read, [`player()`], a page that
//! plays the recording by itself, and [`svg()`], a picture that does. Each takes a [`playback::Source`], which the caller
//! has masked, and a [`Subject`]: what it is called, and which part of it is meant. They write as they play, and hold no
//! more than a segment; only a picture is made as a whole, within a bound. What a program printed is text in all of them: raw output goes through the output filter, and
//! nothing of it becomes markup.
//!
//! In: [`import()`](import::import) reads asciicast of any version, within limits, and [`write_recording`] makes a
//! recording of it.

mod asciicast;
mod clean;
mod error;
mod html;
pub mod import;
mod link;
mod marker;
mod pace;
mod page_text;
mod palette;
mod pieces;
mod player;
mod style_css;
mod subject;
mod svg;
mod text;
mod walk;
mod write_recording;

pub use asciicast::asciicast;
pub use error::ExportError;
pub use html::html;
pub use player::player;
pub use subject::{Range, Subject};
pub use svg::{Motion, Picture, Theme, svg};
pub use text::{shown_length, text};
pub use write_recording::{Imported, WriteRecordingError, write_recording};
