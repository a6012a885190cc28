//! Attaches to a terminal, before anything is shown.

use ::dialects::refusal;
use api::{ErrorCode, Problem};
use model::{Epoch, Offset, TermSize, WorkerId};
use protocol::{Attach, HostMessage, ViewerMessage, Welcome};
use tokio::time::timeout;

use crate::app::App;
use crate::dialects::{ANSWER_WITHIN, watch};
use crate::node::{LinkReader, LinkWriter};
use crate::relay::Seen;
use crate::tokens::Principal;

/// The output of a terminal that a client already has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Has {
    pub(super) since: Option<Offset>,
    pub(super) epoch: Option<Epoch>,
}

impl Has {
    /// For a new terminal: the client wants its output from the first byte on.
    pub(super) const NOTHING_YET: Has = Has { since: Some(Offset(0)), epoch: Some(Epoch(1)) };
}

/// A terminal that a client is attached to.
pub(super) struct Attached {
    pub(super) worker: WorkerId,
    pub(super) reader: LinkReader,
    pub(super) seen: Seen,
    /// Whether the client requested the first snapshot.
    pub(super) wants_scrollback: bool,
}

/// Attaches to a terminal.
///
/// # Errors
///
/// When the terminal is not running, or its host refuses or does not answer.
pub(super) async fn attach(
    app: &App,
    who: &Principal,
    worker: WorkerId,
    has: Has,
    size: Option<TermSize>,
) -> Result<(Welcome, Attached, LinkWriter), Problem> {
    let silent = || Problem::new(ErrorCode::NotAnswering, "the terminal's host does not answer");
    let mut link = app
        .node()
        .link(worker)
        .await
        .map_err(|_| Problem::new(ErrorCode::NotLive, "the terminal is not running"))?;
    let drives = who.may_drive(worker);
    let attach = Attach {
        since: has.since,
        epoch: has.epoch,
        size: size.filter(|_| drives),
        ..watch::attach(who, "terminals", drives, false)
    };
    link.send(&ViewerMessage::Attach(attach)).await.map_err(|_| silent())?;
    match timeout(ANSWER_WITHIN, link.receive()).await {
        Ok(Ok(Some(HostMessage::Welcome(welcome)))) => {
            let (reader, writer) = link.split();
            let mut seen = Seen::new(app, worker);
            seen.welcomed(welcome.viewer);
            Ok((welcome, Attached { worker, reader, seen, wants_scrollback: false }, writer))
        }
        Ok(Ok(Some(HostMessage::Refused(refused)))) => Err(Problem::new(
            ErrorCode::Unavailable,
            format!("the terminal's host refused: {}", refusal(&refused).1),
        )),
        _ => Err(silent()),
    }
}
