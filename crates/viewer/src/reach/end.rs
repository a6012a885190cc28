//! Making a worker end.

use std::time::{Duration, Instant};

use home::WorkerDir;
use model::ExitStatus;
use protocol::{Attach, HostMessage, Refused, ViewerMessage};

use super::{Condition, Unreached, attach, condition};
use crate::Connection;

/// How long a host may take to leave once its child has ended. It then still writes to the disk.
const LEAVES_WITHIN: Duration = Duration::from_secs(10);

/// Why a worker was not made to end.
#[derive(Debug, thiserror::Error)]
pub enum EndError {
    /// Its host cannot be reached.
    #[error(transparent)]
    Unreached(#[from] Unreached),
    /// Its host refuses.
    #[error("its host refuses: {}", model::display_safe(&.0.message))]
    Refused(Refused),
    /// Its host was upgraded or adopted meanwhile, and the worker lives.
    #[error("its host was upgraded or replaced meanwhile")]
    WentOn,
}

/// Ends a worker, and waits until its host has left. `attach` says who asks.
///
/// # Errors
///
/// See [`EndError`].
pub fn end(dir: &WorkerDir, attach_as: &Attach) -> Result<ExitStatus, EndError> {
    let (mut connection, _) = attach(dir, attach_as)?;
    // A connection that is closed says more when it is read from.
    let _ = connection.send(&ViewerMessage::Shutdown);
    let status = wait_for_exit(dir, &mut connection)?;
    drop(connection);
    wait_for_host(dir);
    Ok(status)
}

fn wait_for_exit(dir: &WorkerDir, connection: &mut Connection) -> Result<ExitStatus, EndError> {
    loop {
        match connection.receive() {
            Ok(Some(HostMessage::Exited(exited))) => return Ok(exited.status),
            Ok(Some(HostMessage::Refused(refused))) => return Err(EndError::Refused(refused)),
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => break,
        }
    }
    match condition(dir) {
        Condition::Exited(note) => Ok(note.status),
        Condition::Lost => Ok(ExitStatus::Unknown),
        Condition::Live(_) | Condition::NotAnswering { .. } => Err(EndError::WentOn),
    }
}

/// Waits for the host's process to end, which it does once everything is on disk. If it takes longer, this returns all the
/// same, and a caller that needs the host gone has to check.
pub fn wait_for_host(dir: &WorkerDir) {
    let Some(host) = dir.identity().and_then(|identity| identity.open()) else { return };
    let _ = host.ends_before(Some(Instant::now() + LEAVES_WITHIN));
}
