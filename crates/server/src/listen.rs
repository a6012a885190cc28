//! Listening: at which addresses, and for how many connections at a time.

mod anonymous;
mod bind;
mod connection;
mod doors;
mod given;
mod slow;
mod standing;
mod stream;

use std::future::Future;
use std::io;

use axum::Router;
use axum::ServiceExt;
use axum::extract::Request;
use tower::Layer;

pub use bind::{ListenError, Listening, browsers_addresses, parse_address};
pub use connection::Io;
pub use doors::{Doors, Limits};
pub(crate) use standing::Answering;
pub use standing::Peer;
pub use stream::Address;

use crate::gate::Gate;

/// Serves all connections until `until` ends. Every request passes through the gate. Answers the requests under way
/// before it returns.
///
/// # Errors
///
/// When the listeners fail for good.
pub async fn serve(
    doors: Doors,
    gate: &Gate,
    router: Router,
    until: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let gated = gate.layer(router);
    let make = ServiceExt::<Request>::into_make_service_with_connect_info::<Peer>(gated);
    axum::serve(doors, make).with_graceful_shutdown(until).await
}
