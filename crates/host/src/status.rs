//! The host's report about itself.

use protocol::{ChildState, ProgramReport, StatusReport, VERSION};
use rustix::process::getpid;

use crate::ending::Life;
use crate::host::Host;
use crate::viewer::Role;

impl Host {
    /// Everything that only the host knows. It asks no other thread, so the answer comes at once.
    pub(crate) fn status(&self) -> StatusReport {
        let end = self.end();
        let mut recording = self.recording.clone();
        recording.recorded = self.recorder.at();
        if self.recorder_left_behind && recording.recorded < end {
            recording.trouble.get_or_insert_with(|| "the disk is too slow".into());
        }
        StatusReport {
            version: VERSION,
            release: env!("CARGO_PKG_VERSION").into(),
            worker: self.meta.worker,
            name: self.meta.name.clone(),
            host_pid: getpid().as_raw_nonzero().get().cast_unsigned(),
            child_pid: self.child.pid.as_raw_nonzero().get().cast_unsigned(),
            epoch: self.epoch,
            offset: end,
            size: self.size,
            size_policy: self.meta.size_policy,
            state: self.state(),
            started_at: self.started_at,
            printed_at: self.printed_at,
            leased: self.viewers.iter().any(|viewer| matches!(viewer.role, Role::Leasing)),
            model_failures: self.model_failures,
            answers_rows: true,
            program: self.program(),
            viewers: self.viewers.reports(end),
            recording,
        }
    }

    /// What the program said about itself.
    fn program(&self) -> ProgramReport {
        let mut program = self.program.clone();
        program.signals.extend(self.prompt.clone());
        program
    }

    /// Where the worker is in its life.
    pub(crate) fn state(&self) -> ChildState {
        match self.life {
            Life::Live => ChildState::Live,
            Life::Ending(_) => ChildState::Ending,
            Life::Saving { exited, .. } | Life::Told { exited, .. } => {
                ChildState::Exited { status: exited.status, at: exited.at }
            }
        }
    }
}
