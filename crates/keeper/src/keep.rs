//! The keeper's own loop.

use std::collections::BTreeMap;
use std::env;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitCode};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use home::{Home, StartError, StartFailure, WorkerDir};
use jiff::Timestamp;
use model::WorkerId;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FlockOperation, Mode, flock};
use rustix::net::sockopt::socket_peercred;
use rustix::process::{Resource, Rlimit, geteuid, getrlimit, setrlimit, setsid, umask};

use crate::ensure::{HEARD, LOOK, tell};
use crate::lease::{Lease, LeaseError, Said};

/// How long one that is not needed waits for the one that is.
const OTHER: Duration = Duration::from_secs(3);

/// How long somebody who connects may take to say what for.
const HURRY: Duration = Duration::from_millis(500);

/// A worker whose hosts died so often in a short time has to wait for the next one, or it would take the machine.
const MOST_ADOPTIONS: u32 = 10;

/// For so long.
const PAUSE: Duration = Duration::from_secs(1);

/// How often an adoption that fails is tried again.
const MOST_TRIES: u32 = 60;

/// Adoptions that are further apart than this do not count together.
const CALM: Duration = Duration::from_secs(5);

/// When nothing happened for so long after something did, it is at rest.
const REST: Timespec = Timespec { tv_sec: 0, tv_nsec: 150_000_000 };

/// Runs the keeper of the data directory that the environment names, until there is nothing left to keep. When it
/// comes to rest, it calls `rest`.
pub fn main(rest: fn()) -> ExitCode {
    let kept = Home::find().map_err(io::Error::other).and_then(|home| {
        home.make().map_err(io::Error::other)?;
        keep(home, rest)
    });
    match kept {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("the keeper fails: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn keep(home: Home, rest: fn()) -> io::Result<()> {
    leave_starter();
    let Some(lock) = take_lock_or_tell(&home)? else { return Ok(()) };
    let listener = home::bind_socket(&home.keeper_socket())?;
    listener.set_nonblocking(true)?;
    let (adoptions, adopted) = channel();
    let (waker, woken) = UnixStream::pair()?;
    woken.set_nonblocking(true)?;
    let keeper = Keeper {
        home,
        listener,
        _lock: lock,
        leases: BTreeMap::new(),
        adopting: BTreeMap::new(),
        adoptions,
        adopted,
        waker: Arc::new(waker),
        woken,
        program: env::current_exe()?,
        scope: env::var_os("ABIDE_SCOPE").is_some_and(|scope| scope == "auto"),
    };
    keeper.run(rest)
}

/// A session of its own, files that are the user's alone, and as many descriptors as there may be: every worker
/// takes four.
fn leave_starter() {
    let _ = setsid();
    umask(Mode::from_raw_mode(0o077));
    let files = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: files.maximum, ..files });
    for signal in [signal_hook::consts::SIGHUP, signal_hook::consts::SIGINT, signal_hook::consts::SIGPIPE] {
        // Caught and forgotten: whoever hangs up does not mean us.
        let _ = signal_hook::flag::register(signal, std::sync::Arc::default());
    }
}

fn take_lock(home: &Home) -> io::Result<Option<File>> {
    let file = home::lock_file(&home.keeper_lock())?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Takes the lock. If there is a keeper, it shall look at all workers, since it may have looked before ours was there;
/// then there is no lock.
fn take_lock_or_tell(home: &Home) -> io::Result<Option<File>> {
    let deadline = Instant::now() + OTHER;
    loop {
        if let Some(lock) = take_lock(home)? {
            return Ok(Some(lock));
        }
        match tell(home, LOOK) {
            Ok(()) => return Ok(None),
            Err(error) if Instant::now() > deadline => return Err(error),
            // It does not listen yet, or is about to leave.
            Err(_) => thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// How an adoption went.
struct Adoption {
    dir: WorkerDir,
    result: Result<Child, String>,
    count: u32,
}

struct Keeper {
    home: Home,
    listener: UnixListener,
    _lock: File,
    leases: BTreeMap<WorkerId, (Lease, Tries)>,
    /// Workers whose new host is being started.
    adopting: BTreeMap<WorkerId, Tries>,
    adoptions: Sender<Adoption>,
    adopted: Receiver<Adoption>,
    waker: Arc<UnixStream>,
    woken: UnixStream,
    program: PathBuf,
    scope: bool,
}

/// How often a worker was adopted lately.
#[derive(Clone, Copy)]
struct Tries {
    count: u32,
    last: Instant,
}

impl Tries {
    fn none() -> Tries {
        Tries { count: 0, last: Instant::now() }
    }
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
    fn run(mut self, rest: fn()) -> io::Result<()> {
        self.look();
        let mut has_rested = false;
        while !self.leases.is_empty() || !self.adopting.is_empty() {
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
        // Whoever connects from here on gets no answer, and starts another keeper.
        let _ = std::fs::remove_file(self.home.keeper_socket());
        Ok(())
    }

    fn wait(&self, within: Option<Timespec>) -> io::Result<Vec<Wake>> {
        let mut wakes = vec![Wake::Listener, Wake::Adopted];
        let mut polled =
            vec![PollFd::new(&self.listener, PollFlags::IN), PollFd::new(&self.woken, PollFlags::IN)];
        for (worker, (lease, _)) in &self.leases {
            wakes.push(Wake::Host(*worker));
            polled.push(PollFd::from_borrowed_fd(lease.host(), PollFlags::IN));
            if lease.is_open() {
                wakes.push(Wake::Connection(*worker));
                polled.push(PollFd::from_borrowed_fd(lease.connection(), PollFlags::IN));
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

    fn take(&mut self, dir: &WorkerDir, tries: Tries) {
        if self.leases.contains_key(&dir.id()) || self.adopting.contains_key(&dir.id()) {
            return;
        }
        match Lease::take(dir) {
            Ok(lease) => {
                self.leases.insert(dir.id(), (lease, tries));
            }
            // Nobody listens: the worker is lost, or has not begun.
            Err(LeaseError::Ended | LeaseError::Reach(_)) => {}
            Err(error) => say(&format!("no lease of worker {}: {error}", dir.id())),
        }
    }

    /// Somebody tells of a worker.
    fn listen(&mut self) {
        while let Ok((mut stream, _)) = self.listener.accept() {
            let is_ours = socket_peercred(&stream).is_ok_and(|peer| peer.uid == geteuid());
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
        let Some((lease, tries)) = self.leases.get_mut(&worker) else { return };
        let tries = *tries;
        match lease.hear() {
            Said::Nothing => {}
            Said::Returned => drop(self.leases.remove(&worker)),
            Said::Closed if is_ready(lease.host()) => self.host_died(worker),
            // A dying host closes its connections before it is dead. One that lives may give another lease; until
            // then, or until it is dead, we hold what we have.
            Said::Closed => {
                if let Ok(another) = Lease::take(lease.dir()) {
                    self.leases.insert(worker, (another, tries));
                }
            }
        }
    }

    /// A host is dead. If it has not said that its worker ended, the child is adopted.
    fn host_died(&mut self, worker: WorkerId) {
        let Some((lease, _)) = self.leases.get_mut(&worker) else { return };
        while lease.is_open() && is_ready(lease.connection()) {
            match lease.hear() {
                Said::Nothing => {}
                Said::Returned => return drop(self.leases.remove(&worker)),
                Said::Closed => break,
            }
        }
        if let Some((lease, tries)) = self.leases.remove(&worker) {
            // A host that was killed on its way out has said everything.
            if lease.dir().exit_note().is_none() {
                self.adopt(lease, tries);
            }
        }
    }

    fn adopt(&mut self, lease: Lease, tries: Tries) {
        let count = if tries.last.elapsed() > CALM { 1 } else { tries.count + 1 };
        let dir = lease.dir().clone();
        say(&format!("the host of worker {} is dead; another one adopts its child", dir.id()));
        self.adopting.insert(dir.id(), Tries { count, last: Instant::now() });
        let (program, scope, told) = (self.program.clone(), self.scope, self.adoptions.clone());
        let waker = Arc::clone(&self.waker);
        // The lease is held until the new host has its own descriptors.
        let adopting = Arc::new(move || {
            if count > MOST_ADOPTIONS {
                thread::sleep(PAUSE);
            }
            let result = adopt(&lease, &program, scope);
            let _ = told.send(Adoption { dir: lease.dir().clone(), result, count });
            let _ = (&*waker).write_all(b"+");
        });
        let on_thread = Arc::clone(&adopting);
        if thread::Builder::new().spawn(move || on_thread()).is_err() {
            // A machine without room for a thread: then everybody else waits meanwhile.
            adopting();
        }
    }

    fn hear_of_adoptions(&mut self) {
        while (&self.woken).read(&mut [0; 64]).is_ok_and(|length| length > 0) {}
        while let Ok(Adoption { dir, result, count }) = self.adopted.try_recv() {
            let tries = self.adopting.remove(&dir.id()).unwrap_or_else(Tries::none);
            match result {
                Ok(mut host) => {
                    self.take(&dir, Tries { count, ..tries });
                    // It is our child now, and somebody has to collect it in the end.
                    let _ = thread::Builder::new().stack_size(64 << 10).spawn(move || host.wait());
                }
                Err(error) => say(&format!("worker {} is not adopted: {error}", dir.id())),
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
                say(&format!("worker {} is not adopted yet: {error}", lease.dir().id()));
                tries += 1;
                thread::sleep(PAUSE);
            }
        }
    }
}

fn is_ready(descriptor: impl AsFd) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut [PollFd::new(&descriptor, PollFlags::IN)], Some(&now)).is_ok_and(|ready| ready > 0)
}

fn say(text: &str) {
    let _ = io::stderr().write_all(format!("{:.3} {text}\n", Timestamp::now()).as_bytes());
}
