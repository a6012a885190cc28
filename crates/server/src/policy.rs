//! Who may do what: the one place where a route is declared, and with it who it is for.
//!
//! Routes are added to a [`Table`] together with a [`Policy`]; there is no other way to a route, and one that is put
//! beside the table is never answered. The table enforces what it was told and lists it ([`RouteEntry`]), so that a
//! test can walk over all of it.

mod body;
mod decide;
mod enforce;
mod table;
mod underway;

use axum::response::Response;

pub use body::BodyRule;
pub use table::{RouteEntry, Table};
pub use underway::Underway;

/// Who a route is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// Everybody who gets through the gate: the page, and how it gets its token.
    Public,
    /// Whoever everything belongs to.
    Owner,
    /// Whoever may get at the worker that the path names: the owner, or a token for that worker. Others are not told
    /// whether there is such a worker.
    Worker {
        /// Whether it does something to the worker. A token that may only watch is not enough then.
        drive: bool,
    },
    /// A WebSocket.
    Socket {
        /// Who it is for.
        of: SocketOf,
        /// Whether the secret may come as the first message. Otherwise it comes with the upgrade.
        first_frame: bool,
    },
}

/// Who a WebSocket is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SocketOf {
    /// Whoever everything belongs to.
    Owner,
    /// Whoever may watch the worker that the path names. What they may send is for the handler to ask
    /// [`Principal::may_drive`](crate::tokens::Principal::may_drive).
    Worker,
}

/// Marks an answer that a policy was asked about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decided;

impl Decided {
    pub(crate) fn mark(mut answer: Response) -> Response {
        answer.extensions_mut().insert(Decided);
        answer
    }

    pub(crate) fn is_on(answer: &Response) -> bool {
        answer.extensions().get::<Decided>().is_some()
    }
}
