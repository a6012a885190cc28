//! A worker that a test started, and the connection of a viewer to its host.

use std::io::Write;
use std::time::Instant;

use home::{ExitNote, WorkerDir};
use protocol::{Attach, HostMessage, StatusReport, ViewerMessage};
use recording::{BlockKind, Recording, SegmentKind};
use rustix::process::Signal;
use viewer::{Connection, Received};

use crate::{WAIT, wait_for};

/// A worker that a test started.
pub struct Worker {
    /// Its name, or its id.
    pub name: String,
    /// Its directory.
    pub dir: WorkerDir,
}

impl Worker {
    /// What its host tells about itself.
    pub fn status(&self) -> StatusReport {
        viewer::status(&self.dir.socket()).expect("the host answers")
    }

    /// A connection to its host.
    pub fn connect(&self) -> Connection {
        Connection::open(&self.dir.socket()).expect("the host listens")
    }

    /// Types something. The host gets it in one piece with the question whether it was taken, since the keys may end the
    /// worker.
    pub fn send(&self, bytes: &[u8]) {
        let mut stream = viewer::connect(&self.dir.socket()).expect("the host listens");
        let messages = [ViewerMessage::Input(bytes.to_vec()), ViewerMessage::Ping(7)];
        let frames: Vec<u8> = messages.iter().flat_map(ViewerMessage::to_bytes).collect();
        stream.set_nonblocking(false).expect("a socket");
        stream.write_all(&frames).expect("the host listens");
        let mut connection = Connection::from_stream(stream);
        let answer = receive(&mut connection);
        assert_eq!(answer, HostMessage::Pong(7), "the input was taken");
    }

    /// Waits until the keeper holds its lease, so that its child would survive the host.
    pub fn wait_for_lease(&self) {
        wait_for("the lease", || viewer::status(&self.dir.socket()).ok().filter(|status| status.leased));
    }

    /// How it ended, once it has and its host has left.
    pub fn wait_for_exit(&self) -> ExitNote {
        wait_for(&format!("the end of {}", self.name), || {
            let host_left = self.dir.identity().is_none_or(|identity| !identity.is_alive());
            self.dir.exit_note().filter(|_| host_left)
        })
    }

    /// Waits until its recording is at rest: masked and compressed, with nothing left to seal.
    pub fn wait_for_rest(&self) {
        self.wait_for_exit();
        wait_for(&format!("the recording of {} at rest", self.name), || {
            let recording = Recording::open(&self.dir.recording()).ok()?;
            let segments = recording.segments();
            let at_rest = segments.iter().all(|segment| segment.kind == SegmentKind::Sealed);
            (at_rest && !segments.is_empty()).then_some(())
        });
    }

    /// Kills its host as nothing can be caught, and waits until it is gone.
    pub fn kill_host(&self) {
        let identity = self.dir.identity().expect("a host");
        assert_eq!(identity.signal(Signal::KILL), Ok(true), "the host runs");
        wait_for("the host's death", || (!identity.is_alive()).then_some(()));
    }

    /// Everything recorded of its output.
    pub fn recorded(&self) -> Vec<u8> {
        // A host that has just begun has not recorded anything.
        let Ok(recording) = Recording::open(&self.dir.recording()) else { return Vec::new() };
        let blocks = recording.blocks().filter_map(|block| match block.kind {
            BlockKind::Output(bytes) => Some(bytes),
            _ => None,
        });
        blocks.flatten().collect()
    }
}

/// What a viewer asks for that wants everything and changes nothing.
pub fn watching() -> Attach {
    Attach { history: 1000, read_only: true, ..Attach::full("test") }
}

/// The next message, which must come.
pub fn receive(connection: &mut Connection) -> HostMessage {
    match connection.receive_before(Instant::now() + WAIT).expect("the host speaks the protocol") {
        Received::Message(message) => message,
        other => panic!("no message came: {other:?}"),
    }
}
