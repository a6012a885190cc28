//! A recording as files for other people, and other people's recordings for us.

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
mod sha256;
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
