//! Limits of an imported file.

/// How much a file from elsewhere may have; more is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one line: what one event may take in memory.
    pub line_bytes: usize,
    /// Bytes of a file of version 1, which is read as a whole.
    pub old_bytes: usize,
    /// Bytes of a file.
    pub bytes: u64,
    /// Events, those included that are read over.
    pub events: u64,
    /// Changes of the terminal's size, each of which costs as much as a screen of output.
    pub resizes: u64,
    /// Bytes of output, all events together.
    pub output_bytes: u64,
}

/// Far above what recordings of a working day have, and far below what would fill a disk.
impl Default for Limits {
    fn default() -> Limits {
        Limits {
            line_bytes: 4 << 20,
            old_bytes: 8 << 20,
            bytes: 4 << 30,
            events: 20_000_000,
            resizes: 100_000,
            output_bytes: 1 << 30,
        }
    }
}
