//! One connection: what it may do, and how far it has been told.

use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use model::{Offset, TermSize};
use protocol::{Decoder, Frame, FrameError, HostMessage, ViewerId, output_header};
use rustix::io::Errno;
use rustix::net::sockopt::socket_peercred;
use rustix::net::{SendAncillaryBuffer, SendFlags, sendmsg};
use terminal::SnapshotForm;

use crate::tape::Tape;
use crate::told::Snapshot;

/// How much goes into one frame of output or of a snapshot.
const FRAME_BYTES: usize = 64 << 10;

/// How much a viewer that acknowledges may be sent before it does.
const ACK_WINDOW: usize = 512 << 10;

/// How many bytes of messages may wait for a viewer that does not read; then it is told no more of what passes.
const MOST_MESSAGE_BYTES: usize = 256 << 10;

/// How much is read from a viewer at once, so that none keeps the others waiting.
const READ_BYTES: usize = 64 << 10;

/// Which snapshot it is, among those asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket(pub(crate) u64);

/// What is sent to a viewer next.
#[derive(Clone, Debug)]
pub(crate) enum Feed {
    /// Output from this offset on.
    Live { at: Offset },
    /// It was too slow. When it has read what it was sent, it gets the screen as it is then.
    Behind,
    /// The screen that was asked for under this ticket, after so much output.
    Waiting { ticket: Ticket, at: Offset },
    /// The rest of this snapshot.
    Drawing { snapshot: Arc<Snapshot>, sent: usize },
    /// Nothing of what the child prints, only what happens.
    Quiet,
}

/// What is known of a viewer that attached.
#[derive(Clone, Debug)]
pub(crate) struct Watching {
    pub(crate) name: String,
    pub(crate) read_only: bool,
    pub(crate) form: SnapshotForm,
    pub(crate) events: bool,
    /// How large its screen is, if it said so and may decide.
    pub(crate) size: Option<TermSize>,
    /// How far it says that it has shown the output, if it does say so.
    pub(crate) acked: Option<Offset>,
    /// The offset of the last snapshot; a viewer that acknowledges gets nothing more before it has shown that.
    pub(crate) drawn: Offset,
    pub(crate) feed: Feed,
    pub(crate) since: Timestamp,
    /// When it last attached, typed or took focus, counted in such events.
    pub(crate) active: u64,
    pub(crate) resyncs: u64,
    /// Whether the screen that is on its way is too old already.
    pub(crate) redraw: bool,
    /// Whether a screen with lines from the recording came too late; then it gets what the model has.
    pub(crate) was_too_late: bool,
    pub(crate) told_exit: bool,
    /// Under which name what it types is counted.
    pub(crate) typist: Option<String>,
}

/// What a connection is for.
#[derive(Clone, Debug)]
pub(crate) enum Role {
    /// It has not said so yet, or asks now and then.
    Asking,
    /// It watches.
    Watching(Watching),
    /// It holds a lease.
    Leasing,
}

/// What a viewer needs after it was sent what there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Nothing until something happens.
    Nothing,
    /// The screen as it is now.
    Snapshot,
    /// To be let go: it has read nothing for too long.
    Goodbye,
}

/// One connection.
#[derive(Debug)]
pub(crate) struct Viewer {
    pub(crate) id: ViewerId,
    stream: UnixStream,
    decoder: Decoder,
    /// Frames, and the rest of one, that go before anything else.
    out: Vec<u8>,
    pub(crate) role: Role,
    /// Since when its socket has been full.
    pub(crate) full_since: Option<Instant>,
    /// Until when it is not waited for.
    pub(crate) slow_until: Option<Instant>,
    /// How many bytes it has typed.
    pub(crate) typed_bytes: u64,
    /// Whether it is the one who started us, and has not gone its way yet.
    pub(crate) is_starter: bool,
    /// Whether we listen to it: not to one that does not read what it is told.
    pub(crate) is_heard: bool,
    /// Whether the kernel tells us when its socket has room.
    pub(crate) room_awaited: bool,
    /// Whether it can be told nothing any more. What it said before is still to be heard.
    is_gone: bool,
}

impl Viewer {
    pub(crate) fn new(id: ViewerId, stream: UnixStream) -> Viewer {
        Viewer {
            id,
            stream,
            decoder: Decoder::default(),
            out: Vec::new(),
            role: Role::Asking,
            full_since: None,
            slow_until: None,
            typed_bytes: 0,
            is_starter: false,
            is_heard: true,
            room_awaited: false,
            is_gone: false,
        }
    }

    /// A connection that was there before we became this program.
    pub(crate) fn resume(id: ViewerId, stream: UnixStream, role: Role, came: &[u8], out: Vec<u8>) -> Viewer {
        let mut viewer = Viewer { role, out, ..Viewer::new(id, stream) };
        viewer.decoder.push(came);
        viewer
    }

    pub(crate) fn watching(&self) -> Option<&Watching> {
        match &self.role {
            Role::Watching(watching) => Some(watching),
            Role::Asking | Role::Leasing => None,
        }
    }

    pub(crate) fn watching_mut(&mut self) -> Option<&mut Watching> {
        match &mut self.role {
            Role::Watching(watching) => Some(watching),
            Role::Asking | Role::Leasing => None,
        }
    }

    /// Who it is, for the log: its number, what it calls itself, and its process.
    pub(crate) fn who(&self) -> String {
        let name = self.watching().map_or("-", |watching| &watching.name);
        let pid = socket_peercred(&self.stream).map_or(0, |peer| peer.pid.as_raw_nonzero().get());
        format!("viewer {} ({}, process {pid})", self.id.0, model::display_safe(name))
    }

    /// Whether nothing that it types may reach the child.
    pub(crate) fn is_read_only(&self) -> bool {
        self.watching().is_some_and(|watching| watching.read_only)
    }

    /// The output it has not been sent yet, in bytes.
    pub(crate) fn behind(&self, end: Offset) -> usize {
        match self.watching().map(|watching| &watching.feed) {
            Some(Feed::Live { at }) => end - *at,
            _ => 0,
        }
    }

    /// Reads once; nothing when it has gone.
    pub(crate) fn read(&mut self, chunk: &mut Vec<u8>) -> io::Result<Option<usize>> {
        chunk.resize(READ_BYTES, 0);
        match rustix::io::read(&self.stream, &mut chunk[..]) {
            Ok(0) => Ok(None),
            Ok(length) => {
                self.decoder.push(&chunk[..length]);
                Ok(Some(length))
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(Some(0)),
            Err(error) => Err(error.into()),
        }
    }

    /// The next frame that came.
    pub(crate) fn next_frame(&mut self) -> Result<Option<Frame<'_>>, FrameError> {
        self.decoder.next_frame()
    }

    /// Bytes that came and are no whole frame yet.
    pub(crate) fn unfinished(&self) -> &[u8] {
        self.decoder.unfinished()
    }

    /// Bytes of frames that were begun and not sent to their end.
    pub(crate) fn unsent(&self) -> &[u8] {
        &self.out
    }

    /// Queues a message that must arrive.
    pub(crate) fn say(&mut self, message: &HostMessage) {
        message.write(&mut self.out);
    }

    /// Queues a message that a viewer which does not read can do without.
    pub(crate) fn mention(&mut self, frame: &[u8]) {
        if self.out.len() + frame.len() <= MOST_MESSAGE_BYTES {
            self.out.extend_from_slice(frame);
        }
    }

    /// Sends what there is for it and its socket takes.
    pub(crate) fn pump(&mut self, tape: &Tape, exited: Option<&HostMessage>) -> Needs {
        loop {
            if self.is_gone {
                self.out = Vec::new();
                return Needs::Nothing;
            }
            if !self.out.is_empty() {
                match send(&self.stream, &[IoSlice::new(&self.out)]) {
                    Sent::Bytes(sent) => drop(self.out.drain(..sent)),
                    Sent::Full => return self.is_full(),
                    Sent::Gone => return self.has_gone(),
                }
                if !self.out.is_empty() {
                    return self.is_full();
                }
                self.out = Vec::new();
            }
            self.full_since = None;
            self.let_fall_behind(tape);
            let Role::Watching(watching) = &mut self.role else { return Needs::Nothing };
            let may_draw = watching.acked.is_none_or(|acked| acked >= watching.drawn);
            let sent = match &mut watching.feed {
                Feed::Live { at } => {
                    let window = watching.acked.map_or(usize::MAX, |acked| (acked + ACK_WINDOW) - *at);
                    let most = (tape.end() - *at).min(FRAME_BYTES).min(window);
                    if most == 0 {
                        if let Some(exited) = exited.filter(|_| *at == tape.end() && !watching.told_exit) {
                            watching.told_exit = true;
                            exited.write(&mut self.out);
                            continue;
                        }
                        return Needs::Nothing;
                    }
                    let header = output_header(*at, most);
                    let mut parts = vec![IoSlice::new(&header)];
                    tape.io_slices(*at, most, &mut parts);
                    *at += most;
                    send_frame(&self.stream, &parts, &mut self.out)
                }
                Feed::Behind => return if may_draw { Needs::Snapshot } else { Needs::Nothing },
                Feed::Waiting { .. } => return Needs::Nothing,
                Feed::Quiet => {
                    let Some(exited) = exited.filter(|_| !watching.told_exit) else { return Needs::Nothing };
                    watching.told_exit = true;
                    exited.write(&mut self.out);
                    continue;
                }
                Feed::Drawing { snapshot, sent } => {
                    let part = &snapshot.bytes[*sent..];
                    let part = &part[..part.len().min(FRAME_BYTES)];
                    *sent += part.len();
                    let last = *sent == snapshot.bytes.len();
                    let message = HostMessage::Snapshot { at: snapshot.at, last, bytes: part.to_vec() };
                    if last {
                        watching.drawn = snapshot.at;
                        let at = snapshot.at;
                        watching.feed = if watching.redraw { Feed::Behind } else { Feed::Live { at } };
                    }
                    message.write(&mut self.out);
                    continue;
                }
            };
            if let Sent::Gone = sent {
                return self.has_gone();
            }
            if !self.out.is_empty() {
                return self.is_full();
            }
        }
    }

    /// Drops what a viewer with a full socket would still have to be sent, if that is no longer on the tape.
    pub(crate) fn let_fall_behind(&mut self, tape: &Tape) {
        if let Some(watching) = self.watching_mut()
            && let Feed::Live { at } = watching.feed
            && at < tape.start()
        {
            watching.feed = Feed::Behind;
            watching.resyncs += 1;
        }
    }

    /// Leaves the rest of a snapshot unsent; another one is wanted.
    pub(crate) fn stop_drawing(&mut self) {
        if let Some(watching) = self.watching_mut()
            && let Feed::Drawing { .. } = watching.feed
        {
            watching.feed = Feed::Behind;
        }
    }

    /// Whether so much waits for it that it is not listened to.
    pub(crate) fn is_overfull(&self) -> bool {
        self.out.len() > MOST_MESSAGE_BYTES
    }

    /// It left without waiting for an answer. Its last words may lie unread in its socket, behind which the end shows
    /// as soon as they are read: then it is let go.
    fn has_gone(&mut self) -> Needs {
        self.is_gone = true;
        self.full_since = None;
        self.out = Vec::new();
        if let Some(watching) = self.watching_mut() {
            // Nothing is kept for it.
            watching.feed = Feed::Behind;
        }
        // One that waits nevertheless shall not do so for ever.
        let _ = self.stream.shutdown(Shutdown::Write);
        Needs::Nothing
    }

    fn is_full(&mut self) -> Needs {
        self.full_since.get_or_insert_with(Instant::now);
        Needs::Nothing
    }

    /// Whether everything that was queued has been sent.
    pub(crate) fn is_flushed(&self) -> bool {
        self.out.is_empty()
    }

    /// Sends one message with descriptors, to somebody who was sent nothing yet.
    pub(crate) fn send_with(&self, message: &HostMessage, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        let bytes = message.to_bytes();
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        ancillary.push(rustix::net::SendAncillaryMessage::ScmRights(descriptors));
        let sent = sendmsg(&self.stream, &[IoSlice::new(&bytes)], &mut ancillary, SendFlags::NOSIGNAL)?;
        if sent == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
    }
}

impl AsFd for Viewer {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

enum Sent {
    Bytes(usize),
    Full,
    Gone,
}

fn send(stream: &UnixStream, parts: &[IoSlice<'_>]) -> Sent {
    loop {
        let mut nothing = SendAncillaryBuffer::default();
        match sendmsg(stream, parts, &mut nothing, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
            Ok(sent) => return Sent::Bytes(sent),
            Err(Errno::AGAIN | Errno::NOBUFS | Errno::NOMEM) => return Sent::Full,
            Err(Errno::INTR) => {}
            Err(_) => return Sent::Gone,
        }
    }
}

/// Sends a frame; what the socket does not take is kept, since a frame that was begun must be ended.
fn send_frame(stream: &UnixStream, parts: &[IoSlice<'_>], rest: &mut Vec<u8>) -> Sent {
    let mut sent = match send(stream, parts) {
        Sent::Bytes(sent) => sent,
        Sent::Full => 0,
        Sent::Gone => return Sent::Gone,
    };
    for part in parts {
        let skipped = sent.min(part.len());
        sent -= skipped;
        rest.extend_from_slice(&part[skipped..]);
    }
    Sent::Bytes(sent)
}
