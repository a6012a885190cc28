//! What of a host's words concerns the socket that they go to.

use model::WorkerId;
use protocol::{Frame, HostMessage, ViewerId};

use super::{Attached, Closing};
use crate::app::App;

/// Looks along at what a host says.
pub(crate) struct Seen {
    app: App,
    worker: WorkerId,
    /// Held for as long as the viewer is attached.
    attached: Option<Attached>,
    exited: bool,
    /// Whether the last word was a refusal.
    refused: bool,
}

impl Seen {
    pub(crate) fn new(app: &App, worker: WorkerId) -> Seen {
        Seen { app: app.clone(), worker, attached: None, exited: false, refused: false }
    }

    /// Looks at a frame that goes to the socket.
    pub(crate) fn look_at(&mut self, frame: Frame<'_>) {
        self.refused = frame.kind == kind::REFUSED;
        self.exited |= frame.kind == kind::EXITED;
        if frame.kind == kind::WELCOME
            && let Ok(Some(HostMessage::Welcome(welcome))) = HostMessage::read(frame)
        {
            self.welcomed(welcome.viewer);
        }
    }

    /// The host says who the viewer is.
    pub(crate) fn welcomed(&mut self, viewer: ViewerId) {
        self.attached.get_or_insert_with(|| Attached::new(&self.app, self.worker, viewer));
    }

    /// Why the socket is closed when the host has closed the connection.
    pub(crate) fn end(&self) -> Closing {
        match (self.exited, self.refused) {
            (true, _) => Closing::Exited,
            // One who was welcomed is not sent away by a refusal, but loses its host.
            (false, true) if self.attached.is_none() => Closing::Refused,
            (false, _) => Closing::HostGone,
        }
    }
}

/// The numbers of the frames that are looked at. The payload of all others is left alone.
mod kind {
    pub(super) const EXITED: u8 = 0x03;
    pub(super) const WELCOME: u8 = 0x04;
    pub(super) const REFUSED: u8 = 0x08;
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use model::ExitStatus;
    use protocol::{Exited, Refusal, Refused};

    use super::*;

    #[test]
    fn the_frames_that_are_looked_at_have_the_protocols_numbers() {
        let exited = HostMessage::Exited(Exited { status: ExitStatus::Unknown, at: Timestamp::UNIX_EPOCH });
        assert_eq!(exited.to_bytes()[0], kind::EXITED);
        let refused = HostMessage::Refused(Refused { code: Refusal::Full, message: String::new() });
        assert_eq!(refused.to_bytes()[0], kind::REFUSED);
        let welcome = Frame { kind: kind::WELCOME, payload: b"" };
        assert!(HostMessage::read(welcome).is_err_and(|error| error.to_string().contains("0x04")));
    }
}
