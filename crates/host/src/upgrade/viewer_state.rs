//! A viewer in the state that a host hands to its next program.

use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::os::unix::net::UnixStream;

use jiff::Timestamp;
use model::{Offset, TermSize};
use protocol::ViewerId;
use serde::{Deserialize, Serialize};
use terminal::SnapshotForm;

use crate::detach;
use crate::snapshots::Depth;
use crate::viewer::{Access, Feed, Line, Pace, Prints, Role, Viewer, Watching};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ViewerState {
    pub(super) id: ViewerId,
    pub(super) descriptor: RawFd,
    role: RoleState,
    unfinished: Vec<u8>,
    unsent: Vec<u8>,
    typed_bytes: u64,
    /// Whether it waits for the text of the screen.
    #[serde(default)]
    pub(super) wants_rows: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum RoleState {
    Asking,
    Leasing,
    #[serde(rename_all = "camelCase")]
    Watching {
        name: String,
        read_only: bool,
        /// Lines of history in a full snapshot; nothing for one of the screen.
        history: Option<usize>,
        events: bool,
        size: Option<TermSize>,
        acked: Option<Offset>,
        drawn: Offset,
        /// Output goes on here; if nowhere, the screen is drawn anew.
        live_at: Option<Offset>,
        #[serde(default)]
        quiet: bool,
        #[serde(default)]
        prints: Prints,
        since: Timestamp,
        active: u64,
        resyncs: u64,
        #[serde(default)]
        typist: Option<String>,
        #[serde(default)]
        principal: Option<String>,
    },
}

impl ViewerState {
    /// A viewer in the middle of a snapshot is not taken along: it connects again, which is simpler than halves.
    pub(super) fn of(viewer: &Viewer) -> Option<ViewerState> {
        let role = match &viewer.role {
            Role::Asking | Role::Starting => RoleState::Asking,
            Role::Leasing => RoleState::Leasing,
            Role::Watching(watching) => RoleState::Watching {
                name: watching.name.clone(),
                read_only: !watching.may_type(),
                history: match watching.form {
                    SnapshotForm::Full { history } => Some(history),
                    SnapshotForm::Screen => None,
                },
                events: watching.events,
                size: watching.size,
                acked: match watching.pace {
                    Pace::Acknowledged { shown, .. } => Some(shown),
                    Pace::Socket => None,
                },
                drawn: match watching.pace {
                    Pace::Acknowledged { drawn, .. } => drawn,
                    Pace::Socket => Offset(0),
                },
                live_at: match watching.feed {
                    Feed::Live { at } => Some(at),
                    Feed::Behind { .. } | Feed::Waiting { .. } | Feed::Silent | Feed::Ended => None,
                    Feed::Drawing { sent: 0, .. } => None,
                    Feed::Drawing { .. } => return None,
                },
                quiet: watching.access == Access::Listen,
                prints: watching.prints,
                since: watching.since,
                active: watching.active,
                resyncs: watching.resyncs,
                typist: watching.typist().map(str::to_owned),
                principal: watching.principal.clone(),
            },
        };
        Some(ViewerState {
            id: viewer.id,
            descriptor: viewer.as_fd().as_raw_fd(),
            role,
            unfinished: viewer.line.unfinished().to_vec(),
            unsent: viewer.line.unsent().to_vec(),
            typed_bytes: viewer.typed_bytes,
            wants_rows: viewer.rows_asked.is_some(),
        })
    }

    pub(super) fn viewer(self) -> io::Result<Viewer> {
        let role = match self.role {
            RoleState::Asking => Role::Asking,
            RoleState::Leasing => Role::Leasing,
            RoleState::Watching {
                name,
                read_only,
                history,
                events,
                size,
                acked,
                drawn,
                live_at,
                quiet,
                prints,
                since,
                active,
                resyncs,
                typist,
                principal,
            } => Role::Watching(Watching {
                name,
                access: match read_only {
                    _ if quiet => Access::Listen,
                    true => Access::See,
                    false => Access::Type { typist },
                },
                form: history.map_or(SnapshotForm::Screen, |history| SnapshotForm::Full { history }),
                events,
                prints,
                size,
                pace: match acked {
                    Some(shown) => Pace::Acknowledged { shown, drawn },
                    None => Pace::Socket,
                },
                feed: match live_at {
                    _ if quiet => Feed::Silent,
                    Some(at) => Feed::Live { at },
                    None => Feed::Behind { depth: Depth::Recording },
                },
                since,
                active,
                resyncs,
                principal,
            }),
        };
        let stream = UnixStream::from(detach::take_up(self.descriptor)?);
        let line = Line::resume(stream, &self.unfinished, self.unsent);
        Ok(Viewer::resume(self.id, line, role, self.typed_bytes))
    }
}
