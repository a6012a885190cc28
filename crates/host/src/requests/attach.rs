//! A viewer attaches.

use std::io;

use jiff::Timestamp;
use model::Offset;
use protocol::{Attach, Form, HostMessage, OLDEST_VERSION, Refusal, VERSION, ViewerId, Welcome};
use terminal::SnapshotForm;

use crate::host::Host;
use crate::input::Arrival;
use crate::snapshots::Depth;
use crate::viewer::{Access, Feed, Pace, Prints, Role, Viewer, Watching};

/// No name of a viewer is longer.
const MOST_NAME_CHARACTERS: usize = 64;

/// A longer name of a typist is not taken. Relays put in front of it for whom they speak.
const MOST_TYPIST_BYTES: usize = 256;

/// A longer name of a principal is not taken.
const MOST_PRINCIPAL_BYTES: usize = 64;

impl Host {
    pub(crate) fn attach(&mut self, id: ViewerId, attach: Attach) -> io::Result<()> {
        if attach.version < OLDEST_VERSION {
            let why = format!(
                "this host speaks protocol {OLDEST_VERSION} to {VERSION}, the viewer {}",
                attach.version
            );
            self.refuse(id, Refusal::Version, why)?;
            return self.dismiss(id);
        }
        if !self.viewers.get(id).is_some_and(Viewer::is_undecided) {
            return self.refuse(id, Refusal::BadMessage, "this viewer has attached already".into());
        }
        let (typist, typed) = self.typist_arrives(id, &attach)?;
        let (access, rights) = match attach.read_only {
            _ if attach.quiet => (Access::Listen, "to listen"),
            true => (Access::See, "to watch"),
            false => (Access::Type { typist }, "to type"),
        };
        let principal = attach.principal.clone().filter(|name| name.len() <= MOST_PRINCIPAL_BYTES);
        if principal.as_deref().is_some_and(|name| self.withdrawn.has(name)) {
            return self.dismiss(id);
        }
        let end = self.end();
        let resumed =
            attach.since.filter(|since| attach.epoch == Some(self.epoch) && self.can_resume(*since));
        let watching = Watching {
            name: attach.name.chars().take(MOST_NAME_CHARACTERS).collect(),
            access,
            principal,
            form: match attach.form {
                Form::Full => SnapshotForm::Full { history: attach.history as usize },
                Form::Screen => SnapshotForm::Screen,
            },
            events: attach.events,
            prints: if attach.prints { Prints::Awaited { since: end } } else { Prints::Unwanted },
            size: attach.size,
            pace: if attach.ack {
                Pace::Acknowledged { shown: resumed.unwrap_or(end), drawn: resumed.unwrap_or_default() }
            } else {
                Pace::Socket
            },
            feed: match resumed {
                _ if attach.quiet => Feed::Silent,
                Some(at) => Feed::Live { at },
                None => Feed::Behind { depth: Depth::Recording },
            },
            since: Timestamp::now(),
            active: self.viewers.next_activity(),
            resyncs: 0,
        };
        let welcome = HostMessage::Welcome(Welcome {
            version: VERSION,
            worker: self.meta.worker,
            name: self.meta.name.clone(),
            epoch: self.epoch,
            offset: end,
            size: self.size,
            state: self.state(),
            viewer: id,
            typed,
        });
        if let Some(viewer) = self.viewers.get_mut(id) {
            viewer.role = Role::Watching(watching);
            viewer.line.say(&welcome);
            self.visits.line(&format!("{} attached {rights}", viewer.who()));
        }
        self.decide_size()?;
        self.mention_viewers();
        self.pump(id)
    }

    /// Who types through this viewer, and how much of that was dealt with before, if anybody says so and may.
    pub(crate) fn typist_arrives(
        &mut self,
        id: ViewerId,
        attach: &Attach,
    ) -> io::Result<(Option<String>, Option<u64>)> {
        let may_type = !attach.read_only && !attach.quiet;
        let is_name = |name: &&String| may_type && (1..=MOST_TYPIST_BYTES).contains(&name.len());
        let Some(name) = attach.typist.as_ref().filter(is_name) else { return Ok((None, None)) };
        let Arrival { typed, earlier } = self.viewers.typists.arrive(name, id);
        if let Some(earlier) = earlier {
            self.dismiss(earlier)?;
        }
        Ok((Some(name.clone()), typed))
    }

    /// Whether a viewer that has everything before this offset can be sent just the rest. One that left just where the
    /// size changed may have the screen of the size before.
    pub(crate) fn can_resume(&self, since: Offset) -> bool {
        let tape = self.tape();
        since >= tape.start()
            && since <= tape.end()
            && (since > self.resized_at || self.resized_at == Offset(0))
    }
}
