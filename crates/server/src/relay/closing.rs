//! Why a socket is closed, and what its peer is told about it.

use std::borrow::Cow;

use axum::extract::ws::{CloseFrame, close_code};

use crate::gate::CLOSE_UNAUTHENTICATED;

/// A close frame has room for so many bytes of reason.
const MOST_REASON_BYTES: usize = 123;

/// Why a socket is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Closing {
    /// The peer is gone, or has said that it goes.
    Left,
    /// The worker has ended, and everything was sent.
    Exited,
    /// The connection to the host is lost; another host may take over.
    HostGone,
    /// The host does not want this viewer.
    Refused,
    /// A message is not understood.
    Malformed(Cow<'static, str>),
    /// A message is longer than it may be.
    TooLong,
    /// No answer to a ping came in time.
    Silent,
    /// The server leaves.
    Shutdown,
    /// The token is no longer right.
    Revoked,
}

impl Closing {
    /// A message is not understood, and this is why.
    pub(crate) fn malformed(why: impl Into<Cow<'static, str>>) -> Closing {
        Closing::Malformed(why.into())
    }

    /// What the peer is told, if there is one.
    pub(super) fn frame(&self) -> Option<CloseFrame> {
        let (code, reason) = match self {
            Closing::Left => return None,
            Closing::Exited => (close_code::NORMAL, "exited"),
            Closing::HostGone => (4001, "host-gone"),
            Closing::Refused => (4002, "refused"),
            Closing::Malformed(why) => (close_code::POLICY, cut(why)),
            Closing::TooLong => (close_code::SIZE, "a message is longer than it may be"),
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
