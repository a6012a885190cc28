//! Attaching to a terminal, before anything of it is shown.

use api::{ErrorCode, Problem};
use model::{Epoch, Offset, TermSize, WorkerId};
use protocol::{Attach, HostMessage, ViewerMessage, Welcome};
use tokio::time::timeout;

use crate::app::App;
use crate::dialects::{ANSWER_WITHIN, refusal, watch};
use crate::link::{HostLink, LinkReader, LinkWriter};
use crate::relay::Seen;
use crate::tokens::Principal;

/// What a client has of a terminal already.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Has {
    pub(super) since: Option<Offset>,
    pub(super) epoch: Option<Epoch>,
}

impl Has {
    /// Nothing, of a terminal that has just begun: its output is wanted from the first byte on.
    pub(super) const NOTHING_YET: Has = Has { since: Some(Offset(0)), epoch: Some(Epoch(1)) };
}

/// A terminal that a client is attached to, and that is to be shown.
pub(super) struct Attached {
    pub(super) worker: WorkerId,
    pub(super) reader: LinkReader,
    pub(super) seen: Seen,
    /// Whether the first snapshot is what the client asked for.
    pub(super) wants_scrollback: bool,
}

/// Attaches to a terminal.
///
/// # Errors
///
/// When it does not run, or its host does not want to.
pub(super) async fn attach(
    app: &App,
    who: &Principal,
    worker: WorkerId,
    has: Has,
    size: Option<TermSize>,
) -> Result<(Welcome, Attached, LinkWriter), Problem> {
    let silent = || Problem::new(ErrorCode::NotAnswering, "the terminal's host does not answer");
    let mut link = HostLink::open(&app.home().worker(worker))
        .await
        .map_err(|_| Problem::new(ErrorCode::NotLive, "the terminal does not run"))?;
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
        Ok(Ok(Some(HostMessage::Refused(refused)))) => {
            Err(Problem::new(ErrorCode::Unavailable, format!("the host refuses: {}", refusal(&refused).1)))
        }
        _ => Err(silent()),
    }
}
