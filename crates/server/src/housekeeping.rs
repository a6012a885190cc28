//! Work that the server does every hour.

use std::time::Duration;

use crate::app::App;

/// How often the server looks at worktrees and trash.
const NOW_AND_THEN: Duration = Duration::from_secs(3600);

impl App {
    /// Completes the archives and removals that the last server left, once. Then, now and every hour, looks for
    /// worktrees that went away or came back, and deletes the worktrees whose time in the trash is over.
    pub(crate) async fn keep_house(self) {
        self.worktrees_are_settled().await;
        if let Err(problem) = self.tasks().finish_archives().await {
            tracing::warn!(
                reason = problem.error.message,
                "cannot remove the worktrees of archived sessions"
            );
        }
        if let Err(error) = self.node().finish_removals().await {
            tracing::warn!(%error, "cannot remove all files of a removed worker");
        }
        loop {
            self.node().remove_old_sign_in_pages();
            if let Err(problem) = self.worktrees().look_for_all().await {
                tracing::warn!(reason = problem.error.message, "cannot look for moved worktrees");
            }
            if let Err(problem) = self.worktrees().empty_trash().await {
                tracing::warn!(reason = problem.error.message, "cannot empty the trash");
            }
            tokio::time::sleep(NOW_AND_THEN).await;
        }
    }
}
