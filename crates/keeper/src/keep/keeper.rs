//! The keeper's own loop.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use home::{Home, WorkerDir};
use model::WorkerId;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::adopting::{Adoption, Tries};
use super::say;
use crate::ensure::{HEARD, LOOK};
use crate::lease::{Lease, LeaseError, Said};

/// How long a process that connects may take to send its request.
const HURRY: Duration = Duration::from_millis(500);

/// When nothing happened for so long after something did, it is at rest.
const REST: Timespec = Timespec { tv_sec: 0, tv_nsec: 150_000_000 };

/// A worker that is kept.
pub(super) enum Kept {
    /// Its host runs, or has just died.
    Leased { lease: Lease, tries: Tries },
    /// Its host is dead and another one is being started, by a thread that holds the lease.
    Adopting(Tries),
}

pub(super) struct Keeper {
    pub(super) home: Home,
    pub(super) listener: UnixListener,
    pub(super) _lock: File,
    pub(super) workers: BTreeMap<WorkerId, Kept>,
    pub(super) adoptions: Sender<Adoption>,
    pub(super) adopted: Receiver<Adoption>,
    pub(super) waker: Arc<UnixStream>,
    pub(super) woken: UnixStream,
    pub(super) program: PathBuf,
    pub(super) scope: bool,
}

/// All that can wake the keeper.
#[derive(Clone, Copy)]
enum Wake {
    Listener,
    Adopted,
    Connection(WorkerId),
    Host(WorkerId),
}

impl Keeper {
    pub(super) fn run(mut self, rest: fn()) -> io::Result<()> {
        self.look();
        let mut has_rested = false;
        while !self.workers.is_empty() {
            let wakes = self.wait((!has_rested).then_some(REST))?;
            if wakes.is_empty() && !has_rested {
                rest();
            }
            has_rested = wakes.is_empty();
            for wake in wakes {
                match wake {
                    Wake::Listener => self.listen(),
                    Wake::Adopted => self.hear_of_adoptions(),
                    Wake::Connection(worker) => self.hear(worker),
                    Wake::Host(worker) => self.host_died(worker),
                }
            }
        }
        // A process that connects from here on gets no answer, and starts another keeper.
        let _ = std::fs::remove_file(self.home.keeper_socket());
        Ok(())
    }

    fn wait(&self, within: Option<Timespec>) -> io::Result<Vec<Wake>> {
        let mut wakes = vec![Wake::Listener, Wake::Adopted];
        let mut polled =
            vec![PollFd::new(&self.listener, PollFlags::IN), PollFd::new(&self.woken, PollFlags::IN)];
        for (worker, kept) in &self.workers {
            let Kept::Leased { lease, .. } = kept else { continue };
            wakes.push(Wake::Host(*worker));
            polled.push(PollFd::from_borrowed_fd(lease.host(), PollFlags::IN));
            if let Some(connection) = lease.connection() {
                wakes.push(Wake::Connection(*worker));
                polled.push(PollFd::from_borrowed_fd(connection, PollFlags::IN));
            }
        }
        match poll(&mut polled, within.as_ref()) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        }
        let woken = wakes.into_iter().zip(polled).filter(|(_, fd)| !fd.revents().is_empty());
        Ok(woken.map(|(wake, _)| wake).collect())
    }

    /// Takes the lease of every worker that has a host.
    fn look(&mut self) {
        for dir in self.home.worker_dirs().unwrap_or_default() {
            if dir.exit_note().is_none() {
                self.take(&dir, Tries::none());
            }
        }
    }

    pub(super) fn take(&mut self, dir: &WorkerDir, tries: Tries) {
        if self.workers.contains_key(&dir.id()) {
            return;
        }
        match Lease::take(dir) {
            Ok(lease) => {
                self.workers.insert(dir.id(), Kept::Leased { lease, tries });
            }
            // No host listens: the worker is lost, or has not begun.
            Err(LeaseError::Ended | LeaseError::Reach(_)) => {}
            Err(error) => say(&format!("cannot get a lease of worker {}: {error}", dir.id())),
        }
    }

    /// A process tells the keeper of a worker.
    fn listen(&mut self) {
        while let Ok((mut stream, _)) = self.listener.accept() {
            let is_ours = system::peers::is_this_user(&stream).unwrap_or(false);
            if !is_ours || stream.set_read_timeout(Some(HURRY)).is_err() {
                continue;
            }
            let mut word = [0; 16];
            let length = stream.read(&mut word).unwrap_or(0);
            let word = str::from_utf8(&word[..length]).unwrap_or_default().trim();
            match word.parse::<WorkerId>() {
                Ok(worker) => self.take(&self.home.worker(worker), Tries::none()),
                Err(_) if word == LOOK => self.look(),
                Err(_) => continue,
            }
            let _ = stream.write_all(HEARD);
        }
    }

    fn hear(&mut self, worker: WorkerId) {
        let Some(Kept::Leased { lease, .. }) = self.workers.get_mut(&worker) else { return };
        match lease.hear() {
            Said::Nothing => {}
            Said::Returned => drop(self.workers.remove(&worker)),
            Said::Closed if is_ready(lease.host()) => self.host_died(worker),
            // A dying host closes its connections before it is dead. One that lives may give another lease; until
            // then, or until it is dead, we hold what we have.
            Said::Closed => {
                if let Ok(another) = Lease::take(lease.dir()) {
                    *lease = another;
                }
            }
        }
    }

    /// A host is dead. If it has not said that its worker ended, the child is adopted.
    fn host_died(&mut self, worker: WorkerId) {
        let Some(Kept::Leased { lease, .. }) = self.workers.get_mut(&worker) else { return };
        while lease.connection().is_some_and(is_ready) {
            match lease.hear() {
                Said::Nothing => {}
                Said::Returned => return drop(self.workers.remove(&worker)),
                Said::Closed => break,
            }
        }
        if let Some(Kept::Leased { lease, tries }) = self.workers.remove(&worker) {
            // A host that was killed on its way out has said everything.
            if lease.dir().exit_note().is_none() {
                self.adopt(lease, tries);
            }
        }
    }
}

fn is_ready(descriptor: impl AsFd) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut [PollFd::new(&descriptor, PollFlags::IN)], Some(&now)).is_ok_and(|ready| ready > 0)
}
