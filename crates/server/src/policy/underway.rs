//! Work that is done to its end, whether or not whoever asked for it waits.

use std::future::Future;

use api::{ErrorCode, Problem};
use tokio::sync::watch;

/// What was asked for and is not done yet.
///
/// A connection that is closed takes its answer along, and not the work: half a worktree, or half of a session's end,
/// would be left where nobody can go on from.
#[derive(Clone, Debug, Default)]
pub struct Underway {
    /// Everything under way has a receiver of it.
    over: watch::Sender<()>,
}

impl Underway {
    /// Does something to its end, and gives what came of it to whoever still waits.
    ///
    /// # Errors
    ///
    /// When it panicked.
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
            tracing::error!(%error, "a request came to no end");
            Problem::new(ErrorCode::Internal, "the server failed; its log has more")
        })
    }

    /// Comes to an end when nothing is under way.
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
    async fn what_nobody_waits_for_is_done_to_its_end() {
        let underway = Underway::default();
        let (go, may_go) = oneshot::channel();
        let (done, is_done) = oneshot::channel();
        let mut asked = Box::pin(underway.finish(async move {
            may_go.await.expect("told to go on");
            done.send(()).expect("somebody looks");
        }));
        assert_eq!((&mut asked).now_or_never(), None);
        drop(asked);
        assert_eq!(underway.over().now_or_never(), None, "it is under way");
        go.send(()).expect("it is still there");
        is_done.await.expect("it is done");
        underway.over().await;
    }

    #[tokio::test]
    async fn a_panic_is_a_failure_and_no_silence() {
        let underway = Underway::default();
        let failed: Result<(), Problem> = underway.finish(async { panic!("a mistake of ours") }).await;
        assert_eq!(failed.unwrap_err().code(), ErrorCode::Internal);
        underway.over().await;
    }
}
