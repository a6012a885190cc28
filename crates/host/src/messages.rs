//! Messages to viewers besides output.

use std::io;

use protocol::{HostMessage, ViewerId, Viewers};

use crate::host::Host;
use crate::viewer::Viewer;

impl Host {
    /// Queues a message for one connection, and sends what can be sent.
    pub(crate) fn say(&mut self, id: ViewerId, message: &HostMessage) -> io::Result<()> {
        if let Some(viewer) = self.viewers.get_mut(id) {
            viewer.line.say(message);
        }
        self.pump(id)
    }

    /// Sends the list of viewers to the viewers that asked for events.
    pub(crate) fn mention_viewers(&mut self) {
        let wants = |viewer: &Viewer| viewer.watching().is_some_and(|watching| watching.events);
        if self.viewers.iter().any(wants) {
            let viewers = self.viewers.reports(self.end());
            self.mention(&HostMessage::Viewers(Viewers { viewers }));
        }
    }

    /// Sends an event to the viewers that asked for events.
    pub(crate) fn mention(&mut self, message: &HostMessage) {
        self.mentioned = true;
        let frame = message.to_bytes();
        for viewer in self.viewers.iter_mut() {
            if viewer.watching().is_some_and(|watching| watching.events) {
                viewer.line.mention(&frame);
            }
        }
    }
}
