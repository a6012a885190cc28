//! The screen at any moment of a recording.

use std::sync::Arc;

use home::WorkerDir;
use jiff::Timestamp;
use masking::Rules;
use model::{Epoch, Offset, TermSize};
use playback::{Player, Source};
use reading::Stop;
use terminal::{HistoryLimit, SnapshotForm, TextRow};

use super::error::RecordingError;
use super::moment::{Bound, time_us, timestamp};
use super::open::open;

/// At most as many lines of history as a host keeps.
const MOST_HISTORY_LINES: usize = 20_000;

/// At most this much memory for them.
const MOST_HISTORY_BYTES: usize = 16 << 20;

/// A screen in the past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScreenAt {
    /// The epoch of the host that recorded last.
    pub epoch: Epoch,
    /// The offset of the screen.
    pub offset: Offset,
    /// Its time.
    pub at: Timestamp,
    /// The size of the terminal.
    pub size: TermSize,
    /// Bytes that redraw it in an emulator of ours: a reset, the history, then the screen.
    pub snapshot: Vec<u8>,
    /// The rows of the screen as plain text, without the blanks at their ends.
    pub rows: Vec<String>,
    /// Whether output before it is missing. Then the screen may be wrong.
    pub is_doubtful: bool,
}

/// Draws the screen at a moment, or the last one if no moment is named. If the recording does not have that moment, it
/// draws the last screen before it, or else the first one. `history` limits the lines of history.
///
/// # Errors
///
/// When there is no recording, it cannot be read, or reading was stopped.
pub fn screen_at(
    dir: &WorkerDir,
    rules: &Arc<Rules>,
    moment: Option<Bound>,
    history_lines: usize,
    stop: &Stop,
) -> Result<ScreenAt, RecordingError> {
    let opened = open(dir, rules)?;
    let history = history_lines.min(MOST_HISTORY_LINES);
    let limit = HistoryLimit { lines: history, bytes: MOST_HISTORY_BYTES };
    let mut player = Player::new(opened.until(stop), limit);
    let found = match moment {
        Some(Bound::Offset(offset)) => player.seek_to_offset(offset),
        Some(Bound::Time(at)) => player.seek_to_time(time_us(at)),
        None => player.seek_to_time(u64::MAX),
    };
    stop.check()?;
    let terminal = player.terminal();
    let without_end = |row: TextRow| row.text.trim_end().to_owned();
    let newest = opened.recording.segments().last().ok_or(RecordingError::Empty)?;
    Ok(ScreenAt {
        epoch: newest.head.epoch,
        offset: found.at,
        at: timestamp(found.time_us),
        size: terminal.size(),
        snapshot: terminal.snapshot(SnapshotForm::Full { history }),
        rows: terminal.text_rows().map(without_end).collect(),
        is_doubtful: player.is_doubtful(),
    })
}
