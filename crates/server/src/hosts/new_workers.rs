//! Workers that somebody else starts or removes while the server runs: `abide new` and `abide rm` need no server.

use std::ffi::CStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::thread;

use model::WorkerId;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::app::App;

/// Listens for directories that come and go among the workers', for ever.
///
/// # Errors
///
/// When the directory cannot be watched; then new workers are found when a server is started.
pub(crate) async fn notice_new_workers(app: App) -> io::Result<()> {
    let watcher = inotify::init(CreateFlags::CLOEXEC)?;
    let flags = WatchFlags::CREATE | WatchFlags::DELETE | WatchFlags::MOVED_FROM | WatchFlags::MOVED_TO;
    inotify::add_watch(&watcher, app.home().workers_dir(), flags)?;
    let (tell, mut told) = unbounded_channel();
    thread::Builder::new().name("new workers".into()).spawn(move || read_all(&watcher, &tell))?;
    // Whoever came between the adoption and the watch.
    super::adopt::adopt_new(&app).await;
    while let Some(event) = told.recv().await {
        match event {
            Event::Came(worker) => app.came(worker),
            Event::Went(worker) => app.went(worker),
            Event::Missed => {
                super::adopt::adopt_new(&app).await;
            }
        }
    }
    Err(io::Error::other("the kernel says no more"))
}

/// What became of a worker's directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Came(WorkerId),
    Went(WorkerId),
    /// There were more than the kernel keeps.
    Missed,
}

/// Tells everything until nobody listens any more, or the kernel fails. The kernel bounds what can wait.
fn read_all(watcher: &OwnedFd, tell: &UnboundedSender<Event>) {
    let mut buffer = [MaybeUninit::uninit(); 4 << 10];
    let mut reader = inotify::Reader::new(watcher, &mut buffer);
    loop {
        let event = match reader.next() {
            Ok(event) => of(event.events(), event.file_name().map(CStr::to_bytes)),
            Err(Errno::INTR) => None,
            Err(error) => {
                tracing::error!(%error, "new workers are not noticed any more");
                return;
            }
        };
        if event.is_some_and(|event| tell.send(event).is_err()) {
            return;
        }
    }
}

fn of(flags: ReadFlags, name: Option<&[u8]>) -> Option<Event> {
    if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
        return Some(Event::Missed);
    }
    let worker = str::from_utf8(name?).ok()?.parse().ok()?;
    let came = flags.intersects(ReadFlags::CREATE | ReadFlags::MOVED_TO);
    Some(if came { Event::Came(worker) } else { Event::Went(worker) })
}
