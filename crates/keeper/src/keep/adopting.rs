//! A host is dead: another one adopts its child.

use std::io::{Read, Write};
use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use home::{StartError, StartFailure, WorkerDir};

use super::keeper::{Keeper, Kept};
use super::say;
use crate::lease::{Lease, LeaseError};

/// A worker whose hosts died so often in a short time has to wait for the next one, or it would take the machine.
const MOST_ADOPTIONS: u32 = 10;

/// For so long.
const PAUSE: Duration = Duration::from_secs(1);

/// How often an adoption that fails is tried again.
const MOST_TRIES: u32 = 60;

/// Adoptions that are further apart than this do not count together.
const CALM: Duration = Duration::from_secs(5);

/// How often the keeper asks a new host for its lease, a [`SOON`] apart. The host runs and listens: if it does not give a
/// lease at once, something passing is in the way.
const MOST_LEASE_TRIES: u32 = 100;

/// The pause between two of these tries.
const SOON: Duration = Duration::from_millis(50);

/// How an adoption went.
pub(super) struct Adoption {
    dir: WorkerDir,
    result: Result<Adopted, String>,
    count: u32,
}

/// A new host, and its lease; none if it gives none.
struct Adopted {
    host: Child,
    lease: Option<Lease>,
}

/// How often a worker was adopted lately.
#[derive(Clone, Copy)]
pub(super) struct Tries {
    count: u32,
    last: Instant,
}

impl Tries {
    pub(super) fn none() -> Tries {
        Tries { count: 0, last: Instant::now() }
    }
}

impl Keeper {
    pub(super) fn adopt(&mut self, lease: Lease, tries: Tries) {
        let count = if tries.last.elapsed() > CALM { 1 } else { tries.count + 1 };
        let dir = lease.dir().clone();
        say(&format!("the host of worker {} is dead; starting a new one that adopts its child", dir.id()));
        let tries = Tries { count, last: Instant::now() };
        self.workers.insert(dir.id(), Kept::Adopting(tries));
        let (program, scope, told) = (self.program.clone(), self.scope, self.adoptions.clone());
        let waker = Arc::clone(&self.waker);
        // The lease is held until the new host has its own descriptors.
        let adopting = Arc::new(move || {
            if count > MOST_ADOPTIONS {
                thread::sleep(PAUSE);
            }
            let result = adopt_and_lease(&lease, &program, scope);
            let _ = told.send(Adoption { dir: lease.dir().clone(), result, count });
            let _ = (&*waker).write_all(b"+");
        });
        let on_thread = Arc::clone(&adopting);
        if thread::Builder::new().spawn(move || on_thread()).is_err() {
            // The machine has no room for a thread. Then the other workers wait meanwhile.
            adopting();
        }
    }

    pub(super) fn hear_of_adoptions(&mut self) {
        while (&self.woken).read(&mut [0; 64]).is_ok_and(|length| length > 0) {}
        while let Ok(Adoption { dir, result, count }) = self.adopted.try_recv() {
            let tries = match self.workers.remove(&dir.id()) {
                Some(Kept::Adopting(tries)) => tries,
                _ => Tries::none(),
            };
            match result {
                Ok(Adopted { mut host, lease }) => {
                    if let Some(lease) = lease {
                        self.workers
                            .insert(dir.id(), Kept::Leased { lease, tries: Tries { count, ..tries } });
                    }
                    // It is our child process now, so we must collect it at its end.
                    let _ = thread::Builder::new().stack_size(64 << 10).spawn(move || host.wait());
                }
                Err(error) => say(&format!("cannot adopt worker {}: {error}", dir.id())),
            }
        }
    }
}

/// Starts a host that adopts the child. A machine that has no room for it now may have some later; until then the
/// child lives on what we hold.
fn adopt(lease: &Lease, program: &Path, scope: bool) -> Result<Child, String> {
    let mut tries = 0;
    loop {
        match lease.adopt(program, scope) {
            Ok(host) => return Ok(host),
            Err(error @ StartError::Failed(StartFailure::AlreadyHosted)) => return Err(error.to_string()),
            Err(error) if tries == MOST_TRIES => return Err(error.to_string()),
            Err(error) => {
                say(&format!("cannot adopt worker {} yet: {error}", lease.dir().id()));
                tries += 1;
                thread::sleep(PAUSE);
            }
        }
    }
}

/// Starts a host that adopts the child, and takes its lease. If that host is killed before it gives one, the next host
/// adopts the child from the lease that we hold.
fn adopt_and_lease(held: &Lease, program: &Path, scope: bool) -> Result<Adopted, String> {
    let mut tries = 0;
    loop {
        let mut host = adopt(held, program, scope)?;
        match leased(held.dir()) {
            Ok(lease) => return Ok(Adopted { host, lease: Some(lease) }),
            Err(NoLease::Ended) => return Ok(Adopted { host, lease: None }),
            Err(NoLease::Dead) if tries < MOST_TRIES => {
                say(&format!("the new host of worker {} was killed; starting another one", held.dir().id()));
                let _ = host.wait();
                tries += 1;
                thread::sleep(SOON);
            }
            Err(NoLease::Dead) => return Err("its new hosts are killed again and again".to_owned()),
            Err(NoLease::Refused(error)) => {
                say(&format!("cannot get a lease of worker {}: {error}", held.dir().id()));
                return Ok(Adopted { host, lease: None });
            }
        }
    }
}

/// Why a new host gives no lease.
enum NoLease {
    /// Its worker has ended.
    Ended,
    /// It is dead, and its worker has not ended.
    Dead,
    /// It lives.
    Refused(LeaseError),
}

/// The lease of a host that was just started.
fn leased(dir: &WorkerDir) -> Result<Lease, NoLease> {
    let mut tries = 0;
    loop {
        let error = match Lease::take(dir) {
            Ok(lease) => return Ok(lease),
            Err(LeaseError::Ended) => return Err(NoLease::Ended),
            Err(error) => error,
        };
        let is_alive = dir.identity().is_some_and(|host| host.is_alive());
        match is_alive {
            // Asked after the identity: a host writes the note before it goes.
            false if dir.exit_note().is_some() => return Err(NoLease::Ended),
            false => return Err(NoLease::Dead),
            true if tries == MOST_LEASE_TRIES => return Err(NoLease::Refused(error)),
            true => {}
        }
        tries += 1;
        thread::sleep(SOON);
    }
}
