//! Leases: what keeps the child alive when its host is killed.

use std::io;
use std::os::fd::AsFd;

use protocol::{HostMessage, Leased, Refusal, ViewerId};
use system::{Process, processes};

use crate::host::Host;
use crate::viewer::{Role, Viewer};

impl Host {
    /// Hands out what keeps the child alive when we are killed.
    pub(crate) fn lease(&mut self, id: ViewerId) -> io::Result<()> {
        if self.has_exited() {
            return self.say(id, &HostMessage::Returned);
        }
        let is_fresh = |viewer: &Viewer| viewer.is_undecided() && viewer.line.is_flushed();
        if !self.viewers.get(id).is_some_and(is_fresh) {
            return self.refuse(id, Refusal::BadMessage, "a lease needs a connection of its own".into());
        }
        let own = processes::this();
        let leased = HostMessage::Leased(Leased {
            worker: self.meta.worker,
            host_pid: own,
            child_pid: self.child.pid.as_raw_nonzero().get().cast_unsigned(),
        });
        let sent = Process::open(own).map_err(io::Error::from).and_then(|own| {
            let descriptors = [self.pty.as_fd(), self.child.as_fd(), own.as_fd()];
            self.viewers.get(id).map_or(Ok(()), |viewer| viewer.line.send_with(&leased, &descriptors))
        });
        match (sent, self.viewers.get_mut(id)) {
            (Ok(()), Some(viewer)) => {
                viewer.role = Role::Leasing;
                Ok(())
            }
            _ => self.dismiss(id),
        }
    }
}
