//! Why the server closes a socket, and the close frame for it.

use std::borrow::Cow;

use axum::extract::ws::{CloseFrame, close_code};

use crate::gate::{CLOSE_FORBIDDEN, CLOSE_UNAUTHENTICATED};

/// The longest reason, in bytes, that fits into a close frame.
const MOST_REASON_BYTES: usize = 123;

/// Why the server closes a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Closing {
    /// The peer has gone, or has closed the socket.
    Left,
    /// The worker has ended, and everything was sent.
    Exited,
    /// The connection to the host is lost. Another host may take over.
    HostGone,
    /// There is no such worker.
    NoWorker,
    /// The host refused this viewer.
    Refused,
    /// The server does not understand a message.
    Malformed(Cow<'static, str>),
    /// A message is too long.
    TooLong,
    /// The peer did not answer a ping in time.
    Silent,
    /// The server stops.
    Shutdown,
    /// The token was revoked or has expired.
    Revoked,
}

impl Closing {
    /// The server does not understand a message, for this reason.
    pub(crate) fn malformed(why: impl Into<Cow<'static, str>>) -> Closing {
        Closing::Malformed(why.into())
    }

    /// The close frame for the peer. None if the peer has gone.
    pub(super) fn frame(&self) -> Option<CloseFrame> {
        let (code, reason) = match self {
            Closing::Left => return None,
            Closing::Exited => (close_code::NORMAL, "exited"),
            Closing::HostGone => (4001, "host-gone"),
            Closing::NoWorker => (CLOSE_FORBIDDEN, "there is no such worker"),
            Closing::Refused => (4002, "refused"),
            Closing::Malformed(why) => (close_code::POLICY, cut(why)),
            Closing::TooLong => (close_code::SIZE, "a message is too long"),
            Closing::Silent => (4004, "silent"),
            Closing::Shutdown => (close_code::RESTART, "server-restart"),
            Closing::Revoked => (CLOSE_UNAUTHENTICATED, "revoked"),
        };
        Some(CloseFrame { code, reason: reason.into() })
    }
}

fn cut(reason: &str) -> &str {
    &reason[..reason.floor_char_boundary(MOST_REASON_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_reason_is_cut_between_characters() {
        let frame = Closing::malformed("ü".repeat(100)).frame().unwrap();
        assert_eq!(frame.reason.as_str(), "ü".repeat(61));
    }
}
