//! Listening to hosts: what their programs say, who watches, and how they end.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use home::WorkerDir;
use jiff::Timestamp;
use model::{ExitStatus, WorkerId};
use protocol::{Attach, Form, HostMessage, VERSION, ViewerMessage};
use reach::Life;
use tokio::task::AbortHandle;

use crate::app::App;
use crate::link::HostLink;
use crate::relay::Keepalive;

/// How often a host that does not answer is asked again.
const ASK_AGAIN: Duration = Duration::from_secs(2);

/// How long a worker that was lost is looked at: a keeper tries for a minute to start another host.
const HOPE: u32 = 60;

/// How often.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Who is listened to.
#[derive(Debug, Default)]
pub(crate) struct Watches {
    all: Mutex<HashMap<WorkerId, AbortHandle>>,
}

impl Watches {
    /// Listens to a worker from now on, until it ends.
    pub(crate) fn begin(&self, app: &App, worker: WorkerId) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.get(&worker).is_some_and(|watch| !watch.is_finished()) {
            return;
        }
        let task = tokio::spawn(watch(app.clone(), worker));
        all.insert(worker, task.abort_handle());
    }

    /// Listens to it no more.
    pub(crate) fn end(&self, worker: WorkerId) {
        let ended = self.all.lock().unwrap_or_else(PoisonError::into_inner).remove(&worker);
        if let Some(watch) = ended {
            watch.abort();
        }
    }
}

async fn watch(app: App, worker: WorkerId) {
    let dir = app.home().worker(worker);
    loop {
        if let Some((status, at)) = listen(&app, worker, &dir).await {
            return exited(&app, worker, status, at).await;
        }
        let asked = dir.clone();
        let Ok(life) = tokio::task::spawn_blocking(move || reach::life(&asked)).await else { return };
        match life {
            Life::Live(_) => {}
            Life::Exited(note) => return exited(&app, worker, note.status, note.at).await,
            Life::NotAnswering { .. } => {
                app.is_silent(worker, true);
                tokio::time::sleep(ASK_AGAIN).await;
            }
            Life::Lost => {
                let _ = app.until_written(|| app.lost(worker)).await;
                if !comes_back(&dir).await {
                    return;
                }
            }
        }
    }
}

/// Writes down that a worker has ended.
async fn exited(app: &App, worker: WorkerId, status: ExitStatus, at: Timestamp) {
    // A server that leaves has no time; the next one reads the host's note.
    let _ = app.until_written(|| app.exited(worker, status, at)).await;
}

/// Whether another host takes up a worker that seemed lost.
async fn comes_back(dir: &WorkerDir) -> bool {
    for _ in 0..HOPE {
        tokio::time::sleep(LOOK_AGAIN).await;
        if dir.identity().is_some_and(|identity| identity.is_alive()) {
            return true;
        }
    }
    false
}

/// Listens to a host until its worker ends, or until it says no more. One that says nothing is asked now and then
/// whether it is still there, as sockets are.
async fn listen(app: &App, worker: WorkerId, dir: &WorkerDir) -> Option<(ExitStatus, Timestamp)> {
    let mut link = HostLink::open(dir).await.ok()?;
    link.send(&ViewerMessage::Attach(quietly())).await.ok()?;
    link.send(&ViewerMessage::Status).await.ok()?;
    let Keepalive { ping_interval, pong_timeout } = app.keepalive();
    let mut silence = Silence::Asked;
    loop {
        let received = match silence {
            Silence::None => tokio::time::timeout(ping_interval, link.receive()).await,
            Silence::Asked => tokio::time::timeout(pong_timeout, link.receive()).await,
            Silence::Told => Ok(link.receive().await),
        };
        let Ok(received) = received else {
            if silence == Silence::None {
                link.send(&ViewerMessage::Ping(0)).await.ok()?;
                silence = Silence::Asked;
            } else {
                app.is_silent(worker, true);
                silence = Silence::Told;
            }
            continue;
        };
        let message = received.ok()??;
        if silence == Silence::Told {
            app.is_silent(worker, false);
        }
        silence = Silence::None;
        match message {
            HostMessage::Status(report) => app.reported(worker, &report).await,
            HostMessage::Signal(signal) => app.signalled(worker, &signal),
            HostMessage::Viewers(viewers) => {
                let seen = viewers.viewers.into_iter().map(|viewer| (viewer.id, viewer.name));
                app.seen_by(worker, seen.collect());
            }
            HostMessage::Exited(exited) => return Some((exited.status, exited.at)),
            _ => {}
        }
    }
}

/// What came of a host's silence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Silence {
    /// It has spoken.
    None,
    /// It was asked something.
    Asked,
    /// It does not answer, and everybody knows.
    Told,
}

/// The server wants to know what happens, and nothing of the output.
fn quietly() -> Attach {
    Attach {
        version: VERSION,
        epoch: None,
        since: None,
        history: 0,
        form: Form::Screen,
        read_only: true,
        size: None,
        ack: false,
        events: true,
        quiet: true,
        typist: None,
        name: "server".into(),
    }
}
