//! Many terminals on one socket: `/ws/terminals`.
//!
//! Two halves share it. [`Hands`] does what the client says: it starts, attaches and types. [`Screens`] shows what the
//! hosts say, and lets the terminals that have something to say take [turns](Turns). Of each terminal at most one read is
//! held; its host does the rest. When the socket closes, the client is detached from all of them, and none ends.

mod attaching;
mod hands;
mod screens;
mod turns;

use api::{ErrorCode, Problem, TerminalsServerMessage};
use axum::extract::State;
use axum::response::Response;
use model::WorkerId;
use tokio::sync::mpsc;

use crate::app::App;
use crate::gate::SocketDoor;
use crate::problem::Failure;
use crate::relay::{open, serve};
use attaching::Attached;
use hands::Hands;
use screens::Screens;

/// So many terminals fit on a socket; more than anybody has open at once.
const MOST_TERMINALS: usize = 64;

/// Answers that wait for a client that does not read. Then it is not listened to either.
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
pub(crate) async fn terminals(State(app): State<App>, door: SocketDoor) -> Result<Response, Failure> {
    Ok(open(door, move |socket, who, over| async move {
        let relays = app.relays().clone();
        serve(&relays, app.keepalive(), socket, over, async |incoming, outgoing| {
            let (order, orders) = mpsc::channel(MOST_ORDERS);
            // As many as there are terminals, at most: a place is free only when its end was heard of.
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

/// Which of a socket's attachments; a terminal that is attached to again is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Place(u64);

/// What the client's half tells the one that shows.
enum Order {
    /// To say something.
    Say(TerminalsServerMessage),
    /// To say this, and to show a terminal from now on.
    Show(Place, TerminalsServerMessage, Box<Attached>),
    /// To show it no longer.
    Leave(Place),
    /// Not to say that it ends, because it is being ended; or to say so again, because it is not.
    Hush(Place, bool),
}

fn error(problem: &Problem, worker_id: Option<WorkerId>, id: Option<String>) -> TerminalsServerMessage {
    let (code, message) = super::words(problem);
    TerminalsServerMessage::Error { code, message, worker_id, id }
}

fn not_attached() -> Problem {
    Problem::new(ErrorCode::WrongState, "you are not attached to this terminal; nothing of this was taken")
}
