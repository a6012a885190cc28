//! Having finished segments sealed: by a program of its own that runs for a moment, so that what it takes in memory
//! and time is never the host's.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use home::WorkerDir;

use crate::log;

/// The program that knows how, beside the one that hosts are.
const PROGRAM: &str = "abide";

/// What the kernel puts behind the path of a program whose file was replaced.
const DELETED: &[u8] = b" (deleted)";

/// Deep enough to wait for a process.
const STACK_BYTES: usize = 64 << 10;

/// Has the finished segments of a worker sealed.
#[derive(Clone, Debug)]
pub(crate) struct Sealing {
    dir: WorkerDir,
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
    pub(crate) fn new(dir: WorkerDir) -> Sealing {
        Sealing { dir, common: Arc::default() }
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
        while self.common.more.swap(false, Ordering::AcqRel) {
            let sealed = self.command().and_then(|mut command| command.status());
            if let Err(error) = sealed {
                tell(&error);
            }
            if !self.common.more.load(Ordering::Acquire) {
                self.common.busy.store(false, Ordering::Release);
                // What was finished just now found somebody busy.
                if !self.common.more.load(Ordering::Acquire) || self.common.busy.swap(true, Ordering::AcqRel)
                {
                    return;
                }
            }
        }
        self.common.busy.store(false, Ordering::Release);
    }

    /// The worker has ended: all there is can be sealed, by somebody who stays when the host leaves.
    pub(crate) fn recording_finished(&self) {
        if let Err(error) = self.command().and_then(|mut command| command.spawn()) {
            tell(&error);
        }
    }

    /// The host's environment is the child's, and so the program knows the secrets in it.
    fn command(&self) -> io::Result<Command> {
        let mut command = Command::new(program()?);
        command.arg("seal").arg(self.dir.path()).stdin(Stdio::null()).stdout(Stdio::null());
        home::forget_memory_settings(&mut command);
        Ok(command)
    }
}

/// What cannot be sealed now is sealed by whoever finds it later.
fn tell(error: &io::Error) {
    log::line(&format!("cannot have the recording sealed: {error}"));
}

fn program() -> io::Result<PathBuf> {
    let own = env::current_exe()?;
    let path = own.as_os_str().as_bytes();
    let path = path.strip_suffix(DELETED).unwrap_or(path);
    let own = PathBuf::from(OsString::from_vec(path.to_vec()));
    Ok(if own.file_name() == Some(OsStr::new(PROGRAM)) { own } else { own.with_file_name(PROGRAM) })
}
