//! What a child left on its screen when it ended.

use std::time::{Duration, Instant};

use home::WorkerDir;
use terminal::HistoryLimit;

use reading::last_terminal;

/// A host goes once everything is on disk; one that takes longer has a disk in trouble.
const WRITTEN_WITHIN: Duration = Duration::from_secs(1);

/// The text on the screen of a worker that has ended, from its recording; nothing if a full-screen program had it, or
/// nothing is known of it.
pub(super) fn of(dir: &WorkerDir) -> Option<String> {
    wait_for_host(dir);
    let terminal = last_terminal(dir, HistoryLimit { lines: 0, bytes: 0 }).ok()??;
    Some(terminal.text(0)).filter(|text| !terminal.on_alternate_screen() && !text.is_empty())
}

/// Waits for the end of the host, if that is near.
fn wait_for_host(dir: &WorkerDir) {
    if let Some(host) = dir.identity().and_then(|identity| identity.open()) {
        // Whether or not it ended in time, what is on disk is shown.
        let _ = host.ends_before(Some(Instant::now() + WRITTEN_WITHIN));
    }
}
