//! Notices workers that other programs start or remove while the server runs: `abide new` and `abide rm` need no server.

use std::io;
use std::thread;

use model::WorkerId;
use system::{DirectoryChange, DirectoryWatch};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::Node;

/// Something happened to a worker's directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noticed {
    Came(WorkerId),
    Went(WorkerId),
    /// The kernel dropped some changes. Only a look at all workers tells which.
    Missed,
}

impl Node {
    /// Watches which workers' directories come and go. The channel closes when the kernel fails.
    ///
    /// # Errors
    ///
    /// When the directory of all workers cannot be watched.
    pub(crate) fn notice_workers(&self) -> io::Result<UnboundedReceiver<Noticed>> {
        let watch = DirectoryWatch::new(&self.0.home.workers_dir())?;
        let (tell, told) = unbounded_channel();
        thread::Builder::new().name("new workers".into()).spawn(move || read_all(&watch, &tell))?;
        Ok(told)
    }
}

/// Sends every change until the receiver is dropped, or the kernel fails. The kernel bounds how many can wait.
fn read_all(watch: &DirectoryWatch, tell: &UnboundedSender<Noticed>) {
    let followed = watch.follow(|change| of(&change).is_none_or(|noticed| tell.send(noticed).is_ok()));
    if let Err(error) = followed {
        tracing::error!(%error, "new workers are not noticed any more");
    }
}

/// The meaning of a change; `None` if the directory is no worker's.
fn of(change: &DirectoryChange) -> Option<Noticed> {
    let worker = |name: &[u8]| str::from_utf8(name).ok()?.parse().ok();
    Some(match change {
        DirectoryChange::Came(name) => Noticed::Came(worker(name)?),
        DirectoryChange::Went(name) => Noticed::Went(worker(name)?),
        DirectoryChange::Missed => Noticed::Missed,
    })
}
