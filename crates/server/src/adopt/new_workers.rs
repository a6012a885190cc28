//! Workers that other programs start or remove while the server runs.

use std::io;

use super::workers::adopt_new;
use crate::app::App;
use crate::node::Noticed;

/// Takes up new workers and forgets removed ones, for ever.
///
/// # Errors
///
/// When the node cannot notice them. Then the next server finds new workers.
pub(crate) async fn notice_new_workers(app: App) -> io::Result<()> {
    let mut noticed = app.node().notice_workers()?;
    // Workers may have come between the adoption and the watch.
    adopt_new(&app).await;
    while let Some(noticed) = noticed.recv().await {
        match noticed {
            Noticed::Came(worker) => app.workers().came(worker),
            Noticed::Went(worker) => app.workers().went(worker),
            Noticed::Missed => {
                adopt_new(&app).await;
            }
        }
    }
    Err(io::Error::other("the kernel reports no more changes"))
}
