//! Other projects' ways to speak about terminals, each a thin adapter to the same hosts.
//!
//! - [`pipe`], `/api/tasks/{id}/terminal`: nothing but what is shown and typed
//! - [`worker_socket`], `/ws/session/{sid}/worker/{wid}`: one worker, in JSON
//! - [`terminals`], `/ws/terminals`: many terminals on one socket, in JSON
//!
//! Their clients are emulators that know nothing of our frames. So what they are shown goes through a filter that leaves
//! no question in it ([`viewer::EmulatorFilter`]), device replies are taken out of what they type (`replies`), and a
//! size goes the same way as the keys, in order.

mod picture;
pub(crate) mod pipe;
mod replies;
pub(crate) mod terminals;
mod typist;
mod watch;
pub(crate) mod worker_socket;

use std::time::Duration;

use api::Problem;
use axum::extract::ws::Message;
use model::{WorkerId, display_safe};
use protocol::Refused;
use rustix::process::Signal;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use pipe::{PipeViewers, resize_task};

use crate::app::App;
use crate::recordings::{self, ScreenAt};
use crate::relay::{Closing, Heard};

/// How long a host may take to answer. It answers at once unless it is stopped or the machine is choking.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// Lines of history that a client is shown first. It keeps about as many itself.
const HISTORY: u32 = 1000;

/// The last screen of a worker without a host, if anything was recorded. It comes from the recording, and so through the
/// masks.
async fn last_screen(app: &App, worker: WorkerId) -> Option<ScreenAt> {
    let read = app.recorded(worker, |dir, masks, stop| {
        recordings::screen_at(dir, &masks.of(dir), None, HISTORY as usize, stop)
    });
    match read.await {
        Ok(screen) => Some(screen),
        Err(failure) => {
            tracing::debug!(worker.id = %worker, reason = failure.0.error.message, "no last screen");
            None
        }
    }
}

/// A message of ours.
fn text(message: &impl Serialize) -> Message {
    let json = serde_json::to_string(message).expect("our messages have no keys that JSON lacks");
    Message::Text(json.into())
}

/// A message of a client.
fn parse<T: DeserializeOwned>(message: Heard) -> Result<T, Closing> {
    match message {
        Heard::Text(json) => serde_json::from_str(&json).map_err(|error| {
            Closing::malformed(format!("no such message: {}", display_safe(&error.to_string())))
        }),
        Heard::Binary(_) => Err(Closing::malformed("messages here are text")),
    }
}

/// A problem's code and sentence.
fn words(problem: &Problem) -> (String, String) {
    (word(&problem.error.code), problem.error.message.clone())
}

/// A refusal's code and sentence. The host's words may have come from anywhere.
fn refusal(refused: &Refused) -> (String, String) {
    (word(&refused.code), display_safe(&refused.message))
}

/// The word that stands for an enum's value in JSON.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => "other".to_owned(),
    }
}

/// A signal's name, as in `SIGTERM`; its number where it has none.
fn signal_name(number: u8) -> String {
    const NAMES: [(Signal, &str); 16] = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::USR2, "SIGUSR2"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
    ];
    let named = NAMES.iter().find(|(signal, _)| signal.as_raw() == i32::from(number));
    named.map_or_else(|| number.to_string(), |(_, name)| (*name).to_owned())
}
