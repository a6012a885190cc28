//! The trash: worktrees that were removed, with everything in them, until they expire.
//!
//! A worktree in the trash is still one of the repository's, so nothing that it stands at is cleaned up. It is locked
//! in git, with a note on what it was, and its HEAD is detached, so that its branch is free for others.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::GitError;
use crate::git::Git;
use crate::intent::{Change, Move};
use crate::links;
use crate::path_text;
use crate::paths::{self, existing};
use crate::small_file;

/// How the reason of our lock begins; what it was follows as JSON.
pub(crate) const NOTE: &str = "in abide's trash: ";

/// What a worktree was before it came into the trash. Git keeps it too ([`Git::trashed`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trashed {
    /// Its branch; none if it was detached.
    pub branch: Option<String>,
    /// The commit it stood at; none before the first one.
    pub head: Option<String>,
    /// Where it was.
    #[serde(with = "path_text")]
    pub from: PathBuf,
    /// When it came into the trash.
    pub at: Timestamp,
}

/// How a worktree came back from the trash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TakenBack {
    /// As it was: on its branch, or detached if it was.
    AsItWas,
    /// Without its branch: it stands at its commit, detached.
    Detached(StaysDetached),
}

/// Why a worktree does not get its branch back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StaysDetached {
    /// The branch is gone.
    BranchGone,
    /// The branch has moved on to this commit.
    BranchMoved(String),
    /// The branch is checked out there.
    BranchElsewhere(PathBuf),
    /// The worktree was moved to another commit or branch while it was in the trash.
    WorktreeMoved,
}

impl Git {
    /// Moves a worktree to the trash, with everything that is in it: staged, not staged, not tracked, ignored; in the
    /// middle of a merge, with submodules.
    ///
    /// # Errors
    ///
    /// When it is gone, not a linked worktree of this repository, locked, or has other worktrees in it;
    /// when the trash is on another file system. It is where and as it was then.
    pub fn to_trash(&self, repo: &Path, worktree: &Path, trash: &Path) -> Result<Trashed, GitError> {
        let turn = self.turn(repo)?;
        let from = existing(worktree)?;
        let to = paths::free(trash)?;
        let git_dir = turn.linked(&from)?;
        turn.check_movable(&from, &git_dir)?;
        links::check_same_device(&from, &to)?;
        let trashed = Trashed {
            branch: self.branch_at(&from)?,
            head: self.commit(&from, "HEAD")?,
            from: from.clone(),
            at: Timestamp::now(),
        };
        let way = Move { from, to, git_dir, trashed };
        turn.intend(Change::ToTrash(way.clone()))?;
        match turn.throw_away(&way) {
            Ok(()) => {
                turn.done()?;
                Ok(way.trashed)
            }
            Err(error) => {
                // If this fails too, the intent stays, and the next turn tries again.
                if turn.go_back(&way).and_then(|()| turn.stay(&way)).is_ok() {
                    turn.done()?;
                }
                Err(error)
            }
        }
    }

    /// Takes a worktree back from the trash. It gets its branch back if that is still there, where it was, and checked
    /// out nowhere.
    ///
    /// # Errors
    ///
    /// When it is not there or not in the trash, the place is taken, or on another file system. It is still in the
    /// trash then.
    pub fn from_trash(
        &self,
        repo: &Path,
        trash: &Path,
        to: &Path,
        trashed: &Trashed,
    ) -> Result<TakenBack, GitError> {
        let turn = self.turn(repo)?;
        let from = existing(trash)?;
        let to = paths::free(to)?;
        let git_dir = turn.linked(&from)?;
        note(&git_dir).ok_or_else(|| GitError::NotInTrash { path: from.clone() })?;
        links::check_same_device(&from, &to)?;
        let way = Move { from, to, git_dir, trashed: trashed.clone() };
        turn.intend(Change::FromTrash(way.clone()))?;
        let moved =
            links::make_absolute(&way.from, &way.git_dir).and_then(|()| links::rename(&way.from, &way.to));
        match moved.and_then(|()| turn.take_back(&way)) {
            Ok(taken) => {
                turn.done()?;
                Ok(taken)
            }
            Err(error) => {
                if turn.go_back(&way).and_then(|()| turn.stay_in_trash(&way)).is_ok() {
                    turn.done()?;
                }
                Err(error)
            }
        }
    }

    /// What a worktree in the trash was, as git has it.
    ///
    /// # Errors
    ///
    /// When it is gone, or not in the trash.
    pub fn trashed(&self, trash: &Path) -> Result<Trashed, GitError> {
        let path = existing(trash)?;
        let place = self.place(&path)?;
        note(&place.git_dir).ok_or(GitError::NotInTrash { path })
    }
}

/// What our lock on a worktree says, if it is ours.
pub(crate) fn note(git_dir: &Path) -> Option<Trashed> {
    let reason = small_file::read(&git_dir.join("locked")).ok()?;
    serde_json::from_slice(reason.strip_prefix(NOTE.as_bytes())?).ok()
}
