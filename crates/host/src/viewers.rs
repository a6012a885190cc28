//! All connections of a host.

use std::collections::BTreeMap;
use std::os::unix::net::UnixStream;
use std::time::Instant;

use model::Offset;
use protocol::{ViewerId, ViewerReport};

use crate::input::Typists;
use crate::size::Claim;
use crate::viewer::{Access, Feed, Pace, Viewer, Watching};

/// All connections, in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct Viewers {
    all: BTreeMap<ViewerId, Viewer>,
    next: u64,
    /// Counts attaching, typing and taking focus.
    activity: u64,
    /// Whose size the terminal has.
    pub(crate) owner: Option<ViewerId>,
    pub(crate) typists: Typists,
}

impl Viewers {
    /// Takes in a new connection.
    pub(crate) fn add(&mut self, stream: UnixStream) -> &mut Viewer {
        let id = ViewerId(self.next);
        self.next += 1;
        self.all.entry(id).or_insert(Viewer::new(id, stream))
    }

    /// Takes in a connection that was there before we became this program.
    pub(crate) fn resume(&mut self, viewer: Viewer) {
        self.next = self.next.max(viewer.id.0 + 1);
        if let Some(watching) = viewer.watching() {
            self.activity = self.activity.max(watching.active);
        }
        self.all.insert(viewer.id, viewer);
    }

    /// The number of the next connection.
    pub(crate) fn next_id(&self) -> u64 {
        self.next
    }

    /// Counts connections from here on.
    pub(crate) fn go_on_from(&mut self, next: u64) {
        self.next = self.next.max(next);
    }

    pub(crate) fn get(&self, id: ViewerId) -> Option<&Viewer> {
        self.all.get(&id)
    }

    pub(crate) fn get_mut(&mut self, id: ViewerId) -> Option<&mut Viewer> {
        self.all.get_mut(&id)
    }

    pub(crate) fn remove(&mut self, id: ViewerId) -> Option<Viewer> {
        self.all.remove(&id)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Viewer> {
        self.all.values()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Viewer> {
        self.all.values_mut()
    }

    pub(crate) fn ids(&self) -> Vec<ViewerId> {
        self.all.keys().copied().collect()
    }

    /// A number for something a viewer did, larger than all before.
    pub(crate) fn next_activity(&mut self) -> u64 {
        self.activity += 1;
        self.activity
    }

    /// The viewers that could decide on the size.
    pub(crate) fn claims(&self) -> Vec<Claim> {
        let watching = self.all.values().filter_map(|viewer| Some((viewer.id, viewer.watching()?)));
        let claims = watching.filter(|(_, watching)| watching.may_type()).filter_map(|(viewer, watching)| {
            Some(Claim { viewer, size: watching.size?, active: watching.active })
        });
        claims.collect()
    }

    /// The first byte that a viewer still has to be sent.
    pub(crate) fn slowest(&self) -> Option<Offset> {
        let feeds = self.all.values().filter_map(|viewer| Some(&viewer.watching()?.feed));
        let offsets = feeds.filter_map(|feed| match feed {
            Feed::Live { at } => Some(*at),
            Feed::Drawing { snapshot, .. } => Some(snapshot.at),
            Feed::Waiting { at, .. } => Some(*at),
            Feed::Behind { .. } | Feed::Silent | Feed::Ended => None,
        });
        offsets.min()
    }

    /// A viewer that is so far behind and was not slow lately, and how far it is. Those who are slow to acknowledge
    /// are not meant: they are not behind for want of a turn.
    pub(crate) fn to_be_waited_for(&self, end: Offset, behind: usize) -> Option<(ViewerId, usize)> {
        let is_far = |viewer: &&Viewer| {
            viewer.behind(end) >= behind
                && viewer.watching().is_some_and(|watching| watching.pace == Pace::Socket)
                && viewer.slow_until.is_none_or(|until| until <= Instant::now())
        };
        self.all.values().find(is_far).map(|viewer| (viewer.id, viewer.behind(end)))
    }

    /// The list of viewers, as they are told of it. A connection that only listens is no viewer.
    pub(crate) fn reports(&self, end: Offset) -> Vec<ViewerReport> {
        let report = |viewer: &Viewer, watching: &Watching| ViewerReport {
            id: viewer.id,
            name: watching.name.clone(),
            read_only: !watching.may_type(),
            size: watching.size,
            owns_size: self.owner == Some(viewer.id),
            since: watching.since,
            behind_bytes: viewer.behind(end) as u64,
            resyncs: watching.resyncs,
        };
        let watching = self.all.values().filter_map(|viewer| Some((viewer, viewer.watching()?)));
        let seeing = watching.filter(|(_, watching)| watching.access != Access::Listen);
        seeing.map(|(viewer, watching)| report(viewer, watching)).collect()
    }
}
