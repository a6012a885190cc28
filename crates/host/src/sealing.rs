//! Having finished segments sealed: by a program of its own that runs for a moment, so that what it takes in memory
//! and time is never the host's.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use home::WorkerDir;
use rustix::process::{Pid, WaitOptions, getpid, waitpid};

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
    common: Arc<Common>,
}

#[derive(Debug, Default)]
struct Common {
    /// Whether somebody seals.
    busy: AtomicBool,
    /// Whether there is more to seal than there was when that began.
    more: AtomicBool,
}

impl Sealing {
    /// For a worker with this child. A host that adopted it was started in somebody else's environment.
    pub(crate) fn new(dir: WorkerDir, child: Pid) -> Sealing {
        let is_own = env::var_os(WORKER).is_some_and(|worker| worker == dir.id().as_str());
        let environment = if is_own {
            None
        } else {
            home::environment_of(child.as_raw_nonzero().get().cast_unsigned()).map(Arc::new)
        };
        Sealing { dir, environment, common: Arc::default() }
    }

    /// A segment is finished, and another has begun. One at a time is sealed, however fast they fill.
    pub(crate) fn segment_finished(&self) {
        self.common.more.store(true, Ordering::Release);
        if self.common.busy.swap(true, Ordering::AcqRel) {
            return;
        }
        let this = self.clone();
        let thread = thread::Builder::new().name("sealing".into()).stack_size(STACK_BYTES);
        if let Err(error) = thread.spawn(move || this.seal_all()) {
            self.common.busy.store(false, Ordering::Release);
            tell(&error);
        }
    }

    fn seal_all(&self) {
        loop {
            while self.common.more.swap(false, Ordering::AcqRel) {
                if let Err(error) = self.start().and_then(|mut sealing| sealing.wait()) {
                    tell(&error);
                }
            }
            self.common.busy.store(false, Ordering::Release);
            // What was finished just now found somebody busy.
            let is_more = self.common.more.load(Ordering::Acquire);
            if !is_more || self.common.busy.swap(true, Ordering::AcqRel) {
                return;
            }
        }
    }

    /// The worker has ended: all there is can be sealed, by somebody who stays when the host leaves.
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

/// Keeps everybody from starting processes for as long as this is held.
pub(crate) fn hold_starts() -> MutexGuard<'static, ()> {
    STARTING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for those who seal for the program that this process was before an upgrade, lest they stay as zombies.
pub(crate) fn reap_left(child: Pid) {
    let path = format!("/proc/self/task/{}/children", getpid().as_raw_nonzero());
    let pids = fs::read_to_string(path).unwrap_or_default();
    let pids = pids.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?));
    for pid in pids.filter(|pid| *pid != child) {
        let thread = thread::Builder::new().name("reaping".into()).stack_size(STACK_BYTES);
        // One that cannot be waited for goes with us.
        let _ = thread.spawn(move || waitpid(Some(pid), WaitOptions::empty()));
    }
}

/// What cannot be sealed now is sealed by whoever finds it later.
fn tell(error: &io::Error) {
    log::line(&format!("cannot have the recording sealed: {error}"));
}

fn program() -> io::Result<PathBuf> {
    let own = home::own_program()?;
    Ok(if own.file_name() == Some(OsStr::new(PROGRAM)) { own } else { own.with_file_name(PROGRAM) })
}
