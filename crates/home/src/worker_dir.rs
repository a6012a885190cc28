//! A worker's directory.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use model::WorkerId;
use rustix::fs::{FlockOperation, flock};

use crate::conversation::Conversation;
use crate::exit_note::ExitNote;
use crate::identity::Identity;
use crate::meta::Meta;
use crate::private::{PrivateError, lock_file, private_dir};

/// More than any identity takes.
const IDENTITY_BYTES: usize = 256;

/// How the names of directories begin that are being removed: like no id.
pub(crate) const REMOVED: &str = "removed-";

/// A process that still writes into a directory which is being removed is done by then.
const REMOVE_TRIES: u32 = 50;

/// A lock does not wake waiting processes, so we look again after this long.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// For so many milliseconds it may be empty.
const IDENTITY_TRIES: u32 = 50;

/// A worker's directory: 0700, named by the worker's id, with files of 0600.
#[derive(Clone, Debug)]
pub struct WorkerDir {
    path: PathBuf,
    id: WorkerId,
}

impl WorkerDir {
    pub(crate) fn new(path: PathBuf, id: WorkerId) -> WorkerDir {
        WorkerDir { path, id }
    }

    /// The directory at a path, whose last part is the worker's id.
    pub fn at(path: &Path) -> Option<WorkerDir> {
        let id = path.file_name()?.to_str()?.parse().ok()?;
        Some(WorkerDir { path: path.to_owned(), id })
    }

    /// Whose directory it is.
    pub fn id(&self) -> WorkerId {
        self.id
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The root it belongs to, if it lies where workers' directories do.
    pub fn root(&self) -> Option<&Path> {
        self.path.parent()?.parent()
    }

    /// Where the host listens.
    pub fn socket(&self) -> PathBuf {
        self.path.join("sock")
    }

    /// What the host has to say.
    pub fn log(&self) -> PathBuf {
        self.path.join("log")
    }

    /// Where the recording's segments are.
    pub fn recording(&self) -> PathBuf {
        self.path.join("recording")
    }

    /// Makes the directory.
    ///
    /// # Errors
    ///
    /// When it cannot be made or belongs to another user.
    pub fn make(&self) -> Result<(), PrivateError> {
        private_dir(&self.path)
    }

    /// The request with which the worker was started.
    ///
    /// # Errors
    ///
    /// When the file is missing or damaged.
    pub fn meta(&self) -> io::Result<Meta> {
        read_json(&self.path.join("meta.json"))
    }

    /// Writes the request to disk. A worker shall start before the disk is done, so a crash of the machine in the
    /// next seconds may take it along.
    ///
    /// # Errors
    ///
    /// When the disk refuses.
    pub fn write_meta(&self, meta: &Meta) -> io::Result<()> {
        files::create_private(&self.path.join("meta.json"), &json(meta)?).map(drop)
    }

    /// Who runs the worker, or ran it last.
    ///
    /// A host locks the file before it writes into it; a reader that comes in between waits a moment.
    pub fn identity(&self) -> Option<Identity> {
        let path = self.path.join("pid");
        let is_empty = || fs::metadata(&path).is_ok_and(|file| file.len() == 0);
        for _ in 0..IDENTITY_TRIES {
            if !is_empty() {
                break;
            }
            thread::sleep(Duration::from_millis(1));
        }
        read_json(&path).ok()
    }

    /// Writes down which process runs the worker: the one that holds its lock.
    ///
    /// # Errors
    ///
    /// When the disk refuses.
    pub fn write_identity(&self, lock: &File, identity: &Identity) -> io::Result<()> {
        let mut text = serde_json::to_vec(identity)?;
        // Always as long, and in one piece, so that no reader gets half of one and half of another.
        text.resize(IDENTITY_BYTES - 1, b' ');
        text.push(b'\n');
        lock.write_all_at(&text, 0)
    }

    /// How the worker ended, if it has and its host could say so.
    pub fn exit_note(&self) -> Option<ExitNote> {
        read_json(&self.path.join("exit.json")).ok()
    }

    /// Writes down how the worker ended.
    ///
    /// # Errors
    ///
    /// When the disk refuses.
    pub fn write_exit_note(&self, note: &ExitNote) -> io::Result<()> {
        files::replace_private(&self.path.join("exit.json"), &json(note)?)
    }

    /// The conversation that the agent in it had last, if that was noted.
    pub fn conversation(&self) -> Option<Conversation> {
        read_json(&self.path.join("conversation.json")).ok()
    }

    /// Notes the conversation of the agent in it.
    ///
    /// # Errors
    ///
    /// When the disk refuses.
    pub fn write_conversation(&self, conversation: &Conversation) -> io::Result<()> {
        files::replace_private(&self.path.join("conversation.json"), &json(conversation)?)
    }

    /// Takes the lock that the worker's host holds all its life, on its identity file; nothing if another process
    /// holds it.
    ///
    /// # Errors
    ///
    /// When the lock's file cannot be opened.
    pub fn try_lock(&self) -> io::Result<Option<File>> {
        let file = lock_file(&self.path.join("pid"))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(file)),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The same lock. If another process holds it for a moment, waits for it this long.
    ///
    /// # Errors
    ///
    /// When the lock's file cannot be opened.
    pub fn lock_within(&self, patience: Duration) -> io::Result<Option<File>> {
        let deadline = Instant::now() + patience;
        loop {
            match self.try_lock()? {
                None if Instant::now() < deadline => thread::sleep(LOOK_AGAIN),
                lock => return Ok(lock),
            }
        }
    }

    /// Removes the directory with everything in it. From the first moment on it is no worker's directory, even if a
    /// process should still write into it or should we be stopped.
    ///
    /// # Errors
    ///
    /// When the disk refuses.
    pub fn remove(&self) -> io::Result<()> {
        let gone = self.path.with_file_name(format!("{REMOVED}{}", self.id));
        match fs::rename(&self.path, &gone) {
            Ok(()) => remove_all(&gone),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(error),
            // One that cannot be renamed is removed where it is.
            Err(_) => remove_all(&self.path),
        }
    }
}

/// Removes a directory, again if a process put something into it meanwhile.
pub(crate) fn remove_all(dir: &Path) -> io::Result<()> {
    for _ in 0..REMOVE_TRIES {
        match fs::remove_dir_all(dir) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => thread::sleep(LOOK_AGAIN),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            removed => return removed,
        }
    }
    fs::remove_dir_all(dir)
}

fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> io::Result<T> {
    Ok(serde_json::from_slice(&fs::read(path)?)?)
}

fn json(value: &impl serde::Serialize) -> io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    Ok(text)
}
