//! The server's log: lines on standard error, for a terminal or a service manager's journal.

use std::io;

use tracing_subscriber::EnvFilter;

/// Starts the log. `ABIDE_LOG` sets the level, for example `debug` or `server=debug`. The log never contains keys,
/// output or tokens.
pub(crate) fn begin() {
    let filter = EnvFilter::try_from_env("ABIDE_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    // A second server in the same process already has a log.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_target(false)
        .try_init();
}
