//! Notices a model that does not move while a viewer waits for it.

use std::io;
use std::time::{Duration, Instant};

use model::Offset;

use crate::host::Host;
use crate::log;
use crate::output::Reading;
use crate::snapshots::{Depth, Subject};

/// How long a model may stand still while a reader waits for it.
const MODEL_PATIENCE: Duration = Duration::from_secs(5);

/// Since when a reader has waited for the model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Awaited {
    since: Instant,
    /// How far the model was then.
    at: Offset,
    /// Whether it stood still once already.
    looked: bool,
}

impl Host {
    /// Notes whether a viewer waits for the model.
    pub(crate) fn note_awaited(&mut self) {
        // A screen with lines from the recording is not drawn by the model, and may take its time.
        let is_from_recording =
            |subject| matches!(subject, Subject::Snapshot { depth: Depth::Recording, .. });
        let awaited = self
            .requests
            .iter()
            .any(|request| !is_from_recording(request.subject) || self.follower.at() < request.at)
            || self.reading == Reading::HeldByModel;
        match self.model_awaited {
            Some(_) if !awaited => self.model_awaited = None,
            None if awaited => {
                self.model_awaited =
                    Some(Awaited { since: Instant::now(), at: self.follower.at(), looked: false });
            }
            _ => {}
        }
    }

    /// When a model that is waited for is looked at.
    pub(crate) fn model_due(&self) -> Option<Instant> {
        self.model_awaited.map(|awaited| awaited.since + self.follower.patience(MODEL_PATIENCE))
    }

    /// Replaces a model that hangs: it has not moved while a reader waited for it.
    pub(crate) fn look_at_model(&mut self, now: Instant) -> io::Result<()> {
        let at = self.follower.at();
        let stands_still = self.model_awaited.filter(|awaited| awaited.at == at);
        // A machine that slept, or a host that was stopped, has not seen the model stand still: it is looked at twice.
        let is_stuck = stands_still.is_some_and(|awaited| awaited.looked);
        if is_stuck && let Err(error) = self.follower.replace(self.size) {
            log::line(&format!("the model hangs and cannot be replaced: {error}"));
        }
        let looked = stands_still.is_some() && !is_stuck;
        self.model_awaited = Some(Awaited { since: now, at, looked });
        Ok(())
    }
}
