//! Reaching a worker's host, also when its socket was deleted or it is just being adopted.
//!
//! A host is never called dead because it does not answer: only its identity says so.

mod end;

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use home::{ExitNote, Home, Identity, WorkerDir};
use protocol::{Attach, StatusReport, Welcome};
use rustix::process::Signal;
use system::processes;

use crate::{AskError, AttachError, Connection, ReachError};

pub use end::{EndError, end, wait_for_host};

/// A host makes its socket again within milliseconds; one that has not by then is stopped or starved.
const SOCKET_WITHIN: Duration = Duration::from_secs(2);

/// A keeper starts a new host within milliseconds of the old one's death.
const ADOPTED_WITHIN: Duration = Duration::from_secs(3);

/// The pause between two looks for a socket or an identity file. The system limits the number of file watches, so we look
/// again instead.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// How a worker is, as found by asking its host.
#[derive(Clone, Debug)]
pub enum Condition {
    /// Its host answers.
    Live(Box<StatusReport>),
    /// Its host is there and does not answer.
    NotAnswering {
        /// The host's process.
        pid: u32,
    },
    /// It has ended.
    Exited(ExitNote),
    /// Its host vanished without saying how the child ended.
    Lost,
}

/// Why a host that was asked something gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum Unreached {
    /// It is there and does not answer.
    #[error("its host (process {pid}) is not answering")]
    NotAnswering {
        /// The host's process.
        pid: u32,
    },
    /// The worker has ended.
    #[error("it has ended")]
    Exited(ExitNote),
    /// It vanished without saying how the child ended.
    #[error("its host no longer runs, and the child's exit code is unknown")]
    Lost,
    /// It answered, but with something else.
    #[error(transparent)]
    Answer(#[from] AttachError),
}

/// How a worker is, now.
pub fn condition(dir: &WorkerDir) -> Condition {
    match ask(dir, |socket| crate::status(socket).map_err(AttachError::from)) {
        Ok(report) => Condition::Live(Box::new(report)),
        Err(Unreached::NotAnswering { pid }) => Condition::NotAnswering { pid },
        Err(Unreached::Exited(note)) => Condition::Exited(note),
        Err(Unreached::Lost) => Condition::Lost,
        // It listens and has no room for a question, or speaks a language that we do not.
        Err(Unreached::Answer(_)) => {
            Condition::NotAnswering { pid: dir.identity().map_or(0, |identity| identity.pid) }
        }
    }
}

/// Attaches to a worker.
///
/// # Errors
///
/// When its host is not there, does not answer or refuses.
pub fn attach(dir: &WorkerDir, attach: &Attach) -> Result<(Connection, Welcome), Unreached> {
    ask(dir, |socket| crate::attach(socket, attach.clone()))
}

/// Whether a keeper runs, so that a killed host's child is adopted.
pub fn keeper_runs(home: &Home) -> bool {
    Connection::open(&home.keeper_socket()).is_ok()
}

/// Asks a host until it answers or there is a reason why it does not.
fn ask<T>(
    dir: &WorkerDir,
    mut question: impl FnMut(&Path) -> Result<T, AttachError>,
) -> Result<T, Unreached> {
    let started = Instant::now();
    let mut asked_for_socket = false;
    loop {
        let error = match question(&dir.socket()) {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        // Read after the question: a host that was alive before it may have ended meanwhile.
        match (Host::of(dir), Trouble::of(&error)) {
            (Host::Alive(identity), Trouble::Silent) => {
                return Err(Unreached::NotAnswering { pid: identity.pid });
            }
            (Host::Alive(_), Trouble::Answer) => return Err(error.into()),
            (Host::Alive(identity), Trouble::NoSocket) => {
                if started.elapsed() > SOCKET_WITHIN {
                    return Err(Unreached::NotAnswering { pid: identity.pid });
                }
                asked_for_socket = asked_for_socket || ask_for_socket(&identity);
            }
            (Host::Ended(note), _) => return Err(Unreached::Exited(note)),
            (Host::Gone(gone), _) => {
                if started.elapsed() > ADOPTED_WITHIN || !may_be_adopted(dir, gone.as_ref()) {
                    return Err(Unreached::Lost);
                }
            }
        }
        thread::sleep(LOOK_AGAIN);
    }
}

/// Asks a host to make its socket again; false if the process cannot be asked. A host handles this signal, and ignores
/// it while it becomes another program. A process that would die of it is no host, or not one yet, even if the worker's
/// directory names it.
fn ask_for_socket(host: &Identity) -> bool {
    // One that may not be signalled, or is gone by now, is found out by looking again.
    !processes::dies_of(host.pid, Signal::USR1) && host.signal(Signal::USR1).is_ok()
}

/// A host, as its directory tells of it.
enum Host {
    /// Its process runs.
    Alive(Identity),
    /// It left after the worker's end.
    Ended(ExitNote),
    /// It does not run, and left no word.
    Gone(Option<Identity>),
}

impl Host {
    fn of(dir: &WorkerDir) -> Host {
        match dir.identity() {
            Some(identity) if identity.is_alive() => Host::Alive(identity),
            // Asked after the identity: a host writes the note before it goes.
            identity => match dir.exit_note() {
                Some(note) => Host::Ended(note),
                None => Host::Gone(identity),
            },
        }
    }
}

/// Why a question got no useful answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    /// No process listens any more: the socket was deleted, or the host changes its program.
    NoSocket,
    /// The host listens but does not answer.
    Silent,
    /// The host answered.
    Answer,
}

impl Trouble {
    fn of(error: &AttachError) -> Trouble {
        match error {
            AttachError::Ask(AskError::Reach(ReachError::NoHost { .. }) | AskError::Closed) => {
                Trouble::NoSocket
            }
            AttachError::Ask(AskError::Reach(ReachError::NotAnswering { .. })) => Trouble::Silent,
            _ => Trouble::Answer,
        }
    }
}

/// Whether a keeper may be about to start another host for this worker: it is there, and the host died in this life
/// of the machine.
fn may_be_adopted(dir: &WorkerDir, gone: Option<&Identity>) -> bool {
    let same_boot = match (gone, Identity::own()) {
        (Some(gone), Some(own)) => gone.boot_id == own.boot_id,
        _ => false,
    };
    same_boot && dir.root().is_some_and(|root| keeper_runs(&Home::at(root)))
}
