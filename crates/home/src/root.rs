//! The root of everything abide keeps.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use model::WorkerId;
use rustix::fs::{FlockOperation, flock};
use thiserror::Error;

use crate::private::{PrivateError, lock_file, private_dir};
use crate::unborn;
use crate::worker_dir::{REMOVED, WorkerDir, remove_all};

/// The name of the server's socket in the data directory.
pub(crate) const SERVER_SOCKET: &str = "server.sock";

/// The shell of a user whose account names none.
const DEFAULT_SHELL: &str = "/bin/sh";

/// The root of everything abide keeps.
#[derive(Clone, Debug)]
pub struct Home {
    root: PathBuf,
}

/// Why there is no root.
#[derive(Debug, Error)]
pub enum HomeError {
    /// The environment does not say where it is.
    #[error("cannot find the data directory: none of ABIDE_HOME, XDG_DATA_HOME and HOME is set")]
    Nowhere,
    /// A variable does not hold an absolute path.
    #[error("{variable} is `{}`, which is not an absolute path", value.display())]
    Relative {
        /// The variable that says so.
        variable: &'static str,
        /// What it says.
        value: PathBuf,
    },
    /// It cannot be used.
    #[error(transparent)]
    Private(#[from] PrivateError),
}

impl Home {
    /// The root that the environment names: `ABIDE_HOME`, or `abide` in the user's data directory.
    ///
    /// # Errors
    ///
    /// When it names none, or no absolute path.
    pub fn find() -> Result<Home, HomeError> {
        let named = |variable: &'static str| {
            let value = env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
            match value {
                Some(value) if !value.is_absolute() => Err(HomeError::Relative { variable, value }),
                value => Ok(value),
            }
        };
        if let Some(root) = named("ABIDE_HOME")? {
            return Ok(Home { root });
        }
        // The specification says that a relative XDG_DATA_HOME is to be ignored.
        let data = named("XDG_DATA_HOME").unwrap_or(None);
        let data = match data {
            Some(data) => data,
            None => named("HOME")?.ok_or(HomeError::Nowhere)?.join(".local/share"),
        };
        Ok(Home { root: data.join("abide") })
    }

    /// A root that the caller names.
    pub fn at(root: impl Into<PathBuf>) -> Home {
        Home { root: root.into() }
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The file with the user's settings.
    pub fn config_file(&self) -> PathBuf {
        self.root.join("config.toml")
    }

    /// The file with the user's own rules on what is masked.
    pub fn mask_file(&self) -> PathBuf {
        self.root.join("masking.toml")
    }

    /// A file whose time says when abide last looked for recordings that are not sealed.
    pub fn sweep_mark(&self) -> PathBuf {
        self.root.join("swept")
    }

    /// Where the keeper listens.
    pub fn keeper_socket(&self) -> PathBuf {
        self.root.join("keeper.sock")
    }

    /// Whose lock says that a keeper runs.
    pub fn keeper_lock(&self) -> PathBuf {
        self.root.join("keeper.lock")
    }

    /// What the keeper has to say.
    pub fn keeper_log(&self) -> PathBuf {
        self.root.join("keeper.log")
    }

    /// The file in which the server says where it is.
    pub fn server_note(&self) -> PathBuf {
        self.root.join("server.json")
    }

    /// Where the server listens for programs of its user.
    pub fn server_socket(&self) -> PathBuf {
        self.root.join(SERVER_SOCKET)
    }

    /// The file whose lock says that a server runs.
    pub fn server_lock(&self) -> PathBuf {
        self.root.join("server.lock")
    }

    /// The file with the token of the server's owner.
    pub fn token_file(&self) -> PathBuf {
        self.root.join("token")
    }

    /// Where the pages are that lead browsers to links with one-time codes.
    pub fn sign_in_pages(&self) -> PathBuf {
        self.root.join("sign-in")
    }

    /// Makes the directories, and makes sure that they are the user's alone.
    ///
    /// # Errors
    ///
    /// When they cannot be made or belong to another user.
    pub fn make(&self) -> Result<(), HomeError> {
        private_dir(&self.root)?;
        private_dir(&self.workers_dir())?;
        Ok(())
    }

    /// Where the workers' directories are.
    pub fn workers_dir(&self) -> PathBuf {
        self.root.join("workers")
    }

    /// A worker's directory, whether it is there or not.
    pub fn worker(&self, id: WorkerId) -> WorkerDir {
        WorkerDir::new(self.workers_dir().join(id.as_str()), id)
    }

    /// The directories of all workers that are not removed, by id. What is no worker's directory is passed over.
    ///
    /// # Errors
    ///
    /// When the directory cannot be read.
    pub fn worker_dirs(&self) -> io::Result<Vec<WorkerDir>> {
        let entries = match fs::read_dir(self.workers_dir()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut ids: Vec<WorkerId> =
            entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
        ids.sort();
        Ok(ids.into_iter().map(|id| self.worker(id)).collect())
    }

    /// Removes what is left of workers whose removal was stopped half-way, and of those that a killed process was making
    /// from a file.
    ///
    /// # Errors
    ///
    /// When the disk refuses.
    pub fn finish_removals(&self) -> io::Result<()> {
        for entry in fs::read_dir(self.workers_dir()).into_iter().flatten() {
            let entry = entry?;
            if entry.file_name().to_str().is_some_and(|name| name.starts_with(REMOVED)) {
                remove_all(&entry.path())?;
            }
        }
        unborn::remove_left(self)
    }

    /// Held while a name is chosen, so that two workers never get the same.
    ///
    /// # Errors
    ///
    /// When the lock's file cannot be opened.
    pub(crate) fn lock_names(&self) -> io::Result<File> {
        let file = lock_file(&self.root.join("names.lock"))?;
        flock(&file, FlockOperation::LockExclusive)?;
        Ok(file)
    }
}

/// The user's shell, by `SHELL`.
pub fn login_shell() -> OsString {
    env::var_os("SHELL")
        .filter(|shell| Path::new(shell).is_absolute())
        .unwrap_or_else(|| DEFAULT_SHELL.into())
}
