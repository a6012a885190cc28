//! Making a worktree, whole or not at all.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::branch_name::BranchName;
use crate::error::GitError;
use crate::git::Git;
use crate::intent::{Add, Change};
use crate::paths::{self, DirectoryIdentity};
use crate::turn::Turn;
use crate::unmake::undo;

/// A worktree to be made.
#[derive(Clone, Debug)]
pub struct NewWorktree {
    /// Where. Nothing may be there, and its parent must be.
    pub path: PathBuf,
    /// On which branch.
    pub branch: WorktreeBranch,
}

/// The branch of a new worktree.
#[derive(Clone, Debug)]
pub enum WorktreeBranch {
    /// One that is not there yet.
    New {
        /// Its name.
        name: BranchName,
        /// Where it begins: a branch, a branch of a remote, a tag or a commit; without one, where the repository's
        /// first worktree stands.
        base: Option<String>,
    },
    /// One that is there, and is checked out nowhere.
    Existing(BranchName),
}

/// A worktree that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeWorktree {
    /// Where; without links.
    pub path: PathBuf,
    /// Its branch.
    pub branch: BranchName,
    /// The commit that the branch stood at.
    pub base_commit: String,
    /// Whether the branch was made for it.
    pub new_branch: bool,
}

impl Git {
    /// Makes a worktree: a directory with the files of a branch. Hooks do not run, submodules are not fetched. If it
    /// fails, or is killed and finished later, neither directory nor branch stay.
    ///
    /// # Errors
    ///
    /// When a name or the place is taken, there is nothing to begin at, or git fails.
    pub fn add_worktree(&self, repo: &Path, new: &NewWorktree) -> Result<MadeWorktree, GitError> {
        let turn = self.turn(repo)?;
        let path = paths::free(&new.path)?;
        let mut add = match &new.branch {
            WorktreeBranch::New { name, base } => {
                name.check_new()?;
                let base = turn.base_commit(base.as_deref())?;
                if let Some(branch) = self.branch_in_the_way(&turn.repo, name)? {
                    return Err(GitError::BranchExists { branch });
                }
                Add { path, branch: name.as_str().to_owned(), base, new_branch: true, directory: None }
            }
            WorktreeBranch::Existing(name) => {
                let base = turn.commit_of_free_branch(name)?;
                Add { path, branch: name.as_str().to_owned(), base, new_branch: false, directory: None }
            }
        };
        turn.intend(Change::Add(add.clone()))?;
        match turn.make(&mut add) {
            Ok(()) => {
                turn.done()?;
                made(add)
            }
            Err(error) => {
                // If this fails too, the intent stays, and the next turn tries again.
                if undo(&turn, &add).is_ok() {
                    turn.done()?;
                }
                Err(error)
            }
        }
    }
}

pub(crate) fn made(add: Add) -> Result<MadeWorktree, GitError> {
    let Add { path, branch, base, new_branch, .. } = add;
    Ok(MadeWorktree { path, branch: branch.parse()?, base_commit: base, new_branch })
}

impl Turn<'_> {
    fn base_commit(&self, base: Option<&str>) -> Result<String, GitError> {
        let Some(name) = base else {
            if let Some(head) = self.git.commit(&self.repo, "HEAD")? {
                return Ok(head);
            }
            let branch = self.git.default_branch(&self.repo)?;
            let commit =
                branch.map(|branch| self.git.commit(&self.repo, &branch.full())).transpose()?.flatten();
            return commit.ok_or_else(|| GitError::Empty { path: self.repo.clone() });
        };
        if name != "HEAD" {
            name.parse::<BranchName>()?;
        }
        // A branch before a tag of the same name: it is what people mean.
        let full =
            ["refs/heads/", "refs/remotes/", "refs/tags/"].map(|directory| format!("{directory}{name}"));
        let is_id = name.len() >= 7 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        for revision in full.iter().map(String::as_str).chain((is_id || name == "HEAD").then_some(name)) {
            if let Some(commit) = self.git.commit(&self.repo, revision)? {
                return Ok(commit);
            }
        }
        Err(GitError::NoSuchRevision { name: name.to_owned() })
    }

    fn commit_of_free_branch(&self, name: &BranchName) -> Result<String, GitError> {
        let branch = || name.as_str().to_owned();
        let commit = self.git.commit(&self.repo, &name.full())?;
        let commit = commit.ok_or_else(|| GitError::NoSuchBranch { branch: branch() })?;
        match self.checked_out(name.as_str())? {
            Some(path) => Err(GitError::BranchElsewhere { branch: branch(), path }),
            None => Ok(commit),
        }
    }

    /// The worktree that a branch is checked out in.
    pub(crate) fn checked_out(&self, branch: &str) -> Result<Option<PathBuf>, GitError> {
        let mut listed = self.git.worktrees(&self.repo)?.into_iter();
        Ok(listed.find(|listed| listed.branch.as_deref() == Some(branch)).map(|listed| listed.path))
    }

    fn make(&self, add: &mut Add) -> Result<(), GitError> {
        fs::create_dir(&add.path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => GitError::PathTaken { path: add.path.clone() },
            _ => GitError::io("make", &add.path)(error),
        })?;
        add.directory = Some(DirectoryIdentity::of(&add.path).map_err(GitError::io("look at", &add.path))?);
        self.intend(Change::Add(add.clone()))?;
        if add.new_branch {
            let full = format!("refs/heads/{}", add.branch);
            // With an empty old value git makes the branch only if it is not there.
            self.change(
                &self.repo,
                &["update-ref", "--end-of-options", &full, &add.base, ""].map(OsStr::new),
            )?;
        }
        // Quietly: if we are killed, no process reads its output, and git would end at its first word.
        let [command, verb, empty, quiet, end] =
            ["worktree", "add", "--no-checkout", "--quiet", "--"].map(OsStr::new);
        let (path, branch) = (add.path.as_os_str(), OsStr::new(&add.branch));
        self.change(&self.repo, &[command, verb, empty, quiet, end, path, branch])?;
        self.write_files(&add.path)
    }
}
