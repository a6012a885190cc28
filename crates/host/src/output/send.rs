//! Output leaves the host: it sends every viewer as much as its socket takes.

use std::io;
use std::time::Duration;

use protocol::ViewerId;

use crate::host::Host;
use crate::run::Wake;
use crate::snapshots::Subject;
use crate::viewer::{Feed, Needs, Outlet, Viewer};

/// A viewer that has read nothing for so long, while there was something to read, is let go.
const STALLED: Duration = Duration::from_secs(600);

impl Host {
    /// Sends waiting bytes to each viewer whose socket has room. The kernel wakes us when the others have room.
    pub(crate) fn pump_viewers(&mut self) -> io::Result<()> {
        let exited = self.exited_message();
        let mut needy = Vec::new();
        {
            let tape = self.tape.read().unwrap_or_else(std::sync::PoisonError::into_inner);
            for viewer in self.viewers.iter_mut() {
                if let Outlet::Full { since } = viewer.line.outlet() {
                    viewer.let_fall_behind(&tape);
                    if since.elapsed() > STALLED {
                        needy.push((viewer.id, Needs::Goodbye));
                    }
                    continue;
                }
                let needs = viewer.pump(&tape, exited.as_ref());
                if needs != Needs::Nothing || !viewer.line.is_flushed() {
                    needy.push((viewer.id, needs));
                }
            }
        }
        for (id, needs) in needy {
            self.attend(id, needs)?;
        }
        Ok(())
    }

    /// Sends one viewer its waiting bytes.
    pub(crate) fn pump(&mut self, id: ViewerId) -> io::Result<()> {
        let exited = self.exited_message();
        let needs = {
            let tape = self.tape.read().unwrap_or_else(std::sync::PoisonError::into_inner);
            let Some(viewer) = self.viewers.get_mut(id) else { return Ok(()) };
            viewer.pump(&tape, exited.as_ref())
        };
        self.attend(id, needs)
    }

    /// Does what a viewer needs after it was sent its waiting bytes.
    pub(crate) fn attend(&mut self, id: ViewerId, needs: Needs) -> io::Result<()> {
        match needs {
            Needs::Nothing => {}
            Needs::Goodbye => return self.dismiss(id),
            Needs::Snapshot => {
                let Some(watching) = self.viewers.get(id).and_then(Viewer::watching) else { return Ok(()) };
                let Feed::Behind { depth } = watching.feed else { return Ok(()) };
                let ticket = self.request(Subject::Snapshot { form: watching.form, depth });
                let at = self.end();
                if let Some(watching) = self.viewers.get_mut(id).and_then(Viewer::watching_mut) {
                    watching.wait_for(ticket, at);
                }
            }
        }
        let Some(viewer) = self.viewers.get_mut(id) else { return Ok(()) };
        let wanted = viewer.line.wanted();
        if wanted != viewer.awaited {
            viewer.awaited = wanted;
            self.events.modify(&*viewer, Wake::Viewer(id).number(), wanted)?;
        }
        Ok(())
    }
}
