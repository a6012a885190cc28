//! Many terminals on one socket: `/ws/terminals`.
//!
//! Two halves share the socket. [`Hands`] carries out the client's requests: it starts, attaches and types. [`Screens`]
//! sends the hosts' output, in [turns](::dialects::Turns) between the terminals. It holds at most one read of each
//! terminal; the host keeps the rest. When the socket closes, the client detaches from all terminals, and none of them
//! ends.

mod attaching;
mod hands;
mod screens;

use api::{ErrorCode, Problem, TerminalsServerMessage};
use axum::response::Response;
use tokio::sync::mpsc;

use crate::gate::SocketDoor;
use crate::problem::Failure;
use crate::relay::{open, serve};
use crate::routes::Mine;
use attaching::Attached;
use hands::Hands;
use screens::Screens;

/// The most terminals on one socket: more than a person has open at once.
const MOST_TERMINALS: usize = 64;

/// How many answers may wait for a client that does not read. When there are more, the server stops reading from it.
const MOST_ORDERS: usize = 64;

/// Shows many terminals. Both sides send text messages, each with a `type`: see TerminalsClientMessage and
/// TerminalsServerMessage.
#[utoipa::path(
    get,
    path = "/ws/terminals",
    tag = "sockets",
    responses(
        (status = 101, description = "text messages: TerminalsServerMessage", body = TerminalsServerMessage),
    )
)]
pub(crate) async fn terminals(Mine(app): Mine, door: SocketDoor) -> Result<Response, Failure> {
    Ok(open(door, move |socket, who, over| async move {
        let relays = app.relays().clone();
        serve(&relays, app.keepalive(), socket, over, async |incoming, outgoing| {
            let (order, orders) = mpsc::channel(MOST_ORDERS);
            // There are at most as many as terminals: a place becomes free only after its end was received.
            let (gone, ended) = mpsc::unbounded_channel();
            let hands = Hands::new(app.clone(), who, order, ended);
            tokio::select! {
                closing = hands.work(incoming) => closing,
                closing = Screens::new(orders, gone).show(outgoing) => closing,
            }
        })
        .await;
    }))
}

/// One attachment of a socket. Attaching to the same terminal again gives another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Place(u64);

/// An order from [`Hands`] to [`Screens`].
enum Order {
    /// Send a message.
    Say(TerminalsServerMessage),
    /// Send this message, and show a terminal from now on.
    Show(Place, TerminalsServerMessage, Box<Attached>),
    /// Stop showing a terminal.
    Leave(Place),
    /// Whether to keep quiet when a terminal ends, because the client is closing it.
    Hush(Place, bool),
}

fn not_attached() -> Problem {
    Problem::new(
        ErrorCode::WrongState,
        "you are not attached to this terminal; the server dropped this message",
    )
}
