//! Work in a worktree that exists nowhere else.

use std::path::{Path, PathBuf};

use crate::error::GitError;
use crate::git::Git;
use crate::paths::existing;
use crate::status::{MOST_PATHS, Status};

/// A person does not need the exact number beyond this.
const MOST_COMMITS: &str = "1000";

/// What would be lost if a worktree and its branch were gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Files with changes that are staged.
    pub staged: usize,
    /// Files with changes that are not staged.
    pub unstaged: usize,
    /// Files, or whole directories of them, that git does not track. Ignored ones do not count.
    pub untracked: usize,
    /// Files that a merge left in conflict.
    pub conflicts: usize,
    /// Whether there are more files than were counted.
    pub more: bool,
    /// The first few of these files, safe to show.
    pub paths: Vec<String>,
    /// Commits that no other branch, no tag and no remote has; at most a thousand are counted.
    pub commits: usize,
    /// What git is in the middle of.
    pub operation: Option<Operation>,
    /// Other worktrees inside this one.
    pub inside: Vec<PathBuf>,
}

/// Something that git does in several steps, with a person's help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Joining two branches.
    Merge,
    /// Putting commits on another base.
    Rebase,
    /// Taking over a commit.
    CherryPick,
    /// Taking back a commit.
    Revert,
    /// Searching for a commit.
    Bisect,
}

/// What git leaves in a worktree's own directory in the middle of something.
const MARKS: [(&str, Operation); 6] = [
    ("rebase-merge", Operation::Rebase),
    ("rebase-apply", Operation::Rebase),
    ("MERGE_HEAD", Operation::Merge),
    ("CHERRY_PICK_HEAD", Operation::CherryPick),
    ("REVERT_HEAD", Operation::Revert),
    ("BISECT_LOG", Operation::Bisect),
];

impl Work {
    /// Whether nothing would be lost but ignored files.
    pub fn is_nothing(&self) -> bool {
        *self == Work::default()
    }

    /// Whether there is something that no commit has.
    pub fn is_uncommitted(&self) -> bool {
        self.staged + self.unstaged + self.untracked + self.conflicts > 0 || self.more
    }

    /// Adds what is in a directory of the worktree.
    pub(crate) fn add(&mut self, status: Status, prefix: &str) {
        self.staged += status.staged;
        self.unstaged += status.unstaged;
        self.untracked += status.untracked;
        self.conflicts += status.conflicts;
        self.more |= status.more;
        let room = MOST_PATHS.saturating_sub(self.paths.len());
        self.paths.extend(status.paths.into_iter().take(room).map(|path| format!("{prefix}{path}")));
    }
}

impl Git {
    /// What is in a worktree, and on the branch that it is on, that is nowhere else; in its submodules too.
    ///
    /// # Errors
    ///
    /// When it is gone or no worktree, or git cannot read it.
    pub fn work(&self, worktree: &Path) -> Result<Work, GitError> {
        let top = existing(worktree)?;
        let place = self.place(&top)?;
        match &place.top {
            None => return Err(GitError::Bare { path: top }),
            Some(found) if *found != top => return Err(GitError::NotAWorktree { path: top }),
            Some(_) => {}
        }
        let mut work = Work { commits: self.commits_only_here(&top)?, ..Work::default() };
        work.add(self.status(&top)?, "");
        let mut marks = MARKS.into_iter().filter(|(name, _)| place.git_dir.join(name).exists());
        work.operation = marks.next().map(|(_, operation)| operation);
        let others = self.worktrees(&top)?.into_iter().map(|listed| listed.path);
        work.inside = others.filter(|path| *path != top && path.starts_with(&top) && path.is_dir()).collect();
        self.add_submodules(&top, &mut work)?;
        Ok(work)
    }

    fn commits_only_here(&self, top: &Path) -> Result<usize, GitError> {
        if self.commit(top, "HEAD")?.is_none() {
            return Ok(0);
        }
        let own = self.branch_at(top)?.map(|branch| format!("--exclude={branch}"));
        let others = own.as_deref().into_iter().chain(["--branches", "--tags", "--remotes"]);
        self.count_commits(top, ["HEAD", "--not"].into_iter().chain(others))
    }

    pub(crate) fn count_commits<'a>(
        &self,
        dir: &Path,
        revisions: impl IntoIterator<Item = &'a str>,
    ) -> Result<usize, GitError> {
        let count = ["rev-list", "--count", "--max-count", MOST_COMMITS];
        let count = self.look(dir).args(count).args(revisions).args(["--"]).text()?;
        Ok(count.parse().unwrap_or(0))
    }
}
