//! What happens while a recording is played.

use model::{Epoch, ExitStatus, Offset, TermSize};

/// Something that happened, and has been played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// How much output had come before it.
    pub at: Offset,
    /// When, on the time line of the recording; it never falls.
    pub time_us: u64,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The child printed this.
    Output(Vec<u8>),
    /// The terminal got this size.
    Resize(TermSize),
    /// The recording has not got some of the output, from the event's offset on: the screen may be wrong until the
    /// next [`Screen`](EventKind::Screen).
    Gap {
        /// Where the missing output ends, if that is known.
        to: Option<Offset>,
    },
    /// The terminal was replaced by a snapshot, since there is something missing before it: draw it anew.
    Screen,
    /// Another host took the worker over.
    Epoch(Epoch),
    /// The child ended.
    Exit(ExitStatus),
}
