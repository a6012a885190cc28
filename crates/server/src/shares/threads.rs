//! Threads for work that waits or computes.

use std::io;
use std::thread;

use api::{ErrorCode, Problem};
use tokio::sync::oneshot;

use super::Share;
use crate::app::blocking;
use crate::node::become_less_urgent;

/// The name of threads that work for guests.
const NAME: &str = "guest";

impl Share {
    /// Runs a call in a thread of its own. Work for a guest takes no thread of the owner, and is done when no other
    /// thread wants to compute. The caller holds a permit for it, so that there are few such threads.
    ///
    /// # Errors
    ///
    /// When the call panics, or there is no thread.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        call: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        if !self.is_guest() {
            return blocking(call).await;
        }
        let (done, is_done) = oneshot::channel();
        start(move || {
            // The caller may have gone.
            let _ = done.send(call());
        })?;
        is_done.await.map_err(|_| Problem::new(ErrorCode::Internal, "the server failed; its log has details"))
    }

    /// Starts a call in a thread of its own, and does not wait for it.
    ///
    /// # Errors
    ///
    /// When there is no thread.
    pub(crate) fn start(&self, call: impl FnOnce() + Send + 'static) -> Result<(), Problem> {
        if !self.is_guest() {
            tokio::task::spawn_blocking(call);
            return Ok(());
        }
        start(call)
    }
}

fn start(call: impl FnOnce() + Send + 'static) -> Result<(), Problem> {
    let begun = thread::Builder::new().name(NAME.into()).spawn(move || {
        become_less_urgent();
        call();
    });
    begun.map(drop).map_err(|error: io::Error| {
        Problem::new(ErrorCode::Unavailable, format!("the server has no thread for this: {error}"))
            .hint("try again in a moment")
    })
}
