//! Screens that viewers and the recording ask for, and the model draws.

use std::io;
use std::sync::Arc;

use model::Offset;
use protocol::ViewerId;
use terminal::SnapshotForm;

use crate::host::Host;
use crate::told::Snapshot;
use crate::viewer::Viewer;

mod model_watch;
mod rows;

pub(crate) use model_watch::Awaited;
pub(crate) use rows::RowsAsked;

/// Lines of history in the screen that a segment begins with. Older ones are in the segments before it.
const SEGMENT_HISTORY: usize = 1000;

/// Which snapshot it is, among those asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket(pub(crate) u64);

/// Where the lines of a screen's history are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// In the model.
    Model,
    /// Lines that the model does not have, in the recording. That may take its time.
    Recording,
}

/// What is asked of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A snapshot of the screen.
    Snapshot { form: SnapshotForm, depth: Depth },
    /// Its text.
    Rows,
}

/// A screen that was asked for and has not come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) ticket: Ticket,
    pub(crate) at: Offset,
    pub(crate) subject: Subject,
    /// How often the size had changed by then.
    pub(crate) resizes: u64,
}

impl Host {
    /// Asks the model for the screen as it is now. Viewers that ask for the same screen share one.
    pub(crate) fn request(&mut self, subject: Subject) -> Ticket {
        let at = self.end();
        let same = |request: &&Request| {
            request.at == at && request.subject == subject && request.resizes == self.resizes
        };
        if let Some(request) = self.requests.iter().find(same) {
            return request.ticket;
        }
        let ticket = self.next_ticket();
        self.requests.push(Request { ticket, at, subject, resizes: self.resizes });
        match subject {
            Subject::Snapshot { form, depth } => self.follower.snapshot(at, form, ticket, depth),
            Subject::Rows => self.follower.rows(at, ticket),
        }
        self.note_awaited();
        ticket
    }

    pub(crate) fn next_ticket(&mut self) -> Ticket {
        self.next_ticket += 1;
        Ticket(self.next_ticket)
    }

    /// A screen has been drawn. It goes to the viewers that asked for it.
    pub(crate) fn deliver(&mut self, snapshot: &Arc<Snapshot>) -> io::Result<()> {
        self.requests.retain(|request| request.ticket != snapshot.ticket);
        self.note_awaited();
        if self.recorder.deliver(snapshot) || self.settle_upgrade(snapshot)? {
            return Ok(());
        }
        let tape_start = self.tape().start();
        for viewer in self.viewers.iter_mut() {
            if let Some(watching) = viewer.watching_mut() {
                watching.deliver(snapshot, tape_start);
            }
        }
        Ok(())
    }

    /// Gives a viewer its screen anew.
    pub(crate) fn redraw(&mut self, id: ViewerId) -> io::Result<()> {
        let Some(watching) = self.viewers.get_mut(id).and_then(Viewer::watching_mut) else { return Ok(()) };
        watching.redraw();
        self.pump(id)
    }

    /// The recorder wants a new segment: it begins where the tape ends now, with the screen as it is there.
    pub(crate) fn begin_segment(&mut self) {
        let at = self.end();
        let ticket = self.next_ticket();
        self.recorder.begin_segment(at, ticket);
        self.follower.snapshot(at, SnapshotForm::Full { history: SEGMENT_HISTORY }, ticket, Depth::Model);
    }
}
