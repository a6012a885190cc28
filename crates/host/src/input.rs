//! Input: viewers type it, and the child reads it.

use std::io;

use protocol::{Refusal, ViewerId};

use crate::host::Host;
use crate::log;
use crate::viewer::{Viewer, Watching};

mod queue;
mod typists;

pub(crate) use queue::{Input, Piece};
pub(crate) use typists::{Arrival, Typists};

impl Host {
    pub(crate) fn typed(&mut self, id: ViewerId, bytes: &[u8]) -> io::Result<()> {
        let typist = self.viewers.get(id).and_then(Viewer::watching).and_then(Watching::typist);
        if let Some(typist) = typist.map(str::to_owned) {
            self.viewers.typists.typed(&typist, bytes.len());
        }
        if self.has_exited() {
            return self.refuse(id, Refusal::Exited, "the worker has ended".into());
        }
        let principal = self
            .viewers
            .get(id)
            .and_then(Viewer::watching)
            .and_then(|watching| watching.principal.as_deref());
        if !self.input.take(bytes, principal) {
            let why = "the program does not read its input; the host took none of these bytes".into();
            return self.refuse(id, Refusal::InputFull, why);
        }
        if let Some(viewer) = self.viewers.get_mut(id) {
            viewer.typed_bytes += bytes.len() as u64;
        }
        // The size first: a program that reads the key must not still see the size of another window.
        self.took_focus(id)?;
        self.pass_input()
    }

    /// Gives the child the typed bytes.
    pub(crate) fn pass_input(&mut self) -> io::Result<()> {
        if let Err(error) = self.input.pass_on(&self.pty) {
            log::line(&format!("cannot write to the PTY: {error}"));
        }
        self.await_pty()
    }
}
