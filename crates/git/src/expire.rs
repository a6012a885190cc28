//! Removes worktrees from the trash for good.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::error::GitError;
use crate::git::Git;
use crate::intent::Change;
use crate::paths::{self, existing};
use crate::trash::note;
use crate::turn::Turn;

impl Git {
    /// Removes a worktree in the trash for good, and what git noted of it. The only function that deletes a person's
    /// work.
    ///
    /// # Errors
    ///
    /// When it is not in the trash, or cannot be removed.
    pub fn expire(&self, repo: &Path, trash: &Path) -> Result<(), GitError> {
        let turn = self.turn(repo)?;
        let path = match existing(trash) {
            Ok(path) => {
                let git_dir = turn.linked(&path)?;
                note(&git_dir).ok_or_else(|| GitError::NotInTrash { path: path.clone() })?;
                path
            }
            // The trash was emptied; git has still to forget the worktree.
            Err(GitError::Missing { .. }) => {
                let path = paths::free(trash)?;
                let listed = self.worktrees(&turn.repo)?.into_iter().find(|listed| listed.path == path);
                if listed.is_some_and(|listed| !listed.is_in_trash()) {
                    return Err(GitError::NotInTrash { path });
                }
                path
            }
            Err(error) => return Err(error),
        };
        turn.intend(Change::Expire { trash: path.clone() })?;
        turn.remove(&path)?;
        turn.done()
    }
}

impl Turn<'_> {
    pub(crate) fn remove(&self, trash: &Path) -> Result<(), GitError> {
        remove_tree(trash)?;
        self.forget(trash)
    }

    /// Has git forget a worktree whose directory is gone, and no other one.
    pub(crate) fn forget(&self, path: &Path) -> Result<(), GitError> {
        if !self.git.worktrees(&self.repo)?.iter().any(|listed| listed.path == path) {
            return Ok(());
        }
        let args = ["worktree", "remove", "--force", "--force", "--"].map(OsStr::new);
        let args: Vec<&OsStr> = args.into_iter().chain([path.as_os_str()]).collect();
        self.change(&self.repo, &args)
    }
}

/// Removes a directory with all that is in it, also if some of it was made read-only. Links are not followed.
pub(crate) fn remove_tree(path: &Path) -> Result<(), GitError> {
    let removed = match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            make_writable(path);
            fs::remove_dir_all(path)
        }
        removed => removed,
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(GitError::io("remove", path)),
    }
}

/// Makes directories writable as far as it can. The removal reports the rest.
fn make_writable(directory: &Path) {
    if fs::set_permissions(directory, fs::Permissions::from_mode(0o700)).is_err() {
        return;
    }
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_writable(&entry.path());
        }
    }
}
