//! A line of settled text.

use model::Offset;

/// A line of text that nothing changes any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The output after which it was settled. It never falls from one line to the next.
    pub at: Offset,
    /// When it changed last, in microseconds since the Unix epoch. A line may have changed before the one above it.
    pub time_us: u64,
    /// Where it comes from.
    pub kind: LineKind,
    /// What it says, without a line feed.
    pub text: String,
}

/// Where a line of text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// It was printed, and scrolled away or was left standing at the end.
    Printed,
    /// It stood in a frame of a full-screen program.
    Frame,
}
