//! Work that the server finishes even if the client disconnects.

use std::future::Future;

use api::{ErrorCode, Problem};
use tokio::sync::watch;

/// The requests that are not finished.
///
/// When a connection is closed, only its answer is lost. The work goes on: half of a worktree, or half of the end of a
/// session, could not be continued later.
#[derive(Clone, Debug, Default)]
pub struct Underway {
    /// Each piece of work holds a receiver.
    over: watch::Sender<()>,
}

impl Underway {
    /// Runs work to its end, even if the caller stops waiting for the result.
    ///
    /// # Errors
    ///
    /// When the work panicked.
    pub(crate) async fn finish<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Problem> {
        let under_way = self.over.subscribe();
        let done = tokio::spawn(async move {
            let _under_way = under_way;
            work.await
        });
        done.await.map_err(|error| {
            tracing::error!(%error, "the handler of a request panicked");
            Problem::new(ErrorCode::Internal, "the server failed; its log has details")
        })
    }

    /// Starts work that runs to its end, and does not wait for it.
    pub(crate) fn begin(&self, work: impl Future<Output = ()> + Send + 'static) {
        let under_way = self.over.subscribe();
        tokio::spawn(async move {
            let _under_way = under_way;
            work.await;
        });
    }

    /// Ends when no work is left.
    pub async fn over(&self) {
        self.over.closed().await;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn work_is_finished_when_the_client_has_gone() {
        let underway = Underway::default();
        let (go, may_go) = oneshot::channel();
        let (done, is_done) = oneshot::channel();
        let mut asked = Box::pin(underway.finish(async move {
            may_go.await.expect("the test sends this");
            done.send(()).expect("the test waits for this");
        }));
        assert_eq!((&mut asked).now_or_never(), None);
        drop(asked);
        assert_eq!(underway.over().now_or_never(), None, "the work is under way");
        go.send(()).expect("the work still waits");
        is_done.await.expect("the work is done");
        underway.over().await;
    }

    #[tokio::test]
    async fn work_that_was_started_in_the_background_is_under_way() {
        let underway = Underway::default();
        let (go, may_go) = oneshot::channel::<()>();
        underway.begin(async move { may_go.await.expect("the test sends this") });
        assert_eq!(underway.over().now_or_never(), None);
        go.send(()).expect("the work still waits");
        underway.over().await;
    }

    #[tokio::test]
    async fn a_panic_in_a_handler_is_answered_with_an_error() {
        let underway = Underway::default();
        let failed: Result<(), Problem> = underway.finish(async { panic!("a bug") }).await;
        assert_eq!(failed.unwrap_err().code(), ErrorCode::Internal);
        underway.over().await;
    }
}
