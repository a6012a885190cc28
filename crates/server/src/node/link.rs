//! A connection to a host, for a server that has many of them.
//!
//! It carries whole frames both ways. An idle link holds no buffer: all links of a thread share one for reading.

use std::cell::RefCell;
use std::io;

use home::WorkerDir;
use model::WorkerId;
use protocol::{Decoder, Frame, FrameError, HostMessage, MessageError, ViewerMessage};
use thiserror::Error;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use viewer::ReachError;

use super::Node;

/// One read takes this much: about as much as a socket holds, so that a flood costs few system calls.
pub(crate) const READ_BYTES: usize = 64 << 10;

thread_local! {
    static SCRATCH: RefCell<Box<[u8]>> = RefCell::new(vec![0; READ_BYTES].into());
}

/// A connection to a host.
#[derive(Debug)]
pub(crate) struct HostLink {
    reader: LinkReader,
    writer: LinkWriter,
}

/// The half of a link that receives the host's messages.
#[derive(Debug)]
pub(crate) struct LinkReader {
    stream: OwnedReadHalf,
    decoder: Decoder,
}

/// The half of a link that sends messages to the host. Dropping it detaches the viewer.
#[derive(Debug)]
pub(crate) struct LinkWriter {
    stream: OwnedWriteHalf,
}

/// Why a link cannot be used any more.
#[derive(Debug, Error)]
pub(crate) enum LinkError {
    /// The bytes are no frames.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// A frame is no message.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// The operating system reports an error.
    #[error("the connection to the host failed")]
    Io(#[from] io::Error),
}

impl Node {
    /// Connects to a worker's host.
    ///
    /// # Errors
    ///
    /// When no host listens, or when the host does not accept the connection within a few seconds.
    pub(crate) async fn link(&self, worker: WorkerId) -> Result<HostLink, ReachError> {
        HostLink::open(&self.0.home.worker(worker)).await
    }
}

impl HostLink {
    async fn open(dir: &WorkerDir) -> Result<HostLink, ReachError> {
        let path = dir.socket();
        let broken = |source: io::Error| ReachError::Connect { path: dir.socket(), source };
        // A stopped host may keep a connection waiting, and there is no asynchronous way to connect to a long path.
        let connected = tokio::task::spawn_blocking(move || viewer::connect(&path)).await;
        let stream = connected.map_err(|error| broken(io::Error::other(error)))??;
        stream.set_nonblocking(true).map_err(broken)?;
        Ok(HostLink::over(UnixStream::from_std(stream).map_err(broken)?))
    }

    fn over(stream: UnixStream) -> HostLink {
        let (read, write) = stream.into_split();
        let reader = LinkReader { stream: read, decoder: Decoder::default() };
        HostLink { reader, writer: LinkWriter { stream: write } }
    }

    /// Sends a message.
    ///
    /// # Errors
    ///
    /// When the host has closed the connection. Messages that it sent before can still be received.
    pub(crate) async fn send(&mut self, message: &ViewerMessage) -> io::Result<()> {
        self.writer.send(message).await
    }

    /// Receives the next message; `None` when the host has closed the connection. Dropping the future loses nothing.
    ///
    /// # Errors
    ///
    /// When the host does not speak the protocol.
    pub(crate) async fn receive(&mut self) -> Result<Option<HostMessage>, LinkError> {
        self.reader.receive().await
    }

    /// Splits the link into its two directions.
    pub(crate) fn split(self) -> (LinkReader, LinkWriter) {
        (self.reader, self.writer)
    }
}

impl LinkReader {
    /// Waits until bytes have come, and reads once; `false` when the host has closed the connection. Dropping the future
    /// loses nothing.
    ///
    /// # Errors
    ///
    /// When the operating system reports an error.
    pub(crate) async fn read_some(&mut self) -> io::Result<bool> {
        loop {
            self.stream.readable().await?;
            let read: io::Result<usize> = SCRATCH.with_borrow_mut(|scratch| {
                let read = self.stream.try_read(scratch)?;
                self.decoder.push(&scratch[..read]);
                Ok(read)
            });
            match read {
                Ok(read) => return Ok(read > 0),
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock => {}
                    // The kernel resets a connection that was closed before all sent bytes were read. That is a normal
                    // end too.
                    io::ErrorKind::ConnectionReset => return Ok(false),
                    _ => return Err(error),
                },
            }
        }
    }

    /// Takes a frame from the bytes that were read.
    ///
    /// # Errors
    ///
    /// When the bytes are no frames.
    pub(crate) fn next_frame(&mut self) -> Result<Option<Frame<'_>>, FrameError> {
        // Two steps, because a frame borrows the decoder, which is replaced when no bytes are left.
        if self.decoder.unfinished().is_empty() {
            self.decoder = Decoder::default();
            return Ok(None);
        }
        self.decoder.next_frame()
    }

    /// Takes a message from the bytes that were read. It skips frames of a kind that this program does not know.
    ///
    /// # Errors
    ///
    /// When the host does not speak the protocol.
    pub(crate) fn next_message(&mut self) -> Result<Option<HostMessage>, LinkError> {
        while let Some(frame) = self.next_frame()? {
            if let Some(message) = HostMessage::read(frame)? {
                return Ok(Some(message));
            }
        }
        Ok(None)
    }

    /// Receives the next message; `None` when the host has closed the connection. Dropping the future loses nothing.
    ///
    /// # Errors
    ///
    /// When the host does not speak the protocol.
    pub(crate) async fn receive(&mut self) -> Result<Option<HostMessage>, LinkError> {
        loop {
            if let Some(message) = self.next_message()? {
                return Ok(Some(message));
            }
            if !self.read_some().await? {
                return Ok(None);
            }
        }
    }
}

impl LinkWriter {
    /// The stream alone. Dropping it detaches the viewer.
    pub(crate) fn into_stream(self) -> OwnedWriteHalf {
        self.stream
    }

    /// Sends whole frames.
    ///
    /// # Errors
    ///
    /// When the host has closed the connection.
    pub(crate) async fn write(&mut self, frames: &[u8]) -> io::Result<()> {
        self.stream.write_all(frames).await
    }

    /// Sends a message.
    ///
    /// # Errors
    ///
    /// When the host has closed the connection.
    pub(crate) async fn send(&mut self, message: &ViewerMessage) -> io::Result<()> {
        self.write(&message.to_bytes()).await
    }
}

#[cfg(test)]
mod tests {
    use model::Offset;

    use super::*;

    #[tokio::test]
    async fn messages_come_in_order_however_they_are_cut() {
        let (ours, mut host) = UnixStream::pair().unwrap();
        let mut link = HostLink::over(ours);
        let output = |at: u64, bytes: &[u8]| HostMessage::Output { at: Offset(at), bytes: bytes.to_vec() };
        let messages = [output(0, b"one"), HostMessage::Pong(7), output(3, &[b'x'; 200_000])];
        let bytes: Vec<u8> = messages.iter().flat_map(HostMessage::to_bytes).collect();
        let sender = tokio::spawn(async move {
            for part in bytes.chunks(7001) {
                host.write_all(part).await.unwrap();
            }
            host
        });
        for message in messages {
            assert_eq!(link.receive().await.unwrap(), Some(message));
        }
        drop(sender.await.unwrap());
        assert_eq!(link.receive().await.unwrap(), None);
    }

    #[tokio::test]
    async fn frames_of_a_newer_host_are_passed_over() {
        let (ours, mut host) = UnixStream::pair().unwrap();
        let mut bytes = Vec::new();
        Frame { kind: 0x7f, payload: b"{}" }.write(&mut bytes);
        HostMessage::Pong(1).write(&mut bytes);
        host.write_all(&bytes).await.unwrap();
        assert_eq!(HostLink::over(ours).receive().await.unwrap(), Some(HostMessage::Pong(1)));
    }

    #[tokio::test]
    async fn what_is_no_frame_ends_the_link() {
        let (ours, mut host) = UnixStream::pair().unwrap();
        host.write_all(&[0x02, 0xff, 0xff, 0xff, 0xff]).await.unwrap();
        assert!(matches!(HostLink::over(ours).receive().await, Err(LinkError::Frame(_))));
    }
}
