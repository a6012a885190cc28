//! The worker and the part that an export shows, with its title and facts.

/// What is exported of a recording, and how it is introduced. The caller has masked all text here.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// The title of the page or the file.
    pub title: String,
    /// The worker's name.
    pub worker: String,
    /// The command.
    pub command: Option<String>,
    /// Which part of the recording.
    pub range: Range,
}

/// A part of a recording, by time; without ends it is everything.
///
/// Times are microseconds since the Unix epoch on the time line that is played: where the clock was set back, time
/// stands still until it is reached again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// What happened before this is on the first screen, if at all.
    pub from_us: Option<u64>,
    /// What happened after this is left out.
    pub to_us: Option<u64>,
}
