//! A viewer that is attached to a worker.

use model::WorkerId;
use protocol::ViewerId;

use super::Happening;
use crate::app::App;

/// A viewer that is attached to a worker. Dropping it reports that the viewer detached. If the token is over, its
/// host drops what the viewer typed and the child has not got.
pub(crate) struct Attached {
    app: App,
    worker: WorkerId,
    viewer: ViewerId,
}

impl Attached {
    /// Reports that a viewer attached to a worker.
    pub(crate) fn new(app: &App, worker: WorkerId, viewer: ViewerId) -> Attached {
        app.told(Happening::ViewerAttached { worker, viewer });
        Attached { app: app.clone(), worker, viewer }
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.app.told(Happening::ViewerDetached { worker: self.worker, viewer: self.viewer });
        if let Some(share) = self.app.share()
            && share.is_to_be_told(self.worker)
        {
            let (node, worker, token) = (self.app.node().clone(), self.worker, share.token());
            tokio::spawn(async move { node.withdraw(worker, token).await });
        }
    }
}
