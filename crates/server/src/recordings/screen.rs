//! The screen at any moment of a recording.

use std::sync::Arc;

use home::WorkerDir;
use jiff::Timestamp;
use masking::Rules;
use model::{Epoch, Offset, TermSize};
use playback::{Player, Source};
use terminal::{HistoryLimit, SnapshotForm, TextRow};

use super::error::RecordingError;
use super::moment::{Bound, time_us, timestamp};
use super::open::open;
use super::stop::Stop;

/// As many lines as a host keeps.
const MOST_HISTORY_LINES: usize = 20_000;

/// What they may take in memory.
const MOST_HISTORY_BYTES: usize = 16 << 20;

/// A screen as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScreenAt {
    /// Which of the worker's hosts recorded last.
    pub epoch: Epoch,
    /// How much output had come.
    pub offset: Offset,
    /// When.
    pub at: Timestamp,
    /// How large the terminal was.
    pub size: TermSize,
    /// What redraws it in an emulator of ours: it begins with a reset, then comes the history.
    pub snapshot: Vec<u8>,
    /// The rows of the screen as plain text, without the blanks at their ends.
    pub rows: Vec<String>,
    /// Whether output is missing before it, so that it may be wrong.
    pub is_doubtful: bool,
}

/// The screen at a moment; without one, the last that there is. Where the recording has no such moment, it is the last
/// one before it, or the first of all. At most so many lines of history come with it.
///
/// # Errors
///
/// When there is no recording, it cannot be read, or it was stopped.
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
