//! A recording as files for other people, and other people's recordings for us.
//!
//! Out: [`asciicast()`] for players of terminal recordings, [`text()`] and [`html()`] to read, and [`player()`], a page
//! that plays the recording by itself. Each takes a [`playback::Source`], which has been masked by whoever leaves it to
//! others, and a [`Subject`]: what it is called, and which part of it is meant. They write as they play, and hold no
//! more than a segment. What a program printed is text in all of them: raw output goes through the viewer's filter, and
//! nothing of it becomes markup.
//!
//! In: [`import()`](import::import) reads asciicast of any version, within limits, and [`write_recording`] makes a
//! recording of it.

mod asciicast;
mod base64;
mod clean;
mod error;
mod html;
pub mod import;
mod marker;
mod page_text;
mod pieces;
mod player;
mod style_css;
mod subject;
mod text;
mod walk;
mod write_recording;

pub use asciicast::asciicast;
pub use error::ExportError;
pub use html::html;
pub use player::player;
pub use subject::{Range, Subject};
pub use text::text;
pub use write_recording::{Imported, WriteRecordingError, write_recording};
