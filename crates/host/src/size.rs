//! How large the terminal is.

use std::io;

use model::TermSize;
use protocol::{HostMessage, Resized, ViewerId};

use crate::host::Host;
use crate::log;
use crate::viewer::{Role, Viewer, Watching};

mod policy;

pub(crate) use policy::Claim;

impl Host {
    pub(crate) fn viewer_resized(&mut self, id: ViewerId, size: TermSize) -> io::Result<()> {
        let Some(watching) = self.viewers.get_mut(id).and_then(Viewer::watching_mut) else { return Ok(()) };
        if !watching.may_type() {
            return Ok(());
        }
        watching.size = Some(size);
        self.decide_size()
    }

    /// This viewer has the person's attention; it may own the size.
    pub(crate) fn took_focus(&mut self, id: ViewerId) -> io::Result<()> {
        let is_owner = self.viewers.owner == Some(id);
        let may_own = |watching: &Watching| watching.may_type() && watching.size.is_some();
        if is_owner || !self.viewers.get(id).and_then(Viewer::watching).is_some_and(may_own) {
            return Ok(());
        }
        let active = self.viewers.next_activity();
        if let Some(watching) = self.viewers.get_mut(id).and_then(Viewer::watching_mut) {
            watching.active = active;
        }
        self.decide_size()
    }

    /// Gives the terminal the size that the policy says.
    pub(crate) fn decide_size(&mut self) -> io::Result<()> {
        let Some((size, owner)) = policy::decide(self.meta.size_policy, &self.viewers.claims()) else {
            self.viewers.owner = None;
            return Ok(());
        };
        let owner_changed = self.viewers.owner != owner;
        self.viewers.owner = owner;
        if size != self.size && !self.has_exited() {
            self.resize(size)?;
        } else if owner_changed {
            self.mention_viewers();
        }
        Ok(())
    }

    /// Changes the size: of the PTY, of the model, in the recording, and on every screen.
    pub(crate) fn resize(&mut self, size: TermSize) -> io::Result<()> {
        if let Err(error) = self.pty.resize(size) {
            log::line(&format!("cannot resize the PTY: {error}"));
            return Ok(());
        }
        self.size = size;
        self.resizes += 1;
        self.resized_at = self.end();
        self.follower.resize(self.resized_at, size);
        self.recorder.resize(self.resized_at, size);
        let resized = HostMessage::Resized(Resized { size, owner: self.viewers.owner });
        let ids = self.viewers.ids();
        for id in ids {
            let Some(viewer) = self.viewers.get_mut(id) else { continue };
            if let Role::Watching(watching) = &mut viewer.role {
                viewer.line.say(&resized);
                // A snapshot of the old size is not sent to its end.
                watching.stop_drawing();
                self.redraw(id)?;
            }
        }
        self.mention_viewers();
        Ok(())
    }
}
