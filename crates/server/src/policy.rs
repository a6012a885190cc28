//! Routes and their policies. Every route is declared here, together with the policy that says which requests it
//! accepts.
//!
//! Routes are added to a [`Table`] together with a [`Policy`]. There is no other way: the gate does not answer for a
//! route that is not in the table. The table enforces the policies, and lists all routes ([`RouteEntry`]), so that a
//! test can check every one of them.

mod body;
mod decide;
mod enforce;
mod table;
mod underway;

use axum::response::Response;

pub use body::BodyRule;
pub use table::{RouteEntry, Table};
pub use underway::Underway;

/// Which requests a route accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// Every request that passes the gate. For the page, and for the requests with which it gets its token.
    Public,
    /// The owner.
    Owner,
    /// The owner, or a token for the worker that the path names. For other tokens, the answer does not say whether that
    /// worker exists.
    Worker {
        /// Whether the route changes the worker. If so, a token that may only watch is refused.
        drive: bool,
    },
    /// A WebSocket.
    Socket {
        /// Which tokens it accepts.
        of: SocketOf,
        /// Whether the secret may be the first message. If not, it must come with the upgrade.
        first_frame: bool,
    },
}

/// Which tokens a WebSocket accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SocketOf {
    /// The owner.
    Owner,
    /// Every token that may watch the worker that the path names. Before the handler sends anything to the worker, it
    /// must check [`Principal::may_drive`](crate::tokens::Principal::may_drive).
    Worker,
}

/// Marks an answer that a policy has decided about.
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
