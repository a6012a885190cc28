//! A picture of a recording that moves by itself: one SVG file, for a README or any page. No script runs in it, and it
//! loads nothing.
//!
//! The model here draws every screen; [`film`] keeps those that differ. [`canvas`] puts their rows on one long sheet that
//! the picture shows through a window: output that scrolls by moves the sheet, and every row is written once. A row that
//! is overwritten in place has several versions, each visible for its time. `write` turns that into text and into key
//! frames of a style sheet. A renderer without animations, and a reader who asked for less motion, see the last screen.

mod canvas;
mod film;
mod markup;
mod row;
mod shapes;
mod sheet;
mod timing;
mod write;

use std::io::Write;
use std::time::Duration;

use playback::Source;
use terminal::HistoryLimit;

use crate::error::ExportError;
use crate::subject::Subject;
use crate::walk::Walk;
use canvas::Canvas;
use film::Film;

/// The picture shows the screen alone.
const HISTORY: HistoryLimit = HistoryLimit { lines: 0, bytes: 0 };

/// How a picture looks, and whether it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picture {
    /// Its colours.
    pub theme: Theme,
    /// Whether a bar with the title is above the screen, as in a window.
    pub title_bar: bool,
    /// Whether it moves.
    pub motion: Motion,
}

/// The colours of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Light text on dark.
    #[default]
    Dark,
    /// Dark text on light.
    Light,
    /// As the reader's system prefers.
    Auto,
}

/// Whether a picture moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// The last screen of the range.
    Still,
    /// All screens of the range, again and again.
    Plays {
        /// Longer pauses are shortened to this.
        idle_limit: Duration,
        /// How much faster than recorded.
        speed: f64,
    },
}

impl Default for Motion {
    fn default() -> Motion {
        Motion::Plays { idle_limit: Duration::from_secs(2), speed: 1.0 }
    }
}

impl Default for Picture {
    fn default() -> Picture {
        Picture { theme: Theme::Dark, title_bar: false, motion: Motion::default() }
    }
}

/// Writes a recording as an SVG picture, which plays it unless it shall be still.
///
/// # Errors
///
/// When nothing is recorded, when the picture would be too large for a page, or when it cannot be written.
pub fn svg<S: Source>(
    source: &S,
    subject: &Subject,
    picture: &Picture,
    mut out: impl Write,
) -> Result<(), ExportError> {
    let walk = Walk::begin(source, subject.range, HISTORY)?;
    let film = Film::take(walk, picture)?;
    let canvas = Canvas::lay_out(&film)?;
    let text = write::picture(&film, &canvas, subject, picture)?;
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
