//! A task's terminal as a plain pipe: `/api/tasks/{id}/terminal`.
//!
//! Binary messages hold what to show, first the screen as it is; text messages hold keys. There is nothing else on it:
//! the size is set elsewhere, and put into the stream of the viewer that came last, where it stays in order with what is
//! typed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use api::{ErrorCode, Problem};
use axum::extract::State;
use axum::extract::ws::Message;
use axum::response::Response;
use home::WorkerDir;
use model::{ExitStatus, TaskId, TermSize, WorkerId};
use protocol::{Attach, Form, HostMessage, VERSION, ViewerMessage};
use tokio::sync::{mpsc, oneshot};

use super::picture::Picture;
use super::watch::{Dialect, Wanted, Watch, Wish};
use crate::app::App;
use crate::gate::SocketDoor;
use crate::link::HostLink;
use crate::problem::{Failure, Path};
use crate::relay::{Closing, Heard, open, serve};

/// Shows a task's terminal: binary messages hold what to show, first the screen as it is; text messages, and binary ones
/// as well, hold what is typed. The size is set with `POST /api/tasks/{id}/terminal/resize`.
#[utoipa::path(
    get,
    path = "/api/tasks/{id}/terminal",
    tag = "sockets",
    params(("id" = String, Path, description = "the task")),
    responses(
        (status = 101, description = "binary messages: what to show; text messages: what is typed"),
        (status = 404, description = "there is no such task", body = Problem),
        (status = 409, description = "the task has no session", body = Problem),
    )
)]
pub(crate) async fn task_terminal(
    State(app): State<App>,
    Path(id): Path<TaskId>,
    door: SocketDoor,
) -> Result<Response, Failure> {
    let worker = app.task_worker(id).await?;
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
/// The size belongs to the viewer that came last through the pipe. When there is none, the terminal is given the size and
/// keeps it until somebody has another say.
///
/// # Errors
///
/// When there is no such task, when it has no session, or when nobody is there to be told.
pub(crate) async fn resize_task(app: &App, id: TaskId, size: TermSize) -> Result<(), Problem> {
    let worker = app.task_worker(id).await?;
    if app.relays().pipes().resize(worker, size).await {
        return Ok(());
    }
    resize_once(&app.home().worker(worker), size).await
}

/// Attaches with a size, and leaves. Where nobody else has a say in it, the size stays.
async fn resize_once(dir: &WorkerDir, size: TermSize) -> Result<(), Problem> {
    let no_host = |_| Problem::new(ErrorCode::NotLive, "the terminal does not run");
    let silent = || Problem::new(ErrorCode::NotAnswering, "the terminal's host does not answer");
    let mut link = HostLink::open(dir).await.map_err(no_host)?;
    let attach = Attach {
        version: VERSION,
        epoch: None,
        since: None,
        history: 0,
        form: Form::Screen,
        read_only: false,
        size: Some(size),
        ack: false,
        events: false,
        quiet: false,
        typist: None,
        name: "resize".into(),
    };
    link.send(&ViewerMessage::Attach(attach)).await.map_err(|_| silent())?;
    // The size is set before the host says another word.
    match tokio::time::timeout(super::ANSWER_WITHIN, link.receive()).await {
        Ok(Ok(Some(HostMessage::Welcome(_)))) => Ok(()),
        _ => Err(silent()),
    }
}

/// Who watches workers through the pipe, and can be given a size.
#[derive(Clone, Debug, Default)]
pub(crate) struct PipeViewers(Arc<Mutex<Entered>>);

#[derive(Debug, Default)]
struct Entered {
    next: u64,
    /// Of each worker, in the order in which they came.
    viewers: HashMap<WorkerId, Vec<(u64, mpsc::Sender<Wanted>)>>,
}

/// A viewer that came through the pipe. When it is dropped, it is gone.
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

    /// Gives a size to the viewer of a worker that came last. Whether there was one, and its host was told.
    async fn resize(&self, worker: WorkerId, size: TermSize) -> bool {
        let latest = self.lock().viewers.get(&worker).and_then(|viewers| viewers.last()).cloned();
        let Some((_, sender)) = latest else { return false };
        let (done, told) = oneshot::channel();
        // One that may only watch, or leaves meanwhile, drops the other end.
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

/// The plain pipe.
struct Pipe;

impl Dialect for Pipe {
    fn hear(message: Heard) -> Result<Wish, Closing> {
        Ok(Wish::Keys(match message {
            Heard::Text(text) => text.as_bytes().to_vec(),
            Heard::Binary(bytes) => bytes.to_vec(),
        }))
    }

    fn end(_: ExitStatus) -> Option<Message> {
        None
    }

    fn problem(_: &Problem) -> Option<Message> {
        None
    }

    fn tells_signals(&self) -> bool {
        false
    }

    fn tell(&mut self, message: HostMessage, picture: &mut Picture, said: &mut Vec<Message>) {
        let piece = match message {
            HostMessage::Snapshot { at, last, bytes } => picture.snapshot(at, last, &bytes),
            HostMessage::Output { at, bytes } => picture.output(at + bytes.len(), &bytes),
            HostMessage::Resized(_) => return picture.resized(),
            _ => return,
        };
        if !piece.text.is_empty() {
            said.push(Message::binary(piece.text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_size_is_given_to_the_viewer_that_came_last() {
        let viewers = PipeViewers::default();
        let worker = WorkerId::from_random([1; 8]);
        let size = TermSize::clamped(100, 30);
        assert!(!viewers.resize(worker, size).await, "nobody is there");
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

    /// A receiver that does something with what it gets.
    trait RecvAnd {
        async fn recv_and<T>(&mut self, told: impl Fn(Wanted) -> T) -> T;
    }

    impl RecvAnd for mpsc::Receiver<Wanted> {
        async fn recv_and<T>(&mut self, told: impl Fn(Wanted) -> T) -> T {
            told(self.recv().await.expect("a size"))
        }
    }

    #[tokio::test]
    async fn v9_whoever_has_left_is_not_given_a_size() {
        let viewers = PipeViewers::default();
        let worker = WorkerId::from_random([1; 8]);
        let (viewer, wanted) = viewers.enter(worker);
        drop(wanted);
        assert!(!viewers.resize(worker, TermSize::MIN).await);
        drop(viewer);
        assert!(viewers.lock().viewers.is_empty());
    }
}
