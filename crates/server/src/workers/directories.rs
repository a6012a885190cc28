//! Workers that other programs start or remove.

use std::time::Duration;

use model::WorkerId;

use crate::adopt;
use crate::rooms::Workers;

/// The server looks this often at a new worker, until its host runs.
const LOOKS: u32 = 100;

/// The time between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

impl Workers {
    /// Adopts a worker whose directory was made. The database knows the workers that this server starts.
    pub(crate) fn came(&self, id: WorkerId) {
        let app = self.clone();
        tokio::spawn(async move {
            for _ in 0..LOOKS {
                tokio::time::sleep(LOOK_AGAIN).await;
                let node = app.node();
                let is_known = app.read(move |store| store.worker(id)).await.is_ok();
                if is_known || !node.has_worker(id).await {
                    return;
                }
                if let Some(found) = node.worker(id).await
                    && (node.is_hosted(id).await || node.exit_note(id).await.is_some())
                {
                    return adopt::adopt(&app, found).await;
                }
            }
        });
    }

    /// Forgets a worker whose directory was removed. The server may hear of its end only after that.
    pub(crate) fn went(&self, id: WorkerId) {
        let app = self.clone();
        tokio::spawn(async move {
            for _ in 0..LOOKS {
                match app.read(move |store| store.worker(id)).await {
                    Ok(worker) if !worker.life.is_open() => {
                        if let Err(problem) = app.forget(&worker).await {
                            let reason = problem.error.message;
                            tracing::debug!(worker.id = %id, reason, "a removed worker is still known");
                        }
                        return;
                    }
                    Ok(_) => tokio::time::sleep(LOOK_AGAIN).await,
                    Err(_) => return,
                }
            }
        });
    }
}
