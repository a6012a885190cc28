//! A worktree in three numbers, for a list.

use std::path::Path;

use crate::branch_name::BranchName;
use crate::error::GitError;
use crate::git::Git;
use crate::paths::existing;

/// How far a worktree is from where it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Commits that it has and the other does not.
    pub ahead: usize,
    /// Commits that the other has and it does not.
    pub behind: usize,
    /// Files with changes that no commit has.
    pub changed: usize,
}

impl Git {
    /// Compares a worktree with a branch of its repository, or with a commit.
    ///
    /// # Errors
    ///
    /// When it is gone, the other is not there, or git cannot read it.
    pub fn summary(&self, worktree: &Path, other: &str) -> Result<Summary, GitError> {
        let top = existing(worktree)?;
        let name: BranchName = other.parse()?;
        let commit = match self.commit(&top, &name.full())? {
            Some(commit) => Some(commit),
            None => self.commit(&top, name.as_str())?,
        };
        let commit = commit.ok_or_else(|| GitError::NoSuchRevision { name: other.to_owned() })?;
        let changed = self.status(&top)?.changed;
        if self.commit(&top, "HEAD")?.is_none() {
            return Ok(Summary { ahead: 0, behind: 0, changed });
        }
        let range = format!("HEAD...{commit}");
        let counts = self.look(&top).args(["rev-list", "--left-right", "--count", &range, "--"]).text()?;
        let mut counts = counts.split_whitespace().map(|count| count.parse().unwrap_or(0));
        let mut next = || counts.next().unwrap_or(0);
        Ok(Summary { ahead: next(), behind: next(), changed })
    }
}
