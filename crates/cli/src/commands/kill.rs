//! `abide kill`: ends a worker.

mod survivors;

use clap::Args;
use home::Worker;
use model::ExitStatus;
use protocol::{HostMessage, ViewerMessage};

use crate::failure::Failure;
use crate::output;
use crate::signal_name::{signal_name, signal_number};
use crate::workers;
use viewer::reach::{self, EndError};

/// Number of the ping behind a signal; any will do.
const PING: u64 = 1;

/// End a worker, or send its child a signal
///
/// Without a signal, abide hangs up the worker's terminal, then asks the program to end, and after the grace period
/// forces it. abide exits when the worker has ended.
#[derive(Args)]
pub(super) struct Kill {
    /// The worker's name, or the beginning of its id
    #[arg(value_name = "NAME")]
    name: String,
    /// Only send this signal to the child's process group: a name such as INT or SIGINT, or a number
    #[arg(long, short, value_name = "SIGNAL", value_parser = signal_number)]
    signal: Option<u8>,
    /// End the processes that an ended worker left running
    #[arg(long)]
    survivors: bool,
}

impl Kill {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let worker = workers::called(&workers::home()?, &self.name)?;
        if self.survivors {
            return survivors::end(&worker, self.signal);
        }
        match self.signal {
            Some(signal) => send_signal(&worker, signal)?,
            None => {
                let status = end(&worker)?;
                output::write(format!("{}: {}\n", worker.meta.name, workers::ended(status)))?;
                tell_survivors(&worker);
            }
        }
        Ok(0)
    }
}

/// Ends a worker, and waits until its host has left.
pub(super) fn end(worker: &Worker) -> Result<ExitStatus, Failure> {
    reach::end(&worker.dir, &workers::quietly("kill", false, 0)).map_err(|error| match error {
        EndError::Unreached(unreached) => workers::unreached(worker, unreached),
        EndError::Refused(refused) => workers::refusal(worker, &refused),
        EndError::WentOn => Failure::ours(format!(
            "worker `{}` did not end: its host was replaced meanwhile",
            worker.meta.name
        ))
        .hint("try again"),
    })
}

fn tell_survivors(worker: &Worker) {
    let count = worker.dir.exit_note().map_or(0, |note| note.survivors);
    if count > 0 {
        let name = &worker.meta.name;
        let processes = if count == 1 { "1 process".to_owned() } else { format!("{count} processes") };
        eprintln!("hint: {processes} that it started still run; `abide kill --survivors {name}` ends them");
    }
}

fn send_signal(worker: &Worker, signal: u8) -> Result<(), Failure> {
    let (mut connection, _) = workers::attach(worker, &workers::quietly("kill", false, 0))?;
    let _ = connection.send(&ViewerMessage::Kill(signal));
    let _ = connection.send(&ViewerMessage::Ping(PING));
    loop {
        match connection.receive() {
            Ok(Some(HostMessage::Refused(refused))) => return Err(workers::refusal(worker, &refused)),
            // The signal may have ended it before the ping was read.
            Ok(Some(HostMessage::Pong(PING) | HostMessage::Exited(_))) => return Ok(()),
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => {
                let name = &worker.meta.name;
                return Err(Failure::ours(format!(
                    "the host of worker `{name}` closed the connection; it may or may not have sent {}",
                    signal_name(signal)
                ))
                .hint(format!("look at `abide ls`; if {name} is live, send the signal again")));
            }
        }
    }
}
