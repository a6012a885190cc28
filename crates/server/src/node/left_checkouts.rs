//! Checkouts that the last server left running.

use home::Identity;

use super::Node;
use super::process_group::{self, Leader};

impl Node {
    /// Ends the checkouts that the last server left running. Settling their worktrees waits for their end, and for that of
    /// other git processes: these take milliseconds.
    pub(crate) async fn end_left_checkouts(&self) {
        let Some(own) = Identity::own() else { return };
        let ended = self.git(move |git| {
            let left = git.checkouts().into_iter().filter_map(Identity::of);
            // This server's own git processes began after it. Each of the others leads a group.
            for git in left.filter(|git| git.start_ticks < own.start_ticks) {
                process_group::end_left(&git, Leader::Git);
            }
            Ok(())
        });
        if let Err(problem) = ended.await {
            tracing::warn!(
                reason = problem.error.message,
                "a checkout that the last server left is still at work"
            );
        }
    }
}
