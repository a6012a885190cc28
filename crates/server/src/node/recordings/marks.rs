//! The marks of a recording: places to jump to.

use std::sync::Arc;

use home::WorkerDir;
use jiff::Timestamp;
use masking::Rules;
use model::{Offset, display_safe};
pub use playback::MarkKind;
use reading::Stop;

use super::cursor::{Cursor, Filling, Page};
use super::error::RecordingError;
use super::moment::timestamp;
use super::open::open;

/// One answer has at most this many marks.
const MOST_MARKS: usize = 10_000;

/// The texts of the marks in one answer take at most this much.
const MOST_BYTES: usize = 4 << 20;

/// A place to jump to. Its texts are masked and safe to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The offset of the place.
    pub offset: Offset,
    /// Its time.
    pub at: Timestamp,
    /// The kind of place.
    pub kind: MarkKind,
}

/// The marks of a worker's recording after a cursor, oldest first: commands and their ends, notifications, resizes,
/// gaps, the exit. Prompts and bells would only clutter a time line.
///
/// # Errors
///
/// When there is no recording, it cannot be read, or reading was stopped.
pub fn marks(
    dir: &WorkerDir,
    rules: &Arc<Rules>,
    after: Option<Cursor>,
    limit: usize,
    stop: &Stop,
) -> Result<Page<Mark>, RecordingError> {
    let opened = open(dir, rules)?;
    let mut filling = Filling::new(after, limit.min(MOST_MARKS), MOST_BYTES);
    for mark in playback::marks(opened.until(stop)) {
        stop.check()?;
        let Some(kind) = shown(mark.kind, rules) else { continue };
        let at = timestamp(mark.time_us);
        if !filling.take(mark.at, bytes(&kind), || Mark { offset: mark.at, at, kind }) {
            break;
        }
    }
    stop.check()?;
    Ok(filling.page())
}

/// A mark as it is shown; `None` for a mark that is not shown.
fn shown(kind: MarkKind, rules: &Rules) -> Option<MarkKind> {
    let text = |text: &str| display_safe(&rules.mask_text(text));
    Some(match kind {
        MarkKind::Prompt | MarkKind::Bell => return None,
        MarkKind::CommandStarted { command } => {
            MarkKind::CommandStarted { command: command.as_deref().map(text) }
        }
        MarkKind::Notification(mut notification) => {
            notification.title = text(&notification.title);
            notification.body = text(&notification.body);
            MarkKind::Notification(notification)
        }
        MarkKind::CommandEnded { .. } | MarkKind::Resize(_) | MarkKind::Gap { .. } | MarkKind::Exit(_) => {
            kind
        }
    })
}

/// The size of a mark's texts.
fn bytes(kind: &MarkKind) -> usize {
    match kind {
        MarkKind::CommandStarted { command } => command.as_ref().map_or(0, String::len),
        MarkKind::Notification(notification) => notification.title.len() + notification.body.len(),
        _ => 0,
    }
}
