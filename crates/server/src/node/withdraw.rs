//! Tells hosts that a token may do nothing any more.

use std::time::Duration;

use model::{TokenId, WorkerId};
use protocol::{HostMessage, ViewerMessage, Withdraw};
use tokio::time::timeout;

use super::Node;

/// How long a host may take to answer. One that is stopped does it when it goes on.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);

impl Node {
    /// Lets a worker's host drop what a token's viewers typed and the child has not got. Returns when the host has done
    /// it, or after a while.
    pub(crate) async fn withdraw(&self, worker: WorkerId, token: TokenId) {
        let answered = timeout(ANSWER_WITHIN, async {
            let mut link = self.link(worker).await.ok()?;
            link.send(&ViewerMessage::Withdraw(Withdraw { principal: token.to_string() })).await.ok()?;
            link.send(&ViewerMessage::Ping(0)).await.ok()?;
            loop {
                if let HostMessage::Pong(_) = link.receive().await.ok()?? {
                    return Some(());
                }
            }
        });
        // A worker without a host has nothing that waits for its child.
        if answered.await.is_err() {
            tracing::warn!(worker.id = %worker, token.id = %token, "a host does not answer; keys of a revoked token may wait in it");
        }
    }
}
