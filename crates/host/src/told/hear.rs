//! The main loop handles the messages of the other threads.

use std::io;

use protocol::{HostMessage, SignalMessage};

use crate::host::Host;
use crate::told::Told;

impl Host {
    /// Hears what the other threads have told.
    pub(crate) fn hear(&mut self) -> io::Result<()> {
        let Told { replies, signals, snapshots, rows, program, model_failures, recording, written, probed } =
            self.board.take();
        if !replies.is_empty() && !self.has_exited() {
            // A child that asks and never reads gets no answer.
            self.input.take(&replies, None);
            self.pass_input()?;
        }
        self.model_failures += model_failures;
        if let Some(program) = program {
            self.program = program;
        }
        if let Some(recording) = recording {
            self.recording = recording;
        }
        for signal in signals {
            if matches!(signal, SignalMessage::Prompt(_)) {
                self.prompt = Some(signal.clone());
            }
            self.mention(&HostMessage::Signal(signal));
        }
        for snapshot in snapshots {
            self.deliver(&snapshot)?;
        }
        for rows in rows {
            self.deliver_rows(&rows)?;
        }
        if self.recorder.take_full() && !self.has_exited() {
            self.begin_segment();
        }
        self.go_on_if_possible()?;
        self.note_awaited();
        self.pump_viewers()?;
        if let Some(offset) = written {
            self.recorder_settled(offset)?;
        }
        self.tell_exit_if_saved()?;
        if let Some(result) = probed {
            self.probed(result)?;
        }
        Ok(())
    }
}
