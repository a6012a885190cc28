//! Sends a client's input to the host.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use model::TermSize;
use protocol::ViewerMessage;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::time::timeout;

use crate::Replies;

/// How many bytes may wait for a host that does not read. A host lets as many wait for its child.
const MOST_BYTES: usize = 1 << 20;

/// How many messages may wait.
const MOST_MESSAGES: usize = 256;

/// How long bytes that could become a device reply wait for the rest. Emulators write a reply in one piece, so the rest
/// comes sooner. And people do not notice that Escape takes as long.
const REST_OF_REPLY: Duration = Duration::from_millis(20);

/// How long a host may read nothing. Then the typist stops, and the waiting input is lost.
const PATIENCE: Duration = Duration::from_secs(60);

/// Types into a worker, in order. When it is dropped, it first types the input that waits.
#[derive(Debug)]
pub struct Typist {
    queue: mpsc::Sender<Job>,
    room: Arc<Semaphore>,
}

/// The input did not fit: the host reads nothing at the moment, or has gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

#[derive(Debug)]
enum Job {
    /// Keys of a client, which may contain device replies, and their share of the waiting bytes.
    Keys(Vec<u8>, OwnedSemaphorePermit),
    /// Text that abide made itself.
    Text(Vec<u8>),
    /// A size, and the channel that reports when the host got it.
    Size(TermSize, Option<oneshot::Sender<()>>),
}

impl Typist {
    /// Makes a typist on the writing half of a connection to a host. The typist keeps the connection open, so the
    /// client stays attached.
    pub fn new(writer: impl AsyncWrite + Unpin + Send + 'static) -> Typist {
        let (queue, jobs) = mpsc::channel(MOST_MESSAGES);
        tokio::spawn(async move {
            if let Err(error) = work(writer, jobs).await {
                tracing::debug!(%error, "cannot write to a host");
            }
        });
        Typist { queue, room: Arc::new(Semaphore::new(MOST_BYTES)) }
    }

    /// Types keys. Waits until they fit.
    pub async fn keys(&self, keys: Vec<u8>) {
        let room = Arc::clone(&self.room).acquire_many_owned(room_for(&keys)).await;
        let room = room.expect("the semaphore is never closed");
        // A stopped typist has lost its host. The client learns that from the reading half.
        let _ = self.queue.send(Job::Keys(keys, room)).await;
    }

    /// Types keys if they fit.
    ///
    /// # Errors
    ///
    /// When they do not fit. Nothing was typed.
    pub fn try_keys(&self, keys: Vec<u8>) -> Result<(), Full> {
        let room = Arc::clone(&self.room).try_acquire_many_owned(room_for(&keys)).map_err(|_| Full)?;
        self.queue.try_send(Job::Keys(keys, room)).map_err(|_| Full)
    }

    /// Types text that is known to be harmless.
    pub async fn text(&self, text: Vec<u8>) {
        let _ = self.queue.send(Job::Text(text)).await;
    }

    /// Gives the terminal a size.
    pub async fn size(&self, size: TermSize) {
        let _ = self.queue.send(Job::Size(size, None)).await;
    }

    /// Gives the terminal a size, and reports when the host got it.
    pub async fn size_and_say(&self, size: TermSize, done: oneshot::Sender<()>) {
        let _ = self.queue.send(Job::Size(size, Some(done))).await;
    }

    /// Gives the terminal a size if the message fits.
    ///
    /// # Errors
    ///
    /// When it does not fit.
    pub fn try_size(&self, size: TermSize) -> Result<(), Full> {
        self.queue.try_send(Job::Size(size, None)).map_err(|_| Full)
    }
}

fn room_for(keys: &[u8]) -> u32 {
    u32::try_from(keys.len().min(MOST_BYTES)).expect("a mebibyte fits")
}

async fn work(mut writer: impl AsyncWrite + Unpin, mut jobs: mpsc::Receiver<Job>) -> io::Result<()> {
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
                // Also make this viewer the active one, because the viewer that was active last owns the size.
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

async fn type_keys(writer: &mut (impl AsyncWrite + Unpin), keys: Vec<u8>) -> io::Result<()> {
    match keys.is_empty() {
        true => Ok(()),
        false => write(writer, &ViewerMessage::Input(keys).to_bytes()).await,
    }
}

async fn write(writer: &mut (impl AsyncWrite + Unpin), frames: &[u8]) -> io::Result<()> {
    timeout(PATIENCE, writer.write_all(frames)).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

#[cfg(test)]
mod tests {
    use protocol::Decoder;
    use tokio::io::AsyncReadExt;
    use tokio::net::UnixStream;
    use tokio::net::unix::OwnedReadHalf;

    use super::*;

    fn typist() -> (Typist, UnixStream, OwnedReadHalf) {
        let (ours, host) = UnixStream::pair().unwrap();
        let (reader, writer) = ours.into_split();
        (Typist::new(writer), host, reader)
    }

    /// All messages that a host gets until the typist has gone.
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
    async fn s15_keys_and_sizes_stay_in_order_and_replies_are_removed() {
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
    async fn waiting_keys_are_typed_before_the_typist_ends() {
        let (typist, host, _reader) = typist();
        typist.keys(b"x\x1b".to_vec()).await;
        drop(typist);
        assert_eq!(told(host).await, [input(b"x"), input(b"\x1b")]);
    }

    #[tokio::test]
    async fn c7_the_input_that_waits_for_a_host_is_bounded() {
        let (typist, host, _reader) = typist();
        let taken = (0..100).take_while(|_| typist.try_keys(vec![b'x'; 64 << 10]).is_ok()).count();
        assert!((16..40).contains(&taken), "{taken}");
        drop(typist);
        let all: usize = told(host).await.iter().map(|message| message.to_bytes().len() - 5).sum();
        assert_eq!(all, taken * (64 << 10), "all accepted keys are typed");
    }
}
