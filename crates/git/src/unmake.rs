//! A worktree that was not made to its end: is it whole, and how does it go away again?

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::error::GitError;
use crate::expire::remove_tree;
use crate::intent::Add;
use crate::paths::DirectoryIdentity;
use crate::small_file;
use crate::turn::Turn;

/// Git's own lock on a worktree that it is still making.
const INITIALIZING: &[u8] = b"initializing";

/// Whether a worktree that was being made is complete: its files are written before its index is.
pub(crate) fn is_whole(turn: &Turn<'_>, add: &Add) -> Result<bool, GitError> {
    let place = match turn.git.place(&add.path) {
        Ok(place) => place,
        Err(GitError::Missing { .. } | GitError::NotARepository { .. } | GitError::Broken { .. }) => {
            return Ok(false);
        }
        Err(error) => return Err(error),
    };
    let is_ours = place.common_dir == turn.common_dir && place.top.as_deref() == Some(&add.path);
    if !is_ours || !place.git_dir.join("index").exists() {
        return Ok(false);
    }
    if is_initializing(&place.git_dir) {
        let [command, verb, end] = ["worktree", "unlock", "--"].map(OsStr::new);
        turn.change(&turn.repo, &[command, verb, end, add.path.as_os_str()])?;
    }
    Ok(true)
}

/// Takes back what making a worktree began: the directory, if it is the one that we made and did not report yet,
/// what git noted of it, and the branch, if it stands where we put it.
pub(crate) fn undo(turn: &Turn<'_>, add: &Add) -> Result<(), GitError> {
    if DirectoryIdentity::of(&add.path).is_ok_and(|directory| Some(directory) == add.directory) {
        remove_tree(&add.path)?;
    } else {
        // Not made, or made without our knowing which one it was: then nothing is in it.
        let _ = fs::remove_dir(&add.path);
    }
    if add.path.symlink_metadata().is_err() {
        turn.forget(&add.path)?;
        remove_unnamed(turn, &add.path)?;
    }
    if add.new_branch {
        turn.delete_branch(&add.branch, &add.base)?;
    }
    Ok(())
}

/// Removes what a git that was killed at its very first steps noted of a worktree. It says so little that git itself
/// neither lists nor removes it.
fn remove_unnamed(turn: &Turn<'_>, path: &Path) -> Result<(), GitError> {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let entries = fs::read_dir(turn.common_dir.join("worktrees")).into_iter().flatten().flatten();
    for entry in entries {
        let entry_name = entry.file_name();
        let number = entry_name.as_bytes().strip_prefix(name);
        let is_named_so = number.is_some_and(|number| number.iter().all(u8::is_ascii_digit));
        if is_named_so && is_hardly_begun(&entry.path()) {
            remove_tree(&entry.path())?;
        }
    }
    Ok(())
}

/// Whether git has only begun to note a worktree here. It makes the directory, then the lock, then writes the lock's
/// reason, and only then says where the worktree is.
fn is_hardly_begun(entry: &Path) -> bool {
    let names = fs::read_dir(entry).into_iter().flatten().flatten().map(|file| file.file_name());
    let has_only_a_lock = names.into_iter().all(|name| name == "locked");
    let reason = small_file::read(&entry.join("locked")).unwrap_or_default();
    let has_begun_the_rest = entry.join("gitdir").exists();
    !has_begun_the_rest && (reason == INITIALIZING || reason.is_empty() && has_only_a_lock)
}

fn is_initializing(git_dir: &Path) -> bool {
    small_file::read(&git_dir.join("locked")).is_ok_and(|reason| reason == INITIALIZING)
}
