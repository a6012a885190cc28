//! Asking a host how its worker is.

use std::path::Path;

use protocol::{HostMessage, StatusReport, ViewerMessage};

use crate::ask::{AskError, ask};

/// What the host at `path` tells about its worker, without attaching to it.
///
/// # Errors
///
/// When there is no host, or when it does not answer within a few seconds: a host that is stopped is
/// [not answering](crate::ReachError::NotAnswering).
pub fn status(path: &Path) -> Result<StatusReport, AskError> {
    match ask(path, &ViewerMessage::Status)? {
        (_, HostMessage::Status(report)) => Ok(*report),
        _ => Err(AskError::OutOfTurn),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use model::{Epoch, Offset, SizePolicy, TermSize, WorkerId};
    use protocol::{ChildState, ProgramReport, RecordingReport};

    use super::*;
    use crate::scripted_host::ScriptedHost;

    fn report() -> StatusReport {
        StatusReport {
            version: protocol::VERSION,
            release: "0.1.0".into(),
            worker: WorkerId::from_random([7; 8]),
            name: "worker".parse().expect("a name"),
            host_pid: 1,
            child_pid: 2,
            epoch: Epoch(1),
            offset: Offset(9),
            size: TermSize::clamped(80, 24),
            size_policy: SizePolicy::default(),
            state: ChildState::Live,
            started_at: Timestamp::UNIX_EPOCH,
            printed_at: None,
            leased: false,
            model_failures: 0,
            answers_rows: true,
            program: ProgramReport::default(),
            viewers: Vec::new(),
            recording: RecordingReport::default(),
        }
    }

    #[test]
    fn a_host_reports_its_status_without_an_attached_viewer() {
        let host = ScriptedHost::answering("status", HostMessage::Status(Box::new(report())));
        assert_eq!(status(host.path()).unwrap(), report());
        assert_eq!(host.question(), ViewerMessage::Status);
    }
}
