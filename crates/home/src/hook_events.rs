//! What the hooks of the agent in a worker told: a file of bounded size in the worker's directory, a line for each event.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::private::private_dir;
use crate::worker_dir::WorkerDir;

/// When the file is larger, its lines are moved to an older file, in the place of that one.
const MOST_BYTES: u64 = 1 << 20;

/// The program that waits for an answer takes it within this time.
const TAKEN_WITHIN: Duration = Duration::from_secs(2);

/// What a hook of the agent told. Not masked: for programs, or for people through an exit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HookEvent {
    /// When.
    pub at: Timestamp,
    /// What stands for the question, if the agent waits for an answer to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The event, in the agent's own form.
    pub event: Value,
}

/// How far the events of a worker were read. An offset in the newest file, and which file that was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HookCursor {
    file: u64,
    offset: u64,
}

impl WorkerDir {
    fn hooks(&self) -> PathBuf {
        self.path().join("hooks")
    }

    fn hook_events_file(&self) -> PathBuf {
        self.hooks().join("events.jsonl")
    }

    /// The settings that the agent in the worker is given, so that it runs hooks of ours.
    pub fn hook_settings(&self) -> PathBuf {
        self.path().join("hook-settings.json")
    }

    /// The socket on which an answer to a question may come; nothing if the text stands for no question.
    pub fn hook_socket(&self, id: &str) -> Option<PathBuf> {
        let is_id = id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_id.then(|| self.hooks().join(id))
    }

    /// Makes the directory in which hooks leave events and wait for answers. Sockets of hooks that were killed go.
    ///
    /// # Errors
    ///
    /// When it cannot be made.
    pub fn make_hooks(&self) -> io::Result<()> {
        private_dir(&self.hooks()).map_err(io::Error::other)?;
        for entry in fs::read_dir(self.hooks())?.flatten() {
            let name = entry.file_name();
            if let Some(id) = name.to_str().filter(|name| self.hook_socket(name).is_some())
                && self
                    .connect_to_hook(id)
                    .is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
            {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }

    /// Leaves an event.
    ///
    /// # Errors
    ///
    /// When the disk refuses.
    pub fn leave_hook_event(&self, event: &HookEvent) -> io::Result<()> {
        let mut line = serde_json::to_vec(event)?;
        line.push(b'\n');
        loop {
            let mut file = self.lock_hook_events()?;
            if file.metadata()?.len() > MOST_BYTES {
                fs::rename(self.hook_events_file(), self.hooks().join("events.old.jsonl"))?;
                continue;
            }
            return file.write_all(&line);
        }
    }

    /// Opens the newest file, alone: several hooks of an agent may run at once.
    fn lock_hook_events(&self) -> io::Result<File> {
        use std::os::unix::fs::MetadataExt;
        private_dir(&self.hooks()).map_err(io::Error::other)?;
        loop {
            let path = self.hook_events_file();
            let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
            flock(&file, FlockOperation::LockExclusive)?;
            // Another hook may have moved it meanwhile.
            if fs::metadata(&path)
                .is_ok_and(|there| file.metadata().is_ok_and(|own| own.ino() == there.ino()))
            {
                return Ok(file);
            }
        }
    }

    /// The events since a cursor, oldest first, and the cursor behind them. When the file has changed, all of the newest.
    pub fn hook_events(&self, since: HookCursor) -> (Vec<HookEvent>, HookCursor) {
        self.read_hook_events(since).unwrap_or((Vec::new(), since))
    }

    fn read_hook_events(&self, since: HookCursor) -> io::Result<(Vec<HookEvent>, HookCursor)> {
        use std::os::unix::fs::MetadataExt;
        let mut file = File::open(self.hook_events_file())?;
        let number = file.metadata()?.ino();
        let is_same = number == since.file && since.offset <= file.metadata()?.len();
        let offset = if is_same { since.offset } else { 0 };
        file.seek(SeekFrom::Start(offset))?;
        let mut text = Vec::new();
        file.take(2 * MOST_BYTES).read_to_end(&mut text)?;
        // The last line may not be whole yet.
        let end = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let lines = text[..end].split(|&byte| byte == b'\n');
        let events = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
        Ok((events, HookCursor { file: number, offset: offset + end as u64 }))
    }

    /// Whether a hook still waits for an answer to this question.
    pub fn hook_waits(&self, id: &str) -> bool {
        self.connect_to_hook(id).is_ok()
    }

    /// Gives the answer to a question to the hook that waits for it.
    ///
    /// # Errors
    ///
    /// When it does not wait any more.
    pub fn answer_hook(&self, id: &str, answer: &Value) -> io::Result<()> {
        let mut stream = self.connect_to_hook(id)?;
        stream.write_all(&serde_json::to_vec(answer)?)?;
        stream.shutdown(std::net::Shutdown::Write)?;
        let mut taken = String::new();
        stream.read_to_string(&mut taken)?;
        if taken == "taken\n" { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Tells all hooks that wait for an answer that none is needed: the agent goes on. Does not wait for them.
    pub fn release_hooks(&self) {
        for entry in fs::read_dir(self.hooks()).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let waiting = name.to_str().and_then(|id| self.connect_to_hook(id).ok());
            if let Some(mut hook) = waiting {
                let _ = hook.write_all(b"{}");
            }
        }
    }

    fn connect_to_hook(&self, id: &str) -> io::Result<UnixStream> {
        let path = self.hook_socket(id).ok_or(io::ErrorKind::NotFound)?;
        let short = system::descriptors::ShortPath::of(&path)?;
        let stream = UnixStream::connect(short.as_path())?;
        stream.set_read_timeout(Some(TAKEN_WITHIN))?;
        stream.set_write_timeout(Some(TAKEN_WITHIN))?;
        Ok(stream)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(number: usize) -> HookEvent {
        HookEvent {
            at: Timestamp::UNIX_EPOCH,
            answer: None,
            event: json!({"number": number, "text": "x".repeat(4000)}),
        }
    }

    fn dir(root: &tempfile::TempDir) -> WorkerDir {
        let dir = WorkerDir::at(&root.path().join("k7f2m9qx")).expect("an id");
        dir.make().unwrap();
        dir
    }

    #[test]
    fn events_are_read_once_and_their_file_stays_small() {
        let root = tempfile::tempdir().unwrap();
        let dir = dir(&root);
        let mut cursor = HookCursor::default();
        let mut read = Vec::new();
        for number in 0..1000 {
            dir.leave_hook_event(&event(number)).unwrap();
            if number % 7 == 0 || number == 999 {
                let (events, next) = dir.hook_events(cursor);
                read.extend(events);
                cursor = next;
            }
        }
        // What a reader missed while the file was changed is old.
        assert!(read.len() > 980, "{}", read.len());
        assert_eq!(read.last(), Some(&event(999)));
        let sizes = fs::read_dir(dir.hooks()).unwrap().map(|file| file.unwrap().metadata().unwrap().len());
        assert!(sizes.sum::<u64>() < 3 * MOST_BYTES);
        assert_eq!(dir.hook_events(cursor).0, []);
    }

    #[test]
    fn half_a_line_is_read_when_it_is_whole() {
        let root = tempfile::tempdir().unwrap();
        let dir = dir(&root);
        dir.leave_hook_event(&event(1)).unwrap();
        let text = fs::read(dir.hook_events_file()).unwrap();
        fs::write(dir.hook_events_file(), &text[..text.len() / 2]).unwrap();
        let (none, cursor) = dir.hook_events(HookCursor::default());
        assert_eq!(none, []);
        fs::write(dir.hook_events_file(), &text).unwrap();
        assert_eq!(dir.hook_events(cursor).0, [event(1)]);
    }
}
