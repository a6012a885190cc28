//! What is known of a viewer that attached, and what it is sent next. Decisions only: it has no socket.

use std::sync::Arc;

use jiff::Timestamp;
use model::{Offset, TermSize};
use protocol::HostMessage;
use serde::{Deserialize, Serialize};
use terminal::SnapshotForm;

use crate::snapshots::{Depth, Ticket};
use crate::told::Snapshot;

/// How much goes into one frame of output or of a snapshot.
const FRAME_BYTES: usize = 64 << 10;

/// How much a viewer that acknowledges may be sent before it does.
const ACK_WINDOW: usize = 512 << 10;

/// What a viewer may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// It types, and its size counts. What it types is counted under the typist's name.
    Type { typist: Option<String> },
    /// It sees the screen.
    See,
    /// It is told what happens, and sees nothing of the screen.
    Listen,
}

/// Whether a viewer is told that the child prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Prints {
    /// It does not want to be.
    #[default]
    Unwanted,
    /// It is told of the next byte after these.
    Awaited { since: Offset },
    /// It was told, and has not looked at the screen since.
    Told,
}

impl Prints {
    /// The viewer has seen the screen after so many bytes, and wants to be told of the next one.
    pub(crate) fn seen(&mut self, at: Offset) {
        if *self != Prints::Unwanted {
            *self = Prints::Awaited { since: at };
        }
    }

    /// Whether the viewer is to be told now that the child has printed so many bytes. It is told once.
    pub(crate) fn take(&mut self, end: Offset) -> bool {
        let is_due = matches!(*self, Prints::Awaited { since } if since < end);
        if is_due {
            *self = Prints::Told;
        }
        is_due
    }
}

/// How fast a viewer is sent output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// As fast as its socket takes it.
    Socket,
    /// As fast as it says that it has shown it: so far. It gets no second snapshot before it has shown the one `drawn`.
    Acknowledged { shown: Offset, drawn: Offset },
}

impl Pace {
    /// How many bytes may be sent from this offset on.
    fn window(self, at: Offset) -> usize {
        match self {
            Pace::Socket => usize::MAX,
            Pace::Acknowledged { shown, .. } => (shown + ACK_WINDOW) - at,
        }
    }

    fn may_draw(self) -> bool {
        match self {
            Pace::Socket => true,
            Pace::Acknowledged { shown, drawn } => shown >= drawn,
        }
    }

    /// The viewer says that it has shown the output before this offset.
    pub(crate) fn acknowledge(&mut self, offset: Offset) {
        if let Pace::Acknowledged { shown, .. } = self {
            *shown = offset.max(*shown);
        }
    }

    fn draw(&mut self, at: Offset) {
        if let Pace::Acknowledged { drawn, .. } = self {
            *drawn = at;
        }
    }
}

/// What follows a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// The output after it.
    Output,
    /// Another one: something was asked for that this one is too old for.
    Redraw,
}

/// What is sent to a viewer next.
#[derive(Clone, Debug)]
pub(crate) enum Feed {
    /// Output from this offset on.
    Live { at: Offset },
    /// It was too slow, or wants its screen anew. When it has read what it was sent, it gets the screen as it is then.
    Behind { depth: Depth },
    /// The screen that was asked for under this ticket, after so much output.
    Waiting { ticket: Ticket, at: Offset, then: Then },
    /// The rest of this snapshot.
    Drawing { snapshot: Arc<Snapshot>, sent: usize, then: Then },
    /// Nothing of what the child prints, only its exit.
    Silent,
    /// Nothing: it has everything, the exit included.
    Ended,
}

/// One thing to send.
#[derive(Debug)]
pub(super) enum Next {
    /// So many bytes of output from this offset on.
    Output {
        at: Offset,
        length: usize,
    },
    Message(HostMessage),
    /// The screen as it is now, which has to be asked for.
    Snapshot,
    /// Nothing until something happens.
    Nothing,
}

/// What is known of a viewer that attached.
#[derive(Clone, Debug)]
pub(crate) struct Watching {
    pub(crate) name: String,
    pub(crate) access: Access,
    /// For whom it speaks.
    pub(crate) principal: Option<String>,
    pub(crate) form: SnapshotForm,
    /// Whether it wants to be told what happens.
    pub(crate) events: bool,
    /// Whether it is told that the child prints.
    pub(crate) prints: Prints,
    /// How large its screen is, if it said so.
    pub(crate) size: Option<TermSize>,
    pub(crate) pace: Pace,
    pub(crate) feed: Feed,
    pub(crate) since: Timestamp,
    /// When it last attached, typed or took focus, counted in such events.
    pub(crate) active: u64,
    pub(crate) resyncs: u64,
}

impl Watching {
    pub(crate) fn may_type(&self) -> bool {
        matches!(self.access, Access::Type { .. })
    }

    /// The name under which what it types is counted.
    pub(crate) fn typist(&self) -> Option<&str> {
        match &self.access {
            Access::Type { typist } => typist.as_deref(),
            Access::See | Access::Listen => None,
        }
    }

    /// Says what is sent next, and counts it as sent. `end` is the tape's.
    pub(super) fn next(&mut self, end: Offset, exited: Option<&HostMessage>) -> Next {
        match &mut self.feed {
            Feed::Live { at } => {
                let length = (end - *at).min(FRAME_BYTES).min(self.pace.window(*at));
                if length > 0 {
                    let from = *at;
                    *at += length;
                    return Next::Output { at: from, length };
                }
                let exited = exited.filter(|_| *at == end);
                self.tell_exit(exited)
            }
            Feed::Silent => self.tell_exit(exited),
            Feed::Behind { .. } if self.pace.may_draw() => Next::Snapshot,
            Feed::Behind { .. } | Feed::Waiting { .. } | Feed::Ended => Next::Nothing,
            Feed::Drawing { snapshot, sent, then } => {
                let part = &snapshot.bytes[*sent..];
                let part = &part[..part.len().min(FRAME_BYTES)];
                *sent += part.len();
                let (at, last) = (snapshot.at, *sent == snapshot.bytes.len());
                let message = HostMessage::Snapshot { at, last, bytes: part.to_vec() };
                if last {
                    self.pace.draw(at);
                    self.feed = match then {
                        Then::Output => Feed::Live { at },
                        Then::Redraw => Feed::Behind { depth: Depth::Recording },
                    };
                }
                Next::Message(message)
            }
        }
    }

    fn tell_exit(&mut self, exited: Option<&HostMessage>) -> Next {
        let Some(exited) = exited else { return Next::Nothing };
        self.feed = Feed::Ended;
        Next::Message(exited.clone())
    }

    /// Output that is no longer on the tape cannot be sent: a snapshot takes its place. `start` is the tape's.
    pub(super) fn fall_behind(&mut self, start: Offset) {
        if let Feed::Live { at } = self.feed
            && at < start
        {
            self.feed = Feed::Behind { depth: Depth::Recording };
            self.resyncs += 1;
        }
    }

    /// The screen shall come anew.
    pub(crate) fn redraw(&mut self) {
        match &mut self.feed {
            Feed::Waiting { then, .. } | Feed::Drawing { then, .. } => *then = Then::Redraw,
            Feed::Live { .. } => self.feed = Feed::Behind { depth: Depth::Recording },
            Feed::Behind { .. } | Feed::Silent | Feed::Ended => {}
        }
    }

    /// Leaves the rest of a snapshot unsent: the screen has another size.
    pub(crate) fn stop_drawing(&mut self) {
        if let Feed::Drawing { .. } = self.feed {
            self.feed = Feed::Behind { depth: Depth::Recording };
        }
    }

    /// The screen has been asked for.
    pub(crate) fn wait_for(&mut self, ticket: Ticket, at: Offset) {
        self.feed = Feed::Waiting { ticket, at, then: Then::Output };
    }

    /// A screen was drawn; it may be the one that is waited for. `start` is the tape's.
    pub(crate) fn deliver(&mut self, snapshot: &Arc<Snapshot>, start: Offset) {
        let Feed::Waiting { ticket, then, .. } = self.feed else { return };
        if ticket != snapshot.ticket {
            return;
        }
        self.feed = if snapshot.at < start {
            // Output since then would be missing after the snapshot. The next one shall come sooner.
            Feed::Behind { depth: Depth::Model }
        } else if then == Then::Redraw {
            Feed::Behind { depth: Depth::Recording }
        } else {
            Feed::Drawing { snapshot: Arc::clone(snapshot), sent: 0, then }
        };
    }

    /// The viewer has gone: nothing is kept for it.
    pub(super) fn leave(&mut self) {
        if !matches!(self.feed, Feed::Ended) {
            self.feed = Feed::Behind { depth: Depth::Recording };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ExitStatus;

    fn watching(pace: Pace, feed: Feed) -> Watching {
        Watching {
            name: "a viewer".into(),
            access: Access::See,
            principal: None,
            form: SnapshotForm::Screen,
            events: false,
            prints: Prints::Unwanted,
            size: None,
            pace,
            feed,
            since: Timestamp::UNIX_EPOCH,
            active: 0,
            resyncs: 0,
        }
    }

    fn exited() -> HostMessage {
        let status = ExitStatus::Exited { code: 3 };
        HostMessage::Exited(protocol::Exited { status, at: Timestamp::UNIX_EPOCH })
    }

    fn drawn(at: u64) -> Arc<Snapshot> {
        Arc::new(Snapshot { ticket: Ticket(1), at: Offset(at), bytes: b"screen".to_vec() })
    }

    #[test]
    fn the_exit_comes_once_and_after_all_output() {
        let mut viewer = watching(Pace::Socket, Feed::Live { at: Offset(5) });
        assert!(matches!(viewer.next(Offset(9), Some(&exited())), Next::Output { at: Offset(5), length: 4 }));
        assert!(matches!(viewer.next(Offset(9), None), Next::Nothing));
        assert!(matches!(viewer.next(Offset(9), Some(&exited())), Next::Message(HostMessage::Exited(_))));
        assert!(matches!(viewer.next(Offset(9), Some(&exited())), Next::Nothing));
        viewer.leave();
        assert!(
            matches!(viewer.feed, Feed::Ended),
            "a viewer that has everything still has it when it leaves"
        );
    }

    #[test]
    fn a_screen_that_comes_too_late_is_asked_for_without_the_recording() {
        let mut viewer = watching(Pace::Socket, Feed::Behind { depth: Depth::Recording });
        viewer.wait_for(Ticket(1), Offset(5));
        viewer.redraw();
        viewer.deliver(&drawn(5), Offset(6));
        assert!(matches!(viewer.feed, Feed::Behind { depth: Depth::Model }));
        viewer.wait_for(Ticket(1), Offset(7));
        viewer.deliver(&drawn(7), Offset(6));
        assert!(matches!(
            viewer.next(Offset(9), None),
            Next::Message(HostMessage::Snapshot { last: true, .. })
        ));
        assert!(matches!(viewer.feed, Feed::Live { at: Offset(7) }));
    }

    #[test]
    fn a_screen_that_is_too_old_is_followed_by_another() {
        let mut viewer = watching(Pace::Socket, Feed::Behind { depth: Depth::Recording });
        viewer.wait_for(Ticket(1), Offset(5));
        viewer.redraw();
        viewer.deliver(&drawn(5), Offset(0));
        assert!(matches!(viewer.feed, Feed::Behind { depth: Depth::Recording }), "it is not even sent");
        viewer.wait_for(Ticket(1), Offset(5));
        viewer.deliver(&drawn(5), Offset(0));
        viewer.redraw();
        assert!(matches!(viewer.next(Offset(9), None), Next::Message(HostMessage::Snapshot { .. })));
        assert!(
            matches!(viewer.next(Offset(9), None), Next::Snapshot),
            "a snapshot that was begun is sent to its end first"
        );
    }

    #[test]
    fn a_viewer_that_acknowledges_gets_no_second_snapshot_before_it_has_shown_the_first() {
        let pace = Pace::Acknowledged { shown: Offset(0), drawn: Offset(0) };
        let mut viewer = watching(pace, Feed::Behind { depth: Depth::Recording });
        assert!(matches!(viewer.next(Offset(9), None), Next::Snapshot));
        viewer.wait_for(Ticket(1), Offset(9));
        viewer.deliver(&drawn(9), Offset(0));
        assert!(matches!(viewer.next(Offset(9), None), Next::Message(_)));
        viewer.redraw();
        assert!(matches!(viewer.next(Offset(9), None), Next::Nothing));
        viewer.pace.acknowledge(Offset(9));
        assert!(matches!(viewer.next(Offset(9), None), Next::Snapshot));
    }
}
