//! Quiet listeners, one for each living worker: they hear titles and questions, who watches, and how the worker ends.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use model::{ExitStatus, WorkerId};
use protocol::{Attach, HostMessage, ViewerMessage};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::app::App;
use crate::node::{Condition, Node};
use crate::relay::Keepalive;

/// A host that does not answer is asked again after this long.
const ASK_AGAIN: Duration = Duration::from_secs(2);

/// The server looks this often whether a lost worker has a new host: a keeper tries for a minute to start one.
const HOPE: u32 = 60;

/// The time between two such looks.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The listeners of all workers.
#[derive(Debug, Default)]
pub(crate) struct Watches {
    all: Mutex<HashMap<WorkerId, AbortHandle>>,
}

impl Watches {
    /// Starts to listen to a worker, until it ends.
    pub(crate) fn begin(&self, app: &App, worker: WorkerId) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.get(&worker).is_some_and(|watch| !watch.is_finished()) {
            return;
        }
        let task = tokio::spawn(watch(app.clone(), worker));
        all.insert(worker, task.abort_handle());
    }

    /// Stops to listen to a worker.
    pub(crate) fn end(&self, worker: WorkerId) {
        let ended = self.all.lock().unwrap_or_else(PoisonError::into_inner).remove(&worker);
        if let Some(watch) = ended {
            watch.abort();
        }
    }
}

async fn watch(app: App, worker: WorkerId) {
    loop {
        if let Some((status, at)) = listen(&app, worker).await {
            return exited(&app, worker, status, at).await;
        }
        let Ok(condition) = app.node().condition(worker).await else { return };
        match condition {
            Condition::Live(_) => {}
            Condition::Exited(note) => return exited(&app, worker, note.status, note.at).await,
            Condition::NotAnswering { .. } => {
                app.workers().set_not_answering(worker, true);
                tokio::time::sleep(ASK_AGAIN).await;
            }
            Condition::Lost => {
                let workers = app.workers();
                let _ = app.until_written(|| workers.lost(worker)).await;
                if !comes_back(app.node(), worker).await {
                    return;
                }
            }
        }
    }
}

/// Writes down that a worker has ended.
async fn exited(app: &App, worker: WorkerId, status: ExitStatus, at: Timestamp) {
    // A server that stops does not wait for the database; the next one reads the host's exit note.
    let workers = app.workers();
    let _ = app.until_written(|| workers.exited(worker, status, at)).await;
}

/// Whether another host adopts a worker that seemed lost.
async fn comes_back(node: &Node, worker: WorkerId) -> bool {
    for _ in 0..HOPE {
        tokio::time::sleep(LOOK_AGAIN).await;
        if node.is_hosted(worker).await {
            return true;
        }
    }
    false
}

/// Listens to a host until its worker ends or the connection closes. If the host is silent for a while, the server pings
/// it.
async fn listen(app: &App, worker: WorkerId) -> Option<(ExitStatus, Timestamp)> {
    let mut link = app.node().link(worker).await.ok()?;
    link.send(&ViewerMessage::Attach(quietly())).await.ok()?;
    link.send(&ViewerMessage::Status).await.ok()?;
    let Keepalive { ping_interval, pong_timeout } = app.keepalive();
    let mut silence = Silence::Asked { until: Instant::now() + pong_timeout };
    loop {
        let due = app.lives().due(worker).map(Instant::from_std);
        let message = tokio::select! {
            received = link.receive() => received.ok()??,
            () = at(silence.ends()) => {
                if let Silence::None { .. } = silence {
                    link.send(&ViewerMessage::Ping(0)).await.ok()?;
                    silence = Silence::Asked { until: Instant::now() + pong_timeout };
                } else {
                    app.workers().set_not_answering(worker, true);
                    silence = Silence::Told;
                }
                continue;
            }
            () = at(due) => {
                if app.workers().wake(worker) {
                    link.send(&ViewerMessage::Rows).await.ok()?;
                }
                continue;
            }
        };
        if let Silence::Told = silence {
            app.workers().set_not_answering(worker, false);
        }
        silence = Silence::None { until: Instant::now() + ping_interval };
        match message {
            HostMessage::Status(report) => app.workers().reported(worker, &report).await,
            HostMessage::Signal(signal) => app.workers().signalled(worker, &signal),
            HostMessage::Viewers(viewers) => {
                let seen = viewers.viewers.into_iter().map(|viewer| (viewer.id, viewer.name));
                app.workers().seen_by(worker, seen.collect());
            }
            HostMessage::Printed(_) => app.workers().printed(worker),
            HostMessage::Rows(rows) => app.workers().seen(worker, *rows),
            HostMessage::Resized(_) => app.workers().resized(worker),
            HostMessage::Exited(exited) => return Some((exited.status, exited.at)),
            _ => {}
        }
    }
}

/// How far a host's silence has gone.
enum Silence {
    /// The host has spoken, and is asked something if it says nothing until then.
    None { until: Instant },
    /// The server asked the host something, and waits until then.
    Asked { until: Instant },
    /// The host does not answer, and the server has reported that.
    Told,
}

impl Silence {
    fn ends(&self) -> Option<Instant> {
        match self {
            Silence::None { until } | Silence::Asked { until } => Some(*until),
            Silence::Told => None,
        }
    }
}

/// Waits for a moment; forever, if there is none.
async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// The server wants to hear what happens and that there is something new on the screen, without the output.
fn quietly() -> Attach {
    Attach { prints: true, ..Attach::listener("server") }
}
