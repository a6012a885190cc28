//! The three ways to the database: *read*, *step* and *happened*. All of them are about the things of the app's owner.

use std::time::Duration;

use api::{ErrorCode, Problem};
use store::{Reader, Store, StoreError};

use crate::app::{App, blocking};
use crate::troubles;

/// What could not be written down is tried again after this long.
const WRITE_AGAIN: Duration = Duration::from_secs(1);

impl App {
    /// Asks the database something. The call gets a [`Reader`], so it cannot change anything. It is answered also while
    /// nothing can be saved.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Reader) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Problem> {
        self.database(move |store| call(store)).await
    }

    /// Takes a step that a user asked for: a guarded change of state. It is refused, with the reason, when the thing is in
    /// another state or when the database cannot save it now. It is tried once, and nothing has happened before it is saved.
    pub(crate) async fn step<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Problem> {
        self.can_save()?;
        self.database(call).await
    }

    /// Refuses if the database is in memory only, because the server could not open its file.
    ///
    /// # Errors
    ///
    /// With the reason why the file could not be opened.
    pub(crate) fn can_save(&self) -> Result<(), Problem> {
        let Some(reason) = &self.parts().degraded else { return Ok(()) };
        Err(Problem::new(ErrorCode::Unavailable, format!("the server cannot save anything: {reason}"))
            .hint("check that the disk is writable and has space, then restart the server"))
    }

    /// Writes down a fact, such as that a program runs or a directory is gone. A fact cannot be refused. While the
    /// database cannot save it, the server keeps it in memory. [`Happened`] says how long the server tries.
    pub(crate) fn happened<F>(&self, fact: F) -> Happened<'_, F> {
        Happened { app: self, fact }
    }

    /// Tries several steps until it is not for want of the database that they fail. A server that leaves waits no longer:
    /// the next one finds out what has happened.
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

    async fn database<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Problem> {
        let store = self.parts().database.of(self.owner());
        blocking(move || call(&store)).await?.map_err(|error| troubles::of_store(&error))
    }
}

/// A fact to be written down.
#[must_use = "it is written down by `until_written`, `or_later` or `once`"]
pub(crate) struct Happened<'a, F> {
    app: &'a App,
    fact: F,
}

impl<T, F> Happened<'_, F>
where
    T: Send + 'static,
    F: FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
{
    /// Writes it down once. The caller finds it out again, or tells why it is not kept.
    ///
    /// # Errors
    ///
    /// When it cannot be written down now, or makes no sense.
    pub(crate) async fn once(self) -> Result<T, Problem> {
        self.app.database(self.fact).await
    }
}

impl<T, F> Happened<'_, F>
where
    T: Send + 'static,
    F: Fn(&Store) -> Result<T, StoreError> + Clone + Send + 'static,
{
    /// Writes it down; while the disk has no room or another program holds the database, as soon as that is over. A server
    /// that leaves waits no longer: the next one finds out what has happened.
    ///
    /// # Errors
    ///
    /// When it makes no sense: what it is about is gone, or another request was faster.
    pub(crate) async fn until_written(self) -> Result<T, Problem> {
        self.app.until_written(|| self.app.database(self.fact.clone())).await
    }
}

impl<T, F> Happened<'_, F>
where
    T: Send + 'static,
    F: Fn(&Store) -> Result<T, StoreError> + Clone + Send + Sync + 'static,
{
    /// Writes down a fact that the server finds out before it accepts clients. If the database refuses, the server tries
    /// again in the background, so clients do not wait.
    pub(crate) async fn or_later(self) {
        let tried = self.app.database(self.fact.clone()).await;
        if tried.is_err_and(|problem| problem.code() == ErrorCode::Unavailable) {
            let (app, fact) = (self.app.clone(), self.fact);
            tokio::spawn(async move { app.happened(fact).until_written().await });
        }
    }
}
