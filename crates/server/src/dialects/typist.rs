//! What a client types, on its way to the host.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use model::TermSize;
use protocol::ViewerMessage;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::time::timeout;

use super::replies::Replies;
use crate::link::LinkWriter;

/// What waits for a host that does not read. A host lets as much wait for its child.
const MOST_BYTES: usize = 1 << 20;

/// Messages that wait, however short.
const MOST_MESSAGES: usize = 256;

/// What could become a device reply waits so long for its rest. Emulators write a reply in one piece, so it is on its way
/// by then; and nobody notices that Escape takes as long.
const REST_OF_REPLY: Duration = Duration::from_millis(20);

/// A host that takes nothing for so long is stopped, and what was typed is lost.
const PATIENCE: Duration = Duration::from_secs(60);

/// Types into a worker, in the order in which it is told. When it is dropped, what it was told is typed first.
#[derive(Debug)]
pub(super) struct Typist {
    queue: mpsc::Sender<Job>,
    room: Arc<Semaphore>,
}

/// What was typed did not fit: the host takes nothing at the moment, or is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

#[derive(Debug)]
enum Job {
    /// Keys of a client, which may hold device replies, and the room that they take.
    Keys(Vec<u8>, OwnedSemaphorePermit),
    /// Bytes of our own making.
    Text(Vec<u8>),
    /// A size, and who wants to know when the host was told.
    Size(TermSize, Option<oneshot::Sender<()>>),
}

impl Typist {
    /// Types over a link's writing half, which it keeps open: whoever has a typist is attached.
    pub(super) fn new(writer: LinkWriter) -> Typist {
        let (queue, jobs) = mpsc::channel(MOST_MESSAGES);
        tokio::spawn(async move {
            if let Err(error) = work(writer, jobs).await {
                tracing::debug!(%error, "a host takes no more");
            }
        });
        Typist { queue, room: Arc::new(Semaphore::new(MOST_BYTES)) }
    }

    /// Types keys, when there is room for them.
    pub(super) async fn keys(&self, keys: Vec<u8>) {
        let room = Arc::clone(&self.room).acquire_many_owned(room_for(&keys)).await;
        let room = room.expect("the semaphore is never closed");
        // A typist that has stopped has lost its host, which the client is told otherwise.
        let _ = self.queue.send(Job::Keys(keys, room)).await;
    }

    /// Types keys if there is room for them.
    ///
    /// # Errors
    ///
    /// When there is none; nothing was typed.
    pub(super) fn try_keys(&self, keys: Vec<u8>) -> Result<(), Full> {
        let room = Arc::clone(&self.room).try_acquire_many_owned(room_for(&keys)).map_err(|_| Full)?;
        self.queue.try_send(Job::Keys(keys, room)).map_err(|_| Full)
    }

    /// Types text that is known to be harmless.
    pub(super) async fn text(&self, text: Vec<u8>) {
        let _ = self.queue.send(Job::Text(text)).await;
    }

    /// Gives the terminal a size.
    pub(super) async fn size(&self, size: TermSize) {
        let _ = self.queue.send(Job::Size(size, None)).await;
    }

    /// Gives the terminal a size, and says when the host was told.
    pub(super) async fn size_and_say(&self, size: TermSize, done: oneshot::Sender<()>) {
        let _ = self.queue.send(Job::Size(size, Some(done))).await;
    }

    /// Gives the terminal a size if there is room for that.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub(super) fn try_size(&self, size: TermSize) -> Result<(), Full> {
        self.queue.try_send(Job::Size(size, None)).map_err(|_| Full)
    }
}

fn room_for(keys: &[u8]) -> u32 {
    u32::try_from(keys.len().min(MOST_BYTES)).expect("a mebibyte is not that much")
}

async fn work(mut writer: LinkWriter, mut jobs: mpsc::Receiver<Job>) -> io::Result<()> {
    let mut replies = Replies::default();
    loop {
        let job = match replies.is_waiting() {
            false => jobs.recv().await,
            true => match timeout(REST_OF_REPLY, jobs.recv()).await {
                Ok(job) => job,
                Err(_) => {
                    type_keys(&mut writer, replies.release()).await?;
                    continue;
                }
            },
        };
        match job {
            Some(Job::Keys(keys, _room)) => type_keys(&mut writer, replies.pass(&keys)).await?,
            Some(Job::Text(text)) => type_keys(&mut writer, [replies.release(), text].concat()).await?,
            Some(Job::Size(size, done)) => {
                let mut frames = ViewerMessage::Resize(size).to_bytes();
                // Whoever changes its size wants to see it: the viewer that was active last owns the size.
                ViewerMessage::Focus.write(&mut frames);
                write(&mut writer, &frames).await?;
                if let Some(done) = done {
                    let _ = done.send(());
                }
            }
            None => return type_keys(&mut writer, replies.release()).await,
        }
    }
}

async fn type_keys(writer: &mut LinkWriter, keys: Vec<u8>) -> io::Result<()> {
    match keys.is_empty() {
        true => Ok(()),
        false => write(writer, &ViewerMessage::Input(keys).to_bytes()).await,
    }
}

async fn write(writer: &mut LinkWriter, frames: &[u8]) -> io::Result<()> {
    timeout(PATIENCE, writer.write(frames)).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

#[cfg(test)]
mod tests {
    use tokio::net::UnixStream;

    use protocol::Decoder;
    use tokio::io::AsyncReadExt;

    use super::*;
    use crate::link::HostLink;

    fn typist() -> (Typist, UnixStream, crate::link::LinkReader) {
        let (ours, host) = UnixStream::pair().unwrap();
        let (reader, writer) = HostLink::over(ours).split();
        (Typist::new(writer), host, reader)
    }

    /// Everything a host is told until the typist has gone.
    async fn told(mut host: UnixStream) -> Vec<ViewerMessage> {
        let mut bytes = Vec::new();
        host.read_to_end(&mut bytes).await.unwrap();
        let mut decoder = Decoder::default();
        decoder.push(&bytes);
        let mut messages = Vec::new();
        while let Some(frame) = decoder.next_frame().unwrap() {
            messages.extend(ViewerMessage::read(frame).unwrap());
        }
        messages
    }

    fn input(keys: &[u8]) -> ViewerMessage {
        ViewerMessage::Input(keys.to_vec())
    }

    #[tokio::test]
    async fn s15_keys_and_sizes_stay_in_order_and_replies_are_left_out() {
        let (typist, host, _reader) = typist();
        typist.keys(b"a\x1b[?1;2c".to_vec()).await;
        typist.size(TermSize::clamped(100, 30)).await;
        typist.keys(b"\x1b[0n".to_vec()).await;
        typist.keys(b"b".to_vec()).await;
        drop(typist);
        let size = ViewerMessage::Resize(TermSize::clamped(100, 30));
        assert_eq!(told(host).await, [input(b"a"), size, ViewerMessage::Focus, input(b"b")]);
    }

    #[tokio::test]
    async fn escape_alone_is_typed_soon() {
        let (typist, mut host, _reader) = typist();
        typist.keys(b"\x1b".to_vec()).await;
        let mut frame = [0; 6];
        host.read_exact(&mut frame).await.unwrap();
        assert_eq!(frame[..], input(b"\x1b").to_bytes());
        drop(typist);
    }

    #[tokio::test]
    async fn what_waits_is_typed_before_the_end() {
        let (typist, host, _reader) = typist();
        typist.keys(b"x\x1b".to_vec()).await;
        drop(typist);
        assert_eq!(told(host).await, [input(b"x"), input(b"\x1b")]);
    }

    #[tokio::test]
    async fn c7_what_waits_for_a_host_that_does_not_read_is_bounded() {
        let (typist, host, _reader) = typist();
        let taken = (0..100).take_while(|_| typist.try_keys(vec![b'x'; 64 << 10]).is_ok()).count();
        assert!((16..40).contains(&taken), "{taken}");
        drop(typist);
        let all: usize = told(host).await.iter().map(|message| message.to_bytes().len() - 5).sum();
        assert_eq!(all, taken * (64 << 10), "what was taken is typed");
    }
}
