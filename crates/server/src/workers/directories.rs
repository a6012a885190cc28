//! Workers' directories that come and go without us.

use std::time::Duration;

use model::WorkerId;

use crate::app::App;

/// A new worker's directory is looked at so often until its host runs.
const LOOKS: u32 = 100;

/// After so long each.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

impl App {
    /// A worker's directory has come to be. Those that we start ourselves are known before.
    pub(crate) fn came(&self, id: WorkerId) {
        let app = self.clone();
        tokio::spawn(async move {
            for _ in 0..LOOKS {
                tokio::time::sleep(LOOK_AGAIN).await;
                let dir = app.home().worker(id);
                let known = app.db(move |store| store.worker(id)).await.is_ok();
                let is_hosted = dir.identity().is_some_and(|identity| identity.is_alive());
                match dir.meta() {
                    _ if known || !dir.path().exists() => return,
                    Ok(meta) if is_hosted || dir.exit_note().is_some() => {
                        return crate::hosts::adopt(&app, home::Worker { dir, meta }).await;
                    }
                    _ => {}
                }
            }
        });
    }

    /// A worker's directory is gone: somebody removed the worker. That it has ended may be told only after that.
    pub(crate) fn went(&self, id: WorkerId) {
        let app = self.clone();
        tokio::spawn(async move {
            for _ in 0..LOOKS {
                match app.db(move |store| store.worker(id)).await {
                    Ok(worker) if !worker.life.is_open() => {
                        if let Err(problem) = app.forget_worker(&worker).await {
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
