//! The state that a host hands to its next program.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::path::PathBuf;

use jiff::Timestamp;
use model::{Epoch, Offset, TermSize};
use protocol::{SignalMessage, ViewerId};
use serde::{Deserialize, Serialize};

use super::viewer_state::ViewerState;
use crate::host::Host;
use crate::input::{Piece, Typists};

/// The version of the state's shape. A program that does not know it says so in its probe.
const FORMAT: u32 = 1;

/// Everything in memory but the screen and the tape, which follow it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct State {
    pub(super) format: u32,
    pub(super) dir: PathBuf,
    pub(super) epoch: Epoch,
    pub(super) at: Offset,
    pub(super) size: TermSize,
    pub(super) resized_at: Offset,
    pub(super) started_at: Timestamp,
    pub(super) printed_at: Option<Timestamp>,
    pub(super) gaps: u64,
    pub(super) next_viewer: u64,
    pub(super) child_pid: i32,
    pub(super) input: Vec<u8>,
    #[serde(default)]
    pub(super) input_pieces: Vec<Piece>,
    pub(super) model_failures: u64,
    pub(super) owner: Option<ViewerId>,
    pub(super) asked_by: ViewerId,
    pub(super) descriptors: Descriptors,
    pub(super) viewers: Vec<ViewerState>,
    #[serde(default)]
    pub(super) typists: Typists,
    #[serde(default)]
    pub(super) prompt: Option<SignalMessage>,
    pub(super) screen_bytes: usize,
    pub(super) tape_bytes: usize,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Descriptors {
    pub(super) terminal: RawFd,
    pub(super) child: RawFd,
    pub(super) listener: RawFd,
    pub(super) lock: RawFd,
}

impl Host {
    /// Everything in memory, in a file in memory.
    pub(crate) fn save(&self, screen: &[u8], asked_by: ViewerId) -> io::Result<File> {
        let tape = self.tape();
        let last = Host::last_of_tape(&tape);
        let state = State {
            format: FORMAT,
            dir: self.dir.path().to_owned(),
            epoch: self.epoch,
            at: tape.end(),
            size: self.size,
            resized_at: self.resized_at,
            started_at: self.started_at,
            printed_at: self.printed_at,
            gaps: self.recording.gaps,
            next_viewer: self.viewers.next_id(),
            child_pid: self.child.pid.as_raw_nonzero().get(),
            input: self.input.waiting(),
            input_pieces: self.input.pieces(),
            model_failures: self.model_failures,
            owner: self.viewers.owner,
            asked_by,
            descriptors: Descriptors {
                terminal: self.pty.as_fd().as_raw_fd(),
                child: self.child.as_fd().as_raw_fd(),
                listener: self.listener.as_fd().as_raw_fd(),
                lock: self.lock.as_raw_fd(),
            },
            viewers: self.viewers.iter().filter_map(ViewerState::of).collect(),
            typists: self.viewers.typists.clone(),
            prompt: self.prompt.clone(),
            screen_bytes: screen.len(),
            tape_bytes: last.len(),
        };
        let mut file = system::memory::file("state")?;
        let json = serde_json::to_vec(&state)?;
        file.write_all(&(json.len() as u64).to_le_bytes())?;
        file.write_all(&json)?;
        file.write_all(screen)?;
        file.write_all(&last)?;
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    }
}

pub(super) fn read_state(file: &mut impl Read) -> io::Result<(State, Vec<u8>, Vec<u8>)> {
    let mut length = [0; 8];
    file.read_exact(&mut length)?;
    let mut json = Vec::new();
    file.by_ref().take(u64::from_le_bytes(length)).read_to_end(&mut json)?;
    let state: State = serde_json::from_slice(&json)?;
    if state.format != FORMAT {
        return Err(io::Error::other(format!("state of format {}, not {FORMAT}", state.format)));
    }
    let mut screen = vec![0; state.screen_bytes];
    file.read_exact(&mut screen)?;
    let mut tape = vec![0; state.tape_bytes];
    file.read_exact(&mut tape)?;
    Ok((state, screen, tape))
}
