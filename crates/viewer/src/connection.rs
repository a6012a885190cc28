//! One connection to a host: messages in, messages out.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use protocol::{
    Decoder, FrameError, HEADER_BYTES, HostMessage, MAX_PAYLOAD_BYTES, MessageError, ViewerMessage,
};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};

use crate::ask::ANSWER_WITHIN;
use crate::socket::{self, ReachError};

/// How much one read takes: about what a socket holds, so that a flood costs few system calls.
const READ_BYTES: usize = 64 << 10;

/// A connection to a host.
///
/// Messages arrive in the order in which the host sent them. Frames of a kind that this program does not know are
/// passed over. Whether the stream blocks makes no difference.
#[derive(Debug)]
pub struct Connection {
    stream: UnixStream,
    decoder: Decoder,
    buffer: Box<[u8]>,
}

/// Why a connection is of no more use.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// The host has closed the connection, and nothing can be said to it. What it said before may still be received.
    #[error("the host closed the connection")]
    Closed,
    /// The message is longer than a frame may be; nothing of it was sent.
    #[error("a message of {0} bytes is longer than the {MAX_PAYLOAD_BYTES} that a frame holds")]
    TooLong(usize),
    /// The bytes are no frames.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// A frame is no message.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// The operating system says no.
    #[error("the connection to the host failed")]
    Io(#[from] io::Error),
}

/// What came before a deadline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    /// A message.
    Message(HostMessage),
    /// The end: the host closed the connection.
    Closed,
    /// Nothing whole.
    Late,
}

/// What one read found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadSome {
    /// Bytes; perhaps they complete a message.
    Bytes,
    /// Nothing for now.
    NotYet,
    /// The end: the host closed the connection.
    Closed,
}

impl Connection {
    /// Connects to the socket at `path`, however long the path is.
    ///
    /// # Errors
    ///
    /// When no process listens there, or the host does not accept the connection within a few seconds.
    pub fn open(path: &Path) -> Result<Connection, ReachError> {
        Ok(Connection::from_stream(socket::reach(path, ANSWER_WITHIN)?))
    }

    /// Speaks over a stream that is already connected.
    pub fn from_stream(stream: UnixStream) -> Connection {
        Connection { stream, decoder: Decoder::default(), buffer: vec![0; READ_BYTES].into() }
    }

    /// Sends a message, and waits until the socket has taken all of it.
    ///
    /// # Errors
    ///
    /// When the host has closed the connection, or the message fits no frame.
    pub fn send(&mut self, message: &ViewerMessage) -> Result<(), ConnectionError> {
        let bytes = message.to_bytes();
        let length = bytes.len() - HEADER_BYTES;
        if length > MAX_PAYLOAD_BYTES {
            return Err(ConnectionError::TooLong(length));
        }
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            match rustix::net::send(&self.stream, rest, SendFlags::NOSIGNAL) {
                Ok(sent) => rest = &rest[sent..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    self.wait(PollFlags::OUT, None)?;
                }
                Err(Errno::PIPE | Errno::CONNRESET) => return Err(ConnectionError::Closed),
                Err(error) => return Err(io::Error::from(error).into()),
            }
        }
        Ok(())
    }

    /// The next message, for which it waits; nothing when the host has closed the connection.
    ///
    /// # Errors
    ///
    /// When what comes is not the protocol.
    pub fn receive(&mut self) -> Result<Option<HostMessage>, ConnectionError> {
        match self.receive_until(None)? {
            Received::Message(message) => Ok(Some(message)),
            Received::Closed | Received::Late => Ok(None),
        }
    }

    /// The next message, if it comes before `deadline`. What has come already is never late.
    ///
    /// # Errors
    ///
    /// When what comes is not the protocol.
    pub fn receive_before(&mut self, deadline: Instant) -> Result<Received, ConnectionError> {
        self.receive_until(Some(deadline))
    }

    /// A message that has been read already, without a system call.
    ///
    /// # Errors
    ///
    /// When what came is not the protocol.
    pub fn buffered(&mut self) -> Result<Option<HostMessage>, ConnectionError> {
        while let Some(frame) = self.decoder.next_frame()? {
            if let Some(message) = HostMessage::read(frame)? {
                return Ok(Some(message));
            }
        }
        Ok(None)
    }

    /// Reads once, without waiting, for a caller that polls by itself and then takes all that is [buffered].
    ///
    /// [buffered]: Connection::buffered
    ///
    /// # Errors
    ///
    /// When the operating system says no.
    pub fn read_some(&mut self) -> Result<ReadSome, ConnectionError> {
        let read = rustix::io::retry_on_intr(|| {
            rustix::net::recv(&self.stream, &mut self.buffer[..], RecvFlags::DONTWAIT)
        });
        match read {
            // The kernel resets a connection that is closed before everything sent was read: an end like any other.
            Ok((0, _)) | Err(Errno::CONNRESET) => Ok(ReadSome::Closed),
            Ok((length, _)) => {
                self.decoder.push(&self.buffer[..length]);
                Ok(ReadSome::Bytes)
            }
            Err(Errno::AGAIN) => Ok(ReadSome::NotYet),
            Err(error) => Err(io::Error::from(error).into()),
        }
    }

    fn receive_until(&mut self, deadline: Option<Instant>) -> Result<Received, ConnectionError> {
        loop {
            if let Some(message) = self.buffered()? {
                return Ok(Received::Message(message));
            }
            match self.read_some()? {
                ReadSome::Bytes => {}
                ReadSome::Closed => return Ok(Received::Closed),
                ReadSome::NotYet => {
                    if !self.wait(PollFlags::IN, deadline)? {
                        return Ok(Received::Late);
                    }
                }
            }
        }
    }

    /// Whether the stream became ready before the deadline.
    fn wait(&self, events: PollFlags, deadline: Option<Instant>) -> io::Result<bool> {
        let mut polled = [PollFd::new(&self.stream, events)];
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            match rustix::event::poll(&mut polled, left.map(timespec).as_ref()) {
                Ok(ready) => return Ok(ready > 0),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn timespec(duration: Duration) -> Timespec {
    // Only a deadline beyond all time does not fit.
    Timespec::try_from(duration).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 })
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::thread;

    use model::Offset;
    use protocol::Frame;

    use super::*;

    /// A connection, and the host's end of it.
    fn pair() -> (Connection, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        (Connection::from_stream(ours), theirs)
    }

    fn output(at: u64, bytes: &[u8]) -> HostMessage {
        HostMessage::Output { at: Offset(at), bytes: bytes.to_vec() }
    }

    fn in_no_time() -> Instant {
        Instant::now() + Duration::from_millis(20)
    }

    #[test]
    fn messages_come_in_order_however_they_are_cut() {
        let (mut connection, mut host) = pair();
        let messages = [output(0, b"one"), HostMessage::Pong(7), output(3, &[b'x'; 200_000])];
        let bytes: Vec<u8> = messages.iter().flat_map(HostMessage::to_bytes).collect();
        let sender = thread::spawn(move || bytes.chunks(7001).for_each(|part| host.write_all(part).unwrap()));
        for message in messages {
            assert_eq!(connection.receive().unwrap(), Some(message));
        }
        sender.join().unwrap();
        assert_eq!(connection.receive().unwrap(), None);
        assert_eq!(connection.receive_before(in_no_time()).unwrap(), Received::Closed);
    }

    #[test]
    fn frames_of_a_newer_host_are_skipped() {
        let (mut connection, mut host) = pair();
        let mut bytes = Vec::new();
        Frame { kind: 0x7f, payload: b"{}" }.write(&mut bytes);
        HostMessage::Pong(1).write(&mut bytes);
        host.write_all(&bytes).unwrap();
        assert_eq!(connection.receive().unwrap(), Some(HostMessage::Pong(1)));
    }

    #[test]
    fn half_a_message_times_out_and_is_returned_when_it_is_complete() {
        let (mut connection, mut host) = pair();
        assert_eq!(connection.receive_before(in_no_time()).unwrap(), Received::Late);
        let bytes = HostMessage::Pong(5).to_bytes();
        host.write_all(&bytes[..4]).unwrap();
        assert_eq!(connection.receive_before(in_no_time()).unwrap(), Received::Late);
        host.write_all(&bytes[4..]).unwrap();
        assert_eq!(connection.receive_before(in_no_time()).unwrap(), Received::Message(HostMessage::Pong(5)));
    }

    #[test]
    fn a_message_that_has_arrived_is_returned_even_after_the_deadline() {
        let (mut connection, mut host) = pair();
        host.write_all(&HostMessage::Pong(5).to_bytes()).unwrap();
        let past = Instant::now();
        assert_eq!(connection.receive_before(past).unwrap(), Received::Message(HostMessage::Pong(5)));
    }

    #[test]
    fn a_caller_that_polls_reads_once_and_takes_all_that_came() {
        let (mut connection, mut host) = pair();
        assert_eq!(connection.read_some().unwrap(), ReadSome::NotYet);
        host.write_all(&[HostMessage::Pong(1).to_bytes(), HostMessage::Pong(2).to_bytes()].concat()).unwrap();
        assert_eq!(connection.buffered().unwrap(), None);
        assert_eq!(connection.read_some().unwrap(), ReadSome::Bytes);
        assert_eq!(connection.buffered().unwrap(), Some(HostMessage::Pong(1)));
        assert_eq!(connection.buffered().unwrap(), Some(HostMessage::Pong(2)));
        assert_eq!(connection.buffered().unwrap(), None);
        drop(host);
        assert_eq!(connection.read_some().unwrap(), ReadSome::Closed);
    }

    #[test]
    fn a_long_message_is_sent_whole_even_if_the_stream_does_not_block() {
        let (mut connection, mut host) = pair();
        connection.stream.set_nonblocking(true).unwrap();
        let message = ViewerMessage::Input(vec![b'x'; MAX_PAYLOAD_BYTES]);
        let expected = message.to_bytes();
        let reader = thread::spawn(move || {
            let mut bytes = Vec::new();
            host.read_to_end(&mut bytes).unwrap();
            bytes
        });
        connection.send(&message).unwrap();
        drop(connection);
        assert_eq!(reader.join().unwrap(), expected);
    }

    #[test]
    fn a_message_too_long_for_a_frame_is_not_sent() {
        let (mut connection, _host) = pair();
        let message = ViewerMessage::Input(vec![b'x'; MAX_PAYLOAD_BYTES + 1]);
        assert!(matches!(connection.send(&message), Err(ConnectionError::TooLong(_))));
    }

    #[test]
    fn the_last_message_of_a_host_that_is_gone_is_received() {
        let (mut connection, mut host) = pair();
        connection.send(&ViewerMessage::Focus).unwrap();
        host.write_all(&HostMessage::Returned.to_bytes()).unwrap();
        // What the host did not read makes the kernel reset the connection.
        drop(host);
        assert!(matches!(connection.send(&ViewerMessage::Focus), Err(ConnectionError::Closed)));
        assert_eq!(connection.receive().unwrap(), Some(HostMessage::Returned));
        assert_eq!(connection.receive().unwrap(), None);
    }

    #[test]
    fn bytes_that_are_no_frames_are_an_error() {
        let (mut connection, mut host) = pair();
        host.write_all(b"HTTP/1.1 400 Bad Request\r\n").unwrap();
        assert!(matches!(connection.receive(), Err(ConnectionError::Frame(_))));
    }
}
