//! A worktree's directory and what git keeps of it point to each other; moving one means putting that right.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::error::GitError;
use crate::small_file;

/// How the `.git` of a worktree begins; a path follows.
const LINK: &[u8] = b"gitdir: ";

/// Where the `.git` of a worktree or a submodule points to, from `from` on if it is relative.
pub(crate) fn target(link: &Path, from: &Path) -> Option<PathBuf> {
    let text = small_file::read(link).ok()?;
    Some(from.join(OsStr::from_bytes(text.strip_prefix(LINK)?)))
}

/// Whether this directory is the worktree that git keeps in `git_dir`.
pub(crate) fn is_at(worktree: &Path, git_dir: &Path) -> bool {
    let target = target(&worktree.join(".git"), worktree);
    target.and_then(|target| fs::canonicalize(target).ok()).is_some_and(|target| target == git_dir)
}

/// Has a worktree's directory point to what git keeps of it by its whole path; a relative one would lead elsewhere
/// from another place.
pub(crate) fn make_absolute(worktree: &Path, git_dir: &Path) -> Result<(), GitError> {
    let link = worktree.join(".git");
    let is_absolute = target(&link, Path::new("")).is_some_and(|target| target.is_absolute());
    if is_absolute { Ok(()) } else { write(&link, git_dir) }
}

/// Writes the `.git` of a worktree or a submodule.
pub(crate) fn write(link: &Path, git_dir: &Path) -> Result<(), GitError> {
    let text = [LINK, git_dir.as_os_str().as_bytes(), b"\n"].concat();
    small_file::replace(link, &text).map_err(GitError::io("write", link))
}

/// Has what git keeps of a worktree point back to its directory. `git worktree repair` would do that too, and to all
/// other worktrees as well.
pub(crate) fn write_back(git_dir: &Path, worktree: &Path) -> Result<(), GitError> {
    let (file, link) = (git_dir.join("gitdir"), worktree.join(".git"));
    let text = [link.as_os_str().as_bytes(), b"\n"].concat();
    small_file::replace(&file, &text).map_err(GitError::io("write", &file))
}

/// Whether a directory can be moved without copying.
pub(crate) fn check_same_device(from: &Path, to: &Path) -> Result<(), GitError> {
    let device =
        |path: &Path| fs::metadata(path).map(|found| found.dev()).map_err(GitError::io("look at", path));
    let parent = to.parent().unwrap_or(to);
    if device(from)? == device(parent)? { Ok(()) } else { Err(cross_device(from, to)) }
}

fn cross_device(from: &Path, to: &Path) -> GitError {
    GitError::CrossDevice { from: from.to_owned(), to: to.to_owned() }
}

/// Moves a directory to where nothing is.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), GitError> {
    let moved = match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Not every file system knows how not to replace. An empty directory is all that could be replaced there.
        Err(Errno::INVAL | Errno::NOSYS) => fs::rename(from, to),
        moved => moved.map_err(io::Error::from),
    };
    moved.map_err(|error| match error.kind() {
        io::ErrorKind::CrossesDevices => cross_device(from, to),
        io::ErrorKind::AlreadyExists => GitError::PathTaken { path: to.to_owned() },
        _ => GitError::io("move", from)(error),
    })
}
