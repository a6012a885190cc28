//! A viewer that is attached to a worker.

use model::WorkerId;
use protocol::ViewerId;

use super::Happening;
use crate::app::App;

/// A viewer that is attached to a worker. Dropping it reports that the viewer detached.
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
    }
}
