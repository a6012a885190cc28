//! The host's own log: one line each, never what was typed or printed.

use jiff::Timestamp;

/// Writes a line to the log, which is standard error.
pub(crate) fn line(text: &str) {
    // A full disk must not stop a terminal.
    let _ = std::io::Write::write_all(
        &mut std::io::stderr(),
        format!("{:.3} {text}\n", Timestamp::now()).as_bytes(),
    );
}
