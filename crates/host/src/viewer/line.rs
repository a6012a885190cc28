//! A viewer's socket: frames that came, and bytes that wait to be sent.

use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Instant;

use protocol::{Decoder, Frame, FrameError, HostMessage};
use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendFlags, sendmsg};
use system::Ready;

/// How many bytes of messages may wait for a viewer that does not read. Then it is told no more of what passes, and the
/// host does not listen to it.
const MOST_MESSAGE_BYTES: usize = 256 << 10;

/// How much is read from a viewer at once, so that none keeps the others waiting.
const READ_BYTES: usize = 64 << 10;

/// Whether a viewer's socket takes what it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outlet {
    /// It does, as far as the host knows.
    Open,
    /// It is full. The rest waits until the kernel says that there is room.
    Full { since: Instant },
    /// The viewer left without waiting for an answer. Its last words may lie unread in the socket.
    Closed,
}

/// A viewer's socket.
#[derive(Debug)]
pub(crate) struct Line {
    stream: UnixStream,
    decoder: Decoder,
    /// Frames, and the rest of one, that go before anything else.
    out: Vec<u8>,
    outlet: Outlet,
}

impl Line {
    pub(crate) fn new(stream: UnixStream) -> Line {
        Line { stream, decoder: Decoder::default(), out: Vec::new(), outlet: Outlet::Open }
    }

    /// A connection that was there before this process became another program: `came` is no whole frame yet, and
    /// `out` was not sent to its end.
    pub(crate) fn resume(stream: UnixStream, came: &[u8], out: Vec<u8>) -> Line {
        let mut line = Line { out, ..Line::new(stream) };
        line.decoder.push(came);
        line
    }

    /// The process at the other end; zero if the kernel does not say.
    pub(crate) fn peer(&self) -> u32 {
        system::peers::process(&self.stream).unwrap_or(0)
    }

    /// Reads once. Nothing when the viewer has gone.
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

    pub(crate) fn outlet(&self) -> Outlet {
        self.outlet
    }

    /// Whether everything that was queued has been sent.
    pub(crate) fn is_flushed(&self) -> bool {
        self.out.is_empty()
    }

    /// Whether so much waits for the viewer that the host does not listen to it.
    pub(crate) fn is_overfull(&self) -> bool {
        self.out.len() > MOST_MESSAGE_BYTES
    }

    /// What the kernel shall tell about the socket.
    pub(crate) fn wanted(&self) -> Ready {
        Ready { read: !self.is_overfull(), write: !self.is_flushed() }
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

    /// Sends what is queued, as far as the socket takes it.
    pub(crate) fn flush(&mut self) -> Outlet {
        if self.outlet == Outlet::Closed {
            self.out = Vec::new();
            return Outlet::Closed;
        }
        if !self.out.is_empty() {
            match send(&self.stream, &[IoSlice::new(&self.out)]) {
                Sent::Bytes(sent) => drop(self.out.drain(..sent)),
                Sent::Full => {}
                Sent::Gone => return self.close(),
            }
            if !self.out.is_empty() {
                return self.fill();
            }
            self.out = Vec::new();
        }
        self.outlet = Outlet::Open;
        Outlet::Open
    }

    /// Sends a frame when nothing else is queued. What the socket does not take is kept: a frame that was begun must be
    /// ended.
    pub(crate) fn send_frame(&mut self, parts: &[IoSlice<'_>]) -> Outlet {
        let mut sent = match send(&self.stream, parts) {
            Sent::Bytes(sent) => sent,
            Sent::Full => 0,
            Sent::Gone => return self.close(),
        };
        for part in parts {
            let skipped = sent.min(part.len());
            sent -= skipped;
            self.out.extend_from_slice(&part[skipped..]);
        }
        if self.out.is_empty() { Outlet::Open } else { self.fill() }
    }

    /// Sends one message with descriptors, to a viewer that was sent nothing yet.
    pub(crate) fn send_with(&self, message: &HostMessage, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        let bytes = message.to_bytes();
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        ancillary.push(rustix::net::SendAncillaryMessage::ScmRights(descriptors));
        let sent = sendmsg(&self.stream, &[IoSlice::new(&bytes)], &mut ancillary, SendFlags::NOSIGNAL)?;
        if sent == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
    }

    /// Notes that the socket took less than it was given.
    fn fill(&mut self) -> Outlet {
        if self.outlet == Outlet::Open {
            self.outlet = Outlet::Full { since: Instant::now() };
        }
        self.outlet
    }

    /// Nothing more is sent. What the viewer said before is still read; behind it the end shows, and then it is let go.
    fn close(&mut self) -> Outlet {
        self.outlet = Outlet::Closed;
        self.out = Vec::new();
        // A viewer that waits for an answer nevertheless sees the end of the stream.
        let _ = self.stream.shutdown(Shutdown::Write);
        Outlet::Closed
    }
}

impl AsFd for Line {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_socket_keeps_the_time_since_when_it_is_full() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut line = Line::new(ours);
        let bytes = vec![b'x'; 8 << 20];
        let Outlet::Full { since } = line.send_frame(&[IoSlice::new(&bytes)]) else {
            panic!("a socket takes less than 8 MiB")
        };
        assert!(line.is_overfull());
        assert_eq!(line.wanted(), Ready { read: false, write: true });
        assert_eq!(line.flush(), Outlet::Full { since });
        drop(theirs);
        assert_eq!(line.flush(), Outlet::Closed);
        assert!(line.is_flushed(), "nothing is kept for a viewer that has gone");
        line.mention(b"?");
        assert_eq!(line.flush(), Outlet::Closed);
        assert!(line.is_flushed());
    }
}
