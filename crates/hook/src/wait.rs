//! Waits for an answer to a question of the agent.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::time::Duration;

use home::WorkerDir;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

/// The program that answers writes its answer within this time.
const WRITES_WITHIN: Duration = Duration::from_secs(2);

/// No answer is larger.
const MOST_ANSWER_BYTES: u64 = 4 << 20;

/// A socket in the worker's directory, on which an answer may come. It goes when this is dropped.
pub(crate) struct Waiting {
    id: String,
    path: PathBuf,
    listener: UnixListener,
}

impl Waiting {
    /// Begins to listen; nothing if that is not possible. Then the question is answered in the terminal.
    pub(crate) fn begin(dir: &WorkerDir) -> Option<Waiting> {
        dir.make_hooks().ok()?;
        let id: [u8; 8] = home::random_bytes().ok()?;
        let id = format!("{:016x}", u64::from_be_bytes(id));
        let path = dir.hook_socket(&id)?;
        let listener = home::bind_socket(&path).ok()?;
        Some(Waiting { id, path, listener })
    }

    /// What stands for the question.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Waits for the answer; nothing once the agent does not want one any more: it closes the pipe to this program.
    pub(crate) fn answer(self) -> Option<String> {
        let out = std::io::stdout();
        loop {
            let mut ready =
                [PollFd::new(&self.listener, PollFlags::IN), PollFd::new(&out, PollFlags::empty())];
            match poll(&mut ready, None) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(_) => return None,
            }
            let closed = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
            let (asks, is_closed) = (!ready[0].revents().is_empty(), ready[1].revents().intersects(closed));
            if is_closed {
                return None;
            }
            if asks
                && let Ok((stream, _)) = self.listener.accept()
                && let Ok(answer) = take(stream)
            {
                return Some(answer);
            }
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Takes an answer, and says that it is taken. A program that connects and says nothing only looks whether someone waits.
fn take(mut stream: UnixStream) -> io::Result<String> {
    if !system::peers::is_this_user(&stream)? {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    stream.set_read_timeout(Some(WRITES_WITHIN))?;
    let mut answer = String::new();
    (&stream).take(MOST_ANSWER_BYTES).read_to_string(&mut answer)?;
    serde_json::from_str::<serde_json::Value>(&answer)?;
    // A program that only releases this one does not wait for that.
    let _ = stream.write_all(b"taken\n");
    Ok(answer)
}
