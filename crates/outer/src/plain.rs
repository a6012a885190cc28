//! The bytes that make a terminal as good as unused.

use model::TermSize;
use terminal::{HistoryLimit, SnapshotForm, Terminal};

/// Leaves the alternate screen.
pub const LEAVE_ALTERNATE: &[u8] = b"\x1b[?1049l";

/// Bytes that take a terminal of this size out of every mode that a program may have left behind, onto an empty
/// alternate screen.
///
/// They are the snapshot of an unused terminal, which asserts the default of every mode.
pub fn plain(size: TermSize) -> Vec<u8> {
    Terminal::new(size, HistoryLimit { lines: 0, bytes: 0 }).snapshot(SnapshotForm::Screen)
}
