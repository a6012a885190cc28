//! All that can wake a host.

use protocol::ViewerId;

/// All that can wake a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    /// The child printed something, or can take typed bytes.
    Pty,
    /// A program connects.
    Listener,
    /// The child has ended.
    Child,
    /// Another thread has told something.
    Told,
    /// A process sent us a signal.
    Signal,
    /// Something is due.
    Timer,
    /// A viewer said something, has gone, or can take more.
    Viewer(ViewerId),
}

impl Wake {
    /// Viewers are counted from here on.
    const VIEWERS: u64 = 16;

    /// The number under which its descriptor is waited for.
    pub(crate) fn number(self) -> u64 {
        match self {
            Wake::Pty => 0,
            Wake::Listener => 1,
            Wake::Child => 2,
            Wake::Told => 3,
            Wake::Signal => 4,
            Wake::Timer => 5,
            Wake::Viewer(id) => Wake::VIEWERS + id.0,
        }
    }

    pub(super) fn of(number: u64) -> Wake {
        match number {
            0 => Wake::Pty,
            1 => Wake::Listener,
            2 => Wake::Child,
            3 => Wake::Told,
            4 => Wake::Signal,
            5 => Wake::Timer,
            id => Wake::Viewer(ViewerId(id - Wake::VIEWERS)),
        }
    }
}
