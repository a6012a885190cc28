//! `abide attach`: a worker's terminal in the terminal we were started in.
//!
//! Where both have the same size, what the child prints goes to the outer terminal as it is, but for what the filter
//! takes out; otherwise a window onto the worker's screen is painted. Either way it is on the outer terminal's
//! alternate screen, and in every case the outer terminal is given back as it was.

mod attachment;
mod backlog;
mod last_screen;
mod link;
mod reconnect;

use std::env;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;

use anyhow::Context;
use home::Worker;
use model::TermSize;
use protocol::Attach;
use rustix::stdio::stdin;
use rustix::termios::ttyname;

use crate::failure::Failure;
use crate::open_outer::open_outer;
use crate::settings::DetachKey;
use crate::workers;
use attachment::{Attachment, End};
use outer::{Signals, Takeover};
use viewer::reach::{self, Unreached};

pub(crate) use backlog::Backlog;

/// The variable that names a child's worker to it.
const OWN_WORKER: &str = "ABIDE_WORKER";

/// Which worker to show, and how.
pub(crate) struct Request {
    /// The worker.
    pub(crate) worker: Worker,
    /// A connection to its host, if there is one already.
    pub(crate) stream: Option<UnixStream>,
    /// Whether keys are kept from the child.
    pub(crate) read_only: bool,
    /// What detaches.
    pub(crate) detach: DetachKey,
}

/// Shows the worker until the person detaches or the child ends. Returns the exit code.
///
/// # Errors
///
/// When there is no terminal, when the worker cannot be attached here, or when its host is lost.
pub(crate) fn run(mut request: Request) -> Result<u8, Failure> {
    refuse_itself(&request.worker)?;
    let name = request.worker.meta.name.clone();
    let outer =
        open_outer(&format!("`abide screen {name}` prints its screen, `abide logs {name}` its output"))?;
    let signals = Signals::listen().context("cannot listen for signals")?;
    let size = outer.size()?;
    let attach = attach_as(request.read_only, size);
    let attached = match request.stream.take() {
        Some(stream) => link::greet(stream, attach),
        None => reach::attach(&request.worker.dir, &attach),
    };
    let attached = attached.map_err(|error| unreached(&request.worker, error))?;

    let takeover = Takeover::begin(outer)?;
    let end = Attachment::new(&takeover, signals, &request, attached, size).run();
    let terminal_is_there = takeover.end();

    match end? {
        End::Detached => {
            if terminal_is_there {
                say(&format!("[detached from {name}]\n"));
            }
            Ok(0)
        }
        End::Exited(status) => {
            if terminal_is_there {
                // What the child left on its main screen stays, as it would have without us.
                say(&last_screen::of(&request.worker.dir).unwrap_or_default());
                say(&format!("[{name} {}]\n", workers::ended(status)));
            }
            Ok(status.code())
        }
        End::Lost(error) => Err(unreached(&request.worker, error)),
    }
}

/// A worker shown in itself would show itself without end.
fn refuse_itself(worker: &Worker) -> Result<(), Failure> {
    if env::var_os(OWN_WORKER).is_some_and(|own| own == worker.dir.id().as_str()) {
        let refused =
            format!("this terminal is worker `{}`, which cannot attach to itself", worker.meta.name);
        return Err(Failure::ours(refused).hint("attach to it from another terminal"));
    }
    Ok(())
}

/// How we introduce ourselves to a host.
fn attach_as(read_only: bool, size: TermSize) -> Attach {
    let terminal = ttyname(stdin(), Vec::new()).ok();
    let terminal = terminal.as_ref().and_then(|path| path.to_str().ok()?.strip_prefix("/dev/"));
    Attach {
        read_only,
        size: (!read_only).then_some(size),
        ..Attach::screen(format!("attach ({})", terminal.unwrap_or("unknown terminal")))
    }
}

/// Why there is no host to attach to, as a failure of ours: any other exit code would be taken for the child's.
fn unreached(worker: &Worker, error: Unreached) -> Failure {
    let failure = workers::unreached(worker, error);
    let ours = Failure::ours(failure.sentence());
    match failure.way_on() {
        Some(hint) => ours.hint(hint),
        None => ours,
    }
}

/// Says something on the terminal that was given back.
fn say(words: &str) {
    // Fails only when the terminal is gone, which is no reason to panic.
    let _ = io::stderr().write_all(words.as_bytes());
}
