//! What is done now and then.

use std::time::Duration;

use crate::app::{App, blocking};

/// How often.
const NOW_AND_THEN: Duration = Duration::from_secs(3600);

impl App {
    /// Finishes what the last server left, now; looks for worktrees that were moved, and empties the trash of what has
    /// been in it for long enough, now and every hour.
    pub(crate) async fn keep_house(self) {
        if let Err(problem) = self.finish_archives().await {
            tracing::warn!(
                reason = problem.error.message,
                "worktrees of archived sessions are left where they are"
            );
        }
        let home = self.home().clone();
        if let Ok(Err(error)) = blocking(move || home.finish_removals()).await {
            tracing::warn!(%error, "not all of a removed worker could be removed");
        }
        loop {
            if let Err(problem) = self.look_for_worktrees().await {
                tracing::warn!(reason = problem.error.message, "worktrees cannot be looked for");
            }
            if let Err(problem) = self.empty_trash().await {
                tracing::warn!(reason = problem.error.message, "the trash cannot be emptied");
            }
            tokio::time::sleep(NOW_AND_THEN).await;
        }
    }
}
