//! The server's log: lines on standard error, for a terminal or a service manager's journal.

use std::io;

use tracing_subscriber::EnvFilter;

/// Says from now on what happens; how much, `ABIDE_LOG` says, as in `debug` or `server=debug`. Never what was typed or
/// printed in a terminal, never tokens.
pub(crate) fn begin() {
    let filter = EnvFilter::try_from_env("ABIDE_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    // Whoever runs a second server in one process has a log already.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_target(false)
        .try_init();
}
