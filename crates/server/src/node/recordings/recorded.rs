//! The handle with which the rest of the server reads recordings.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use home::WorkerDir;
use jiff::Timestamp;
use masking::Rules;
use model::WorkerId;
use reading::{Masks, MasksError, Stop};

use super::cursor::{Cursor, Page};
use super::error::RecordingError;
use super::export::{Format, export};
use super::info::{Info, info};
use super::lines::{Line, WantedLines, lines};
use super::marks::{Mark, marks};
use super::moment::{Bound, Span};
use super::output::{Chunk, output};
use super::screen::{ScreenAt, screen_at};
use super::search::{Asked, Found, search};
use crate::app::blocking;
use crate::node::Node;

/// A last screen that is not read within this time is not needed any more.
const LAST_SCREEN_WITHIN: Duration = Duration::from_secs(5);

/// A worker's recording, with the masks through which it is read.
pub(crate) struct Recorded {
    dir: WorkerDir,
    masks: Masks,
}

impl Node {
    /// The recording of a worker. It reads the rules for masking, and blocks meanwhile.
    ///
    /// # Errors
    ///
    /// When the rules cannot be read. Without them, nothing of a recording leaves.
    pub(crate) fn recorded(&self, id: WorkerId) -> Result<Recorded, MasksError> {
        Ok(Recorded { masks: Masks::read(&self.0.home)?, dir: self.0.home.worker(id) })
    }

    /// The recordings of all workers. It reads the rules for masking, and blocks meanwhile.
    ///
    /// # Errors
    ///
    /// When the rules cannot be read. Without them, nothing of a recording leaves.
    pub(crate) fn all_recorded(&self) -> Result<AllRecorded<'_>, MasksError> {
        Ok(AllRecorded { node: self, masks: Masks::read(&self.0.home)? })
    }

    /// The rows of the last screen of a worker that ended, if its recording tells them soon.
    pub(crate) async fn last_screen(&self, id: WorkerId) -> Option<Vec<String>> {
        let node = self.clone();
        let read = blocking(move || {
            let screen = node.recorded(id).ok()?.screen_at(None, 0, &Stop::after(LAST_SCREEN_WITHIN));
            Some(screen.ok()?.rows)
        });
        read.await.ok()?
    }
}

impl Recorded {
    /// See [`info()`].
    pub(crate) fn info(&self, stop: &Stop) -> Result<Info, RecordingError> {
        info(&self.dir, stop)
    }

    /// See [`output()`].
    pub(crate) fn output(&self, span: Span, limit: usize, stop: &Stop) -> Result<Chunk, RecordingError> {
        output(&self.dir, &self.rules(), span, limit, stop)
    }

    /// See [`lines()`].
    pub(crate) fn lines(&self, wanted: WantedLines, stop: &Stop) -> Result<Page<Line>, RecordingError> {
        lines(&self.dir, &self.rules(), wanted, stop)
    }

    /// See [`marks()`].
    pub(crate) fn marks(
        &self,
        after: Option<Cursor>,
        limit: usize,
        stop: &Stop,
    ) -> Result<Page<Mark>, RecordingError> {
        marks(&self.dir, &self.rules(), after, limit, stop)
    }

    /// See [`screen_at()`].
    pub(crate) fn screen_at(
        &self,
        moment: Option<Bound>,
        history: usize,
        stop: &Stop,
    ) -> Result<ScreenAt, RecordingError> {
        screen_at(&self.dir, &self.rules(), moment, history, stop)
    }

    /// See [`export()`].
    pub(crate) fn export(
        &self,
        format: Format,
        range: (Option<Timestamp>, Option<Timestamp>),
        out: &mut dyn Write,
        stop: &Stop,
    ) -> Result<(), RecordingError> {
        export(&self.dir, &self.rules(), format, range, out, stop)
    }

    fn rules(&self) -> Arc<Rules> {
        self.masks.of(&self.dir)
    }
}

/// The recordings of all workers, with the masks through which they are read.
pub(crate) struct AllRecorded<'a> {
    node: &'a Node,
    masks: Masks,
}

impl AllRecorded<'_> {
    /// See [`search()`].
    pub(crate) fn search(&self, asked: &Asked<'_>, stop: &Stop) -> Result<Found, RecordingError> {
        search(&self.node.0.home, &self.masks, asked, stop)
    }
}
