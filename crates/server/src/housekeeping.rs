//! What is done now and then.

use std::time::Duration;

use crate::app::App;

/// How often.
const NOW_AND_THEN: Duration = Duration::from_secs(3600);

impl App {
    /// Empties the trash of what has been in it for long enough, now and every hour.
    pub(crate) async fn keep_house(self) {
        loop {
            if let Err(problem) = self.empty_trash().await {
                tracing::warn!(reason = problem.error.message, "the trash cannot be emptied");
            }
            tokio::time::sleep(NOW_AND_THEN).await;
        }
    }
}
