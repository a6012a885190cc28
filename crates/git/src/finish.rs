//! Completes or undoes a change that a killed process left half done.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::add::{self, MadeWorktree};
use crate::error::GitError;
use crate::git::Git;
use crate::intent::{self, Change, Intent};
use crate::links::{self, is_at};
use crate::trash::{TakenBack, Trashed};
use crate::turn::Turn;
use crate::unmake;

/// A change that was half done, and how it was finished.
#[derive(Debug)]
pub enum Finished {
    /// A worktree is made: it was whole already.
    Added(MadeWorktree),
    /// A worktree is not made: what there was of it is gone.
    NotAdded {
        /// Where it would have been.
        path: PathBuf,
        /// The branch that it would have been on.
        branch: String,
    },
    /// A worktree is in the trash.
    InTrash {
        /// Where in the trash.
        trash: PathBuf,
        /// What it was.
        trashed: Trashed,
    },
    /// A worktree is not in the trash: it is where and as it was.
    NotInTrash {
        /// Where it is.
        worktree: PathBuf,
    },
    /// A worktree is back from the trash.
    TakenBack {
        /// Where it is.
        worktree: PathBuf,
        /// How it came back.
        taken: TakenBack,
    },
    /// A worktree is still in the trash.
    NotTakenBack {
        /// Where in the trash.
        trash: PathBuf,
    },
    /// A worktree is gone for good.
    Expired {
        /// Where it was in the trash.
        trash: PathBuf,
    },
    /// A worktree was about to be moved, and is neither here nor there: another program has moved or removed it.
    Gone {
        /// Where it was.
        from: PathBuf,
        /// Where it should have been.
        to: PathBuf,
    },
    /// Something is still half done.
    Stuck {
        /// The repository, or what we know of it.
        repository: PathBuf,
        /// Why.
        error: GitError,
    },
}

impl Git {
    /// Completes or undoes everything that a killed process left half done in the directory given with
    /// [`Git::with_locks`]. It waits for a change that is under way.
    pub fn finish(&self) -> Vec<Finished> {
        let Some(directory) = &self.locks else { return Vec::new() };
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        paths.sort();
        paths.iter().filter_map(|path| self.finish_one(path)).collect()
    }

    fn finish_one(&self, path: &Path) -> Option<Finished> {
        let first = match intent::read(path) {
            Ok(intent) => intent?,
            Err(error) => {
                // Its meaning is lost; it must not stop later turns.
                if error.kind() == io::ErrorKind::InvalidData {
                    let _ = fs::rename(path, path.with_extension("unreadable"));
                }
                let error = GitError::io("read", path)(error);
                return Some(Finished::Stuck { repository: path.to_owned(), error });
            }
        };
        let repository = first.repo.clone();
        let finished = self.turn_at(&first.repo, first.common_dir).and_then(|turn| {
            // While we waited, another process may have finished it.
            let left = intent::read(path).map_err(GitError::io("read", path))?;
            left.map(|intent| settle(&turn, intent)).transpose()
        });
        finished.unwrap_or_else(|error| Some(Finished::Stuck { repository, error }))
    }
}

/// Looks at how far a change came, and completes or undoes it.
pub(crate) fn settle(turn: &Turn<'_>, intent: Intent) -> Result<Finished, GitError> {
    let finished = match intent.change {
        Change::Add(add) if unmake::is_whole(turn, &add)? => Finished::Added(add::made(add)?),
        Change::Add(add) => {
            unmake::undo(turn, &add)?;
            Finished::NotAdded { path: add.path, branch: add.branch }
        }
        Change::ToTrash(way) if is_at(&way.to, &way.git_dir) => {
            links::write_back(&way.git_dir, &way.to)?;
            Finished::InTrash { trash: way.to, trashed: way.trashed }
        }
        Change::ToTrash(way) if is_at(&way.from, &way.git_dir) => {
            turn.stay(&way)?;
            Finished::NotInTrash { worktree: way.from }
        }
        Change::FromTrash(way) if is_at(&way.to, &way.git_dir) => {
            let taken = turn.take_back(&way)?;
            Finished::TakenBack { worktree: way.to, taken }
        }
        Change::FromTrash(way) if is_at(&way.from, &way.git_dir) => {
            // It may have been on its way back to the trash.
            links::write_back(&way.git_dir, &way.from)?;
            turn.stay_in_trash(&way)?;
            Finished::NotTakenBack { trash: way.from }
        }
        Change::ToTrash(way) | Change::FromTrash(way) => Finished::Gone { from: way.from, to: way.to },
        Change::Expire { trash } => {
            turn.remove(&trash)?;
            Finished::Expired { trash }
        }
    };
    turn.done()?;
    Ok(finished)
}
