//! Terminal sockets in the formats of other projects. Each is a thin adapter to the same hosts.
//!
//! - [`pipe`], `/api/tasks/{id}/terminal`: only output and keys
//! - [`worker_socket`], `/ws/session/{sid}/worker/{wid}`: one worker, in JSON
//! - [`terminals`], `/ws/terminals`: many terminals on one socket, in JSON
//!
//! The crate `dialects` translates the messages. This module has the routes and the connections to the hosts.

pub(crate) mod pipe;
pub(crate) mod terminals;
mod watch;
pub(crate) mod worker_socket;

use std::time::Duration;

use ::dialects::{Heard, Malformed, Said};
use axum::extract::ws::Message;
use model::WorkerId;
use serde::Serialize;

pub(crate) use pipe::{PipeViewers, resize_task};

use crate::app::App;
use crate::recordings::ScreenAt;
use crate::relay::{self, Closing};

/// How long a host may take to answer. It answers at once, unless it is stopped or the machine is overloaded.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// How many lines of history a client gets first. It keeps about as many itself.
const HISTORY: u32 = 1000;

/// The last screen of a worker without a host, if it has a recording. The screen comes from the recording, so secrets
/// in it are masked.
async fn last_screen(app: &App, worker: WorkerId) -> Option<ScreenAt> {
    let read = app.recorded(worker, |recorded, stop| recorded.screen_at(None, HISTORY as usize, stop));
    match read.await {
        Ok(screen) => Some(screen),
        Err(failure) => {
            tracing::debug!(worker.id = %worker, reason = failure.0.error.message, "cannot read the last screen");
            None
        }
    }
}

/// A message for the socket.
fn message(said: Said) -> Message {
    match said {
        Said::Text(text) => Message::Text(text.into()),
        Said::Binary(bytes) => Message::Binary(bytes.into()),
    }
}

/// A JSON message for the socket.
fn text(content: &impl Serialize) -> Message {
    message(Said::json(content))
}

/// A message from the socket, for a dialect.
fn heard(message: &relay::Heard) -> Heard<'_> {
    match message {
        relay::Heard::Text(text) => Heard::Text(text),
        relay::Heard::Binary(bytes) => Heard::Binary(bytes),
    }
}

impl From<Malformed> for Closing {
    fn from(Malformed(why): Malformed) -> Closing {
        Closing::malformed(why)
    }
}
