//! Reads the host's messages that matter for the socket itself.

use model::WorkerId;
use protocol::{Frame, HostMessage, ViewerId, host_kind};

use super::{Attached, Closing};
use crate::app::App;

/// Notes the messages of a host that decide how its socket closes.
pub(crate) struct Seen {
    app: App,
    worker: WorkerId,
    /// Held for as long as the viewer is attached.
    attached: Option<Attached>,
    exited: bool,
    /// Whether the last message was a refusal.
    refused: bool,
}

impl Seen {
    pub(crate) fn new(app: &App, worker: WorkerId) -> Seen {
        Seen { app: app.clone(), worker, attached: None, exited: false, refused: false }
    }

    /// Notes a frame that goes to the socket. Reads the payload only of a welcome.
    pub(crate) fn look_at(&mut self, frame: Frame<'_>) {
        self.refused = frame.kind == host_kind::REFUSED;
        self.exited |= frame.kind == host_kind::EXITED;
        if frame.kind == host_kind::WELCOME
            && let Ok(Some(HostMessage::Welcome(welcome))) = HostMessage::read(frame)
        {
            self.welcomed(welcome.viewer);
        }
    }

    /// Notes that the host attached the viewer.
    pub(crate) fn welcomed(&mut self, viewer: ViewerId) {
        self.attached.get_or_insert_with(|| Attached::new(&self.app, self.worker, viewer));
    }

    /// Why the socket closes after the host has closed the connection.
    pub(crate) fn end(&self) -> Closing {
        match (self.exited, self.refused) {
            // The host let the viewers of this token go before this socket was told.
            (false, _) if self.app.share().is_some_and(|share| share.is_over()) => Closing::Revoked,
            (true, _) => Closing::Exited,
            // A refusal after the welcome concerns one message. The viewer lost its host.
            (false, true) if self.attached.is_none() => Closing::Refused,
            (false, _) => Closing::HostGone,
        }
    }
}
