//! An intent: a change that we are about to make. It is on disk from before the change until the change is done.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::path_text;
use crate::paths::DirectoryIdentity;
use crate::trash::Trashed;

/// The format of an intent. Another release may have left one in another format.
pub(crate) const FORMAT: u32 = 1;

/// A change that has several steps. There is at most one for each repository, because changes take turns.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Intent {
    pub(crate) format: u32,
    /// Where git is run.
    #[serde(with = "path_text")]
    pub(crate) repo: PathBuf,
    #[serde(with = "path_text")]
    pub(crate) common_dir: PathBuf,
    pub(crate) change: Change,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Change {
    Add(Add),
    ToTrash(Move),
    FromTrash(Move),
    #[serde(rename_all = "camelCase")]
    Expire {
        #[serde(with = "path_text")]
        trash: PathBuf,
    },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Add {
    #[serde(with = "path_text")]
    pub(crate) path: PathBuf,
    pub(crate) branch: String,
    pub(crate) base: String,
    /// Whether the branch was not there before.
    pub(crate) new_branch: bool,
    /// The directory that we made, so that we never take another one for it.
    pub(crate) directory: Option<DirectoryIdentity>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Move {
    #[serde(with = "path_text")]
    pub(crate) from: PathBuf,
    #[serde(with = "path_text")]
    pub(crate) to: PathBuf,
    /// What git keeps of this worktree in the repository.
    #[serde(with = "path_text")]
    pub(crate) git_dir: PathBuf,
    pub(crate) trashed: Trashed,
}

/// What every format has.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

fn invalid(error: serde_json::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// Reads an intent; none if there is none.
///
/// # Errors
///
/// When there is one that cannot be read.
pub(crate) fn read(path: &Path) -> io::Result<Option<Intent>> {
    match fs::read(path) {
        Ok(bytes) => {
            let Format { format } = serde_json::from_slice(&bytes).map_err(invalid)?;
            if format != FORMAT {
                let words = format!("it has format {format}, of another release of abide");
                return Err(io::Error::new(io::ErrorKind::Unsupported, words));
            }
            Ok(Some(serde_json::from_slice(&bytes).map_err(invalid)?))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Puts an intent on disk, whole or not at all, before this returns.
///
/// # Errors
///
/// When the disk refuses.
pub(crate) fn write(path: &Path, intent: &Intent) -> io::Result<()> {
    files::replace_private(path, &serde_json::to_vec(intent)?)
}

/// Takes an intent away: it is done, or undone.
///
/// # Errors
///
/// When the disk refuses.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => files::sync_parent(path),
    }
}
