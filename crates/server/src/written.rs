//! Writing down what has happened. That cannot be refused: a program runs, or has ended, whether or not the database
//! could be told so just then.

use std::time::Duration;

use api::{ErrorCode, Problem};
use store::{Store, StoreError};

use crate::app::App;

/// What could not be written down is tried again after this long.
const WRITE_AGAIN: Duration = Duration::from_secs(1);

impl App {
    /// Writes down what has happened; while the disk has no room or somebody holds the database, as soon as it can be.
    /// A server that leaves waits no longer: the next one finds out what has happened.
    ///
    /// # Errors
    ///
    /// When it makes no sense: what it is about is gone, or somebody was faster.
    pub(crate) async fn write_down<T: Send + 'static>(
        &self,
        step: impl Fn(&Store) -> Result<T, StoreError> + Clone + Send + 'static,
    ) -> Result<T, Problem> {
        self.until_written(|| self.db(step.clone())).await
    }

    /// The same for more than one step: tried until it is not for want of the database that it fails.
    pub(crate) async fn until_written<T, Tried>(&self, attempt: impl Fn() -> Tried) -> Result<T, Problem>
    where
        Tried: Future<Output = Result<T, Problem>>,
    {
        loop {
            match attempt().await {
                Err(problem) if problem.code() == ErrorCode::Unavailable && !self.relays().is_leaving() => {
                    tracing::warn!(reason = problem.error.message, "something is yet to be written down");
                    tokio::time::sleep(WRITE_AGAIN).await;
                }
                written => return written,
            }
        }
    }

    /// Writes down what was found out before anybody is let in. Nobody waits long for that: a database that refuses is
    /// asked again beside them.
    pub(crate) async fn write_down_beside<T: Send + 'static>(
        &self,
        step: impl Fn(&Store) -> Result<T, StoreError> + Clone + Send + Sync + 'static,
    ) {
        let tried = self.db(step.clone()).await;
        if tried.is_err_and(|problem| problem.code() == ErrorCode::Unavailable) {
            let app = self.clone();
            tokio::spawn(async move { app.write_down(step).await });
        }
    }
}
