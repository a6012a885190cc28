//! Screens with more history than the model keeps: drawn from the recording, by a thread that goes away.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread;

use model::Offset;
use recording::{Block, BlockKind, Recording, Segment, SegmentReader};
use terminal::{HistoryLimit, SnapshotForm, Terminal};

use super::rebuild::Rebuild;
use crate::snapshots::Ticket;
use crate::told::{Board, Snapshot};

/// What such a screen may take while it is drawn, and no longer.
const MOST_BYTES: usize = 64 << 20;

/// Most lines take less, so that so many bytes for each are looked at first.
const LINE_BYTES: usize = 200;

/// How far back is looked for lines. A recording at rest may hold ten times its size, and a person waits for this.
const FURTHEST_BYTES: usize = 64 << 20;

/// Many may ask at once; what they ask for is large.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Draws the screen after the first `at` bytes with so many lines of history, and tells the board. If the recording
/// cannot give it, `otherwise` is called.
pub(crate) fn draw(
    rebuild: Rebuild,
    at: Offset,
    history: usize,
    ticket: Ticket,
    board: Arc<Board>,
    otherwise: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    let rebuild = rebuild.with_history(HistoryLimit { lines: history, bytes: MOST_BYTES });
    thread::Builder::new().name("history".into()).spawn(move || {
        let _turn = ONE_AT_A_TIME.lock();
        let drawn = catch_unwind(AssertUnwindSafe(|| {
            Some(terminal(&rebuild, at, history)?.snapshot(SnapshotForm::Full { history }))
        }));
        match drawn {
            Ok(Some(bytes)) => {
                board.tell(|told| told.snapshots.push(Arc::new(Snapshot { ticket, at, bytes })));
            }
            Ok(None) | Err(_) => otherwise(),
        }
    })?;
    Ok(())
}

/// Goes back as far as it most likely takes, and as far as it may if that was not enough.
///
/// A recording in which output is missing gives another screen than the model, which has seen it all: then nothing.
fn terminal(rebuild: &Rebuild, at: Offset, history: usize) -> Option<Terminal> {
    let recording = Recording::open(rebuild.recording()).ok()?;
    let segments = recording.segments();
    let open = |segment: &Segment| SegmentReader::open(&segment.path).ok();
    let lacks_output = |block: Block| matches!(block.kind, BlockKind::Gap { to: Some(_) });
    let from = |index: usize| {
        let is_whole = !segments[index..].iter().filter_map(open).flatten().any(lacks_output);
        is_whole.then(|| rebuild.terminal_from(segments.get(index).and_then(open)))
    };
    let back_by =
        |bytes: usize| segments.iter().rposition(|segment| at - segment.head.at >= bytes).unwrap_or(0);
    let (near, far) = (back_by(history.saturating_mul(LINE_BYTES)), back_by(FURTHEST_BYTES));
    let terminal = from(near.max(far))?;
    if terminal.history_len() >= history || near <= far { Some(terminal) } else { from(far) }
}
