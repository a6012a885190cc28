//! Having finished segments sealed: by a program of its own that runs for a moment, so that what it takes in memory
//! and time is never the host's.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use home::WorkerDir;
use rustix::process::{Pid, WaitOptions, waitpid};

use crate::log;

/// The program that knows how, beside the one that hosts are.
const PROGRAM: &str = "abide";

/// The variable by which an environment is known to be a worker's.
const WORKER: &str = "ABIDE_WORKER";

/// Deep enough to wait for a process.
const STACK_BYTES: usize = 64 << 10;

/// Held while a process is started, and by an upgrade while descriptors are open for the next program alone.
static STARTING: Mutex<()> = Mutex::new(());

/// Has the finished segments of a worker sealed.
#[derive(Clone, Debug)]
pub(crate) struct Sealing {
    dir: WorkerDir,
    /// The child's environment, whose secrets are to be masked; nothing if it is the host's own.
    environment: Option<Arc<Vec<(OsString, OsString)>>>,
    work: Arc<Mutex<Work>>,
}

/// How far the sealing of finished segments is.
#[derive(Clone, Copy, Debug, Default)]
enum Work {
    #[default]
    Done,
    /// A process seals the segments that were finished when it started.
    UnderWay,
    /// The same, and something was finished since.
    MoreToCome,
}

impl Sealing {
    /// For a worker with this child. A host that adopted it was started in the environment of another process.
    pub(crate) fn new(dir: WorkerDir, child: Pid) -> Sealing {
        let is_own = env::var_os(WORKER).is_some_and(|worker| worker == dir.id().as_str());
        let environment = if is_own {
            None
        } else {
            system::processes::environment(child.as_raw_nonzero().get().cast_unsigned()).map(Arc::new)
        };
        Sealing { dir, environment, work: Arc::default() }
    }

    /// A segment is finished, and another has begun. One at a time is sealed, however fast they fill.
    pub(crate) fn segment_finished(&self) {
        let before = {
            let mut work = lock(&self.work);
            let before = *work;
            *work = match before {
                Work::Done => Work::UnderWay,
                Work::UnderWay | Work::MoreToCome => Work::MoreToCome,
            };
            before
        };
        let Work::Done = before else { return };
        let this = self.clone();
        let thread = thread::Builder::new().name("sealing".into()).stack_size(STACK_BYTES);
        if let Err(error) = thread.spawn(move || this.seal_all()) {
            *lock(&self.work) = Work::Done;
            tell(&error);
        }
    }

    fn seal_all(&self) {
        loop {
            if let Err(error) = self.start().and_then(|mut sealing| sealing.wait()) {
                tell(&error);
            }
            let mut work = lock(&self.work);
            if !matches!(*work, Work::MoreToCome) {
                *work = Work::Done;
                return;
            }
            *work = Work::UnderWay;
        }
    }

    /// The worker has ended: a process that stays when the host leaves can seal everything.
    pub(crate) fn recording_finished(&self) {
        if let Err(error) = self.start() {
            tell(&error);
        }
    }

    fn start(&self) -> io::Result<Child> {
        let mut command = Command::new(program()?);
        command.arg("seal").arg(self.dir.path()).stdin(Stdio::null()).stdout(Stdio::null());
        home::forget_memory_settings(&mut command);
        if let Some(environment) = &self.environment {
            command.env_clear().envs(environment.iter().map(|(name, value)| (name, value)));
        }
        let _starting = hold_starts();
        command.spawn()
    }
}

/// No thread of this process can start a process as long as this is held.
pub(crate) fn hold_starts() -> MutexGuard<'static, ()> {
    lock(&STARTING)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for sealing processes that this host started before an upgrade, so that they do not stay as zombies.
pub(crate) fn reap_left(child: Pid) {
    for pid in system::processes::children(system::processes::this()).into_iter().filter(|pid| *pid != child)
    {
        let thread = thread::Builder::new().name("reaping".into()).stack_size(STACK_BYTES);
        // One that cannot be waited for goes with us.
        let _ = thread.spawn(move || waitpid(Some(pid), WaitOptions::empty()));
    }
}

/// If it cannot be sealed now, the next sweep seals it.
fn tell(error: &io::Error) {
    log::line(&format!("cannot seal the recording: {error}"));
}

fn program() -> io::Result<PathBuf> {
    let own = system::program::path()?;
    Ok(if own.file_name() == Some(OsStr::new(PROGRAM)) { own } else { own.with_file_name(PROGRAM) })
}
