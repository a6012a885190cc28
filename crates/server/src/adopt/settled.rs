//! Whether the worktrees that the last server left are settled.

use tokio::sync::watch;

/// Waits for the end of settling. From then on, the database knows where the last server left each worktree.
#[derive(Clone, Debug)]
pub(crate) struct Settled(watch::Receiver<()>);

/// Held while worktrees are being settled. Dropping it ends settling.
#[derive(Debug)]
pub(crate) struct Settling(#[expect(dead_code, reason = "its end is what tells")] watch::Sender<()>);

/// A new pair of both.
pub(crate) fn settling() -> (Settling, Settled) {
    let (sender, receiver) = watch::channel(());
    (Settling(sender), Settled(receiver))
}

impl Settled {
    /// Waits until the worktrees are settled. That does not take long: the server ends a git that the last one left
    /// running.
    pub(crate) async fn wait(&self) {
        let mut receiver = self.0.clone();
        while receiver.changed().await.is_ok() {}
    }
}
