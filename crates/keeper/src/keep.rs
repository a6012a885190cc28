//! Becoming the keeper: at most one for a data directory.

use std::collections::BTreeMap;
use std::env;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use home::Home;
use jiff::Timestamp;
use rustix::fs::{FlockOperation, Mode, flock};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit, umask};

use crate::ensure::{LOOK, tell};

mod adopting;
mod keeper;

use keeper::Keeper;

/// How long one that is not needed waits for the one that is.
const OTHER: Duration = Duration::from_secs(3);

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
            say(&format!("the keeper failed: {error}"));
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
        workers: BTreeMap::new(),
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
    let _ = system::sessions::start();
    umask(Mode::from_raw_mode(0o077));
    let files = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: files.maximum, ..files });
    for signal in [signal_hook::consts::SIGHUP, signal_hook::consts::SIGINT, signal_hook::consts::SIGPIPE] {
        // Caught and ignored: a hang-up of the starter's terminal does not concern the keeper.
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

fn say(text: &str) {
    let _ = io::stderr().write_all(format!("{:.3} {text}\n", Timestamp::now()).as_bytes());
}
