//! A viewer that sees a worker, for as long as it does.

use model::WorkerId;
use protocol::ViewerId;

use super::Happening;
use crate::app::App;

/// A viewer that sees a worker. When it is dropped, it does no longer.
pub(crate) struct Attached {
    app: App,
    worker: WorkerId,
    viewer: ViewerId,
}

impl Attached {
    /// Tells that a viewer sees a worker.
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
