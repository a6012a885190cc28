//! A task's terminal as a plain pipe: `/api/tasks/{id}/terminal`.
//!
//! Binary messages contain output, first the current screen. Text messages contain keys. Nothing else is sent. The size
//! is set by another route, and is sent through the connection of the newest viewer, so that it stays in order with
//! that viewer's keys.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ::dialects::Pipe;
use api::{ErrorCode, Problem};
use axum::response::Response;
use model::{TaskId, TermSize, WorkerId};
use protocol::{Attach, ChildState, HostMessage, ViewerMessage};
use tokio::sync::{mpsc, oneshot};

use super::watch::{Wanted, Watch};
use crate::app::App;
use crate::gate::SocketDoor;
use crate::problem::{Failure, Path};
use crate::relay::{open, serve};
use crate::routes::Mine;

/// Shows a task's terminal. The server sends output in binary messages, first the current screen. The client sends keys
/// in text or binary messages. Set the size with `POST /api/tasks/{id}/terminal/resize`.
#[utoipa::path(
    get,
    path = "/api/tasks/{id}/terminal",
    tag = "sockets",
    params(("id" = String, Path, description = "the task")),
    responses(
        (status = 101, description = "binary messages: output; text messages: keys"),
        (status = 404, description = "there is no such task", body = Problem),
        (status = 409, description = "the task has no session", body = Problem),
    )
)]
pub(crate) async fn task_terminal(
    Mine(app): Mine,
    Path(id): Path<TaskId>,
    door: SocketDoor,
) -> Result<Response, Failure> {
    let worker = app.tasks().worker(id).await?;
    Ok(open(door, move |socket, who, over| async move {
        let relays = app.relays().clone();
        serve(&relays, app.keepalive(), socket, over, async |incoming, outgoing| {
            let (_viewer, wanted) = app.relays().pipes().enter(worker);
            let watch = Watch { app: &app, who: &who, worker, name: "terminal", wanted: Some(wanted) };
            watch.run(Pipe, incoming, outgoing).await
        })
        .await;
    }))
}

/// Gives a task's terminal a size.
///
/// The size goes through the newest viewer of the pipe. Without a viewer, the terminal gets the size and keeps it until
/// another viewer sets one.
///
/// # Errors
///
/// When there is no such task, when it has no session, or when its terminal is not running or its host does not answer.
pub(crate) async fn resize_task(app: &App, id: TaskId, size: TermSize) -> Result<(), Problem> {
    let worker = app.tasks().worker(id).await?;
    if app.relays().pipes().resize(worker, size).await {
        return Ok(());
    }
    resize_once(app, worker, size).await
}

/// Attaches with a size, and detaches. If no other viewer decides the size, it stays.
async fn resize_once(app: &App, worker: WorkerId, size: TermSize) -> Result<(), Problem> {
    let not_live = || Problem::new(ErrorCode::NotLive, "the terminal is not running");
    match welcome(app, worker, size).await {
        Some(ChildState::Live | ChildState::Ending) => Ok(()),
        Some(ChildState::Exited { .. }) => Err(not_live()),
        // A host that is about to leave may still take a connection.
        None if app.node().link(worker).await.is_err() || app.node().exit_note(worker).await.is_some() => {
            Err(not_live())
        }
        None => Err(Problem::new(ErrorCode::NotAnswering, "the terminal's host does not answer")),
    }
}

/// Attaches with a size, and gives the state of the child; `None` if the host does not answer.
async fn welcome(app: &App, worker: WorkerId, size: TermSize) -> Option<ChildState> {
    let mut link = app.node().link(worker).await.ok()?;
    let attach = Attach { size: Some(size), ..Attach::screen("resize") };
    link.send(&ViewerMessage::Attach(attach)).await.ok()?;
    // The host sets the size before it sends its first message.
    match tokio::time::timeout(super::ANSWER_WITHIN, link.receive()).await {
        Ok(Ok(Some(HostMessage::Welcome(welcome)))) => Some(welcome.state),
        _ => None,
    }
}

/// The viewers that watch workers through the pipe, and that a size can be sent through.
#[derive(Clone, Debug, Default)]
pub(crate) struct PipeViewers(Arc<Mutex<Entered>>);

#[derive(Debug, Default)]
struct Entered {
    next: u64,
    /// For each worker, its viewers in the order in which they came.
    viewers: HashMap<WorkerId, Vec<(u64, mpsc::Sender<Wanted>)>>,
}

/// A viewer of the pipe. Dropping it removes it.
#[derive(Debug)]
struct PipeViewer {
    viewers: PipeViewers,
    worker: WorkerId,
    number: u64,
}

impl PipeViewers {
    fn enter(&self, worker: WorkerId) -> (PipeViewer, mpsc::Receiver<Wanted>) {
        let (sender, wanted) = mpsc::channel(1);
        let mut entered = self.lock();
        entered.next += 1;
        let number = entered.next;
        entered.viewers.entry(worker).or_default().push((number, sender));
        (PipeViewer { viewers: self.clone(), worker, number }, wanted)
    }

    /// Sends a size through the newest viewer of a worker. Returns whether there is one and its host got the size.
    async fn resize(&self, worker: WorkerId, size: TermSize) -> bool {
        let latest = self.lock().viewers.get(&worker).and_then(|viewers| viewers.last()).cloned();
        let Some((_, sender)) = latest else { return false };
        let (done, told) = oneshot::channel();
        // A viewer that may only watch, or that leaves meanwhile, drops the other end.
        let resized = async { sender.send((size, done)).await.is_ok() && told.await.is_ok() };
        tokio::time::timeout(super::ANSWER_WITHIN, resized).await.unwrap_or(false)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Entered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PipeViewer {
    fn drop(&mut self) {
        let mut entered = self.viewers.lock();
        if let Some(viewers) = entered.viewers.get_mut(&self.worker) {
            viewers.retain(|(number, _)| *number != self.number);
            if viewers.is_empty() {
                entered.viewers.remove(&self.worker);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_size_goes_through_the_newest_viewer() {
        let viewers = PipeViewers::default();
        let worker = WorkerId::from_random([1; 8]);
        let size = TermSize::clamped(100, 30);
        assert!(!viewers.resize(worker, size).await, "there is no viewer");
        let (_first, mut first_wanted) = viewers.enter(worker);
        let (second, mut second_wanted) = viewers.enter(worker);
        let told = |(wanted, done): Wanted| {
            done.send(()).unwrap();
            wanted
        };
        let (done, wanted) = tokio::join!(viewers.resize(worker, size), second_wanted.recv_and(told));
        assert_eq!((done, wanted), (true, size));
        drop((second, second_wanted));
        let (done, wanted) = tokio::join!(viewers.resize(worker, size), first_wanted.recv_and(told));
        assert_eq!((done, wanted), (true, size));
    }

    /// A receiver that calls a function with the received value.
    trait RecvAnd {
        async fn recv_and<T>(&mut self, told: impl Fn(Wanted) -> T) -> T;
    }

    impl RecvAnd for mpsc::Receiver<Wanted> {
        async fn recv_and<T>(&mut self, told: impl Fn(Wanted) -> T) -> T {
            told(self.recv().await.expect("a size"))
        }
    }

    #[tokio::test]
    async fn v9_a_size_does_not_go_to_a_viewer_that_has_left() {
        let viewers = PipeViewers::default();
        let worker = WorkerId::from_random([1; 8]);
        let (viewer, wanted) = viewers.enter(worker);
        drop(wanted);
        assert!(!viewers.resize(worker, TermSize::MIN).await);
        drop(viewer);
        assert!(viewers.lock().viewers.is_empty());
    }
}
