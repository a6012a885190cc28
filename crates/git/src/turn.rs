//! A repository that is ours to change for a while.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::GitError;
use crate::finish::settle;
use crate::git::Git;
use crate::intent::{self, Change, FORMAT, Intent};
use crate::locks::{self, Seat};
use crate::overruled::overruled;
use crate::settings::Mode;

/// How long we wait when another program holds one of git's locks: two seconds in all. Git holds them for
/// milliseconds; a lock that stays was left by a program that died, or belongs to a person's editor.
pub(crate) const PAUSES: [Duration; 6] = [
    Duration::from_millis(30),
    Duration::from_millis(70),
    Duration::from_millis(150),
    Duration::from_millis(350),
    Duration::from_millis(600),
    Duration::from_millis(800),
];

/// Git's command that writes the files of a new worktree.
pub(crate) const CHECKOUT: &str = "read-tree";

/// Our turn to change a repository's worktrees. No other abide process changes them until it is dropped.
pub(crate) struct Turn<'g> {
    pub(crate) git: &'g Git,
    /// Where git is run: the first worktree, which is never moved, or the bare repository.
    pub(crate) repo: PathBuf,
    pub(crate) common_dir: PathBuf,
    /// All settings in force, as git lists them.
    settings: Vec<u8>,
    intent: Option<PathBuf>,
    // In this order: other threads do not try before the lock is free.
    lock: Option<File>,
    _seat: Seat,
}

impl Git {
    /// Waits for our turn. What a killed process left half done in this repository is finished first.
    pub(crate) fn turn(&self, repo: &Path) -> Result<Turn<'_>, GitError> {
        let place = self.place(repo)?;
        let turn = self.turn_at(repo, place.common_dir)?;
        let left = turn.intent.as_deref().map(intent::read).transpose();
        let left = left.map_err(GitError::io("read the unfinished work in", &turn.common_dir))?;
        if let Some(left) = left.flatten() {
            settle(&turn, left)?;
        }
        Ok(turn)
    }

    /// Waits for our turn, and looks at nothing that may be left.
    pub(crate) fn turn_at(&self, repo: &Path, common_dir: PathBuf) -> Result<Turn<'_>, GitError> {
        let until = Instant::now() + self.deadline(Mode::Checkout);
        let stop = self.stop.as_ref();
        let seat = Seat::take(&common_dir, until, stop)?;
        let (lock, intent) = match &self.locks {
            None => (None, None),
            Some(directory) => {
                locks::make(directory)?;
                let file = directory.join(locks::key(&common_dir));
                let lock = locks::lock(&file.with_extension("lock"), &common_dir, until, stop)?;
                (Some(lock), Some(file.with_extension("json")))
            }
        };
        let first = self.worktrees(repo)?.into_iter().next();
        let repo =
            first.map(|first| first.path).filter(|path| path.is_dir()).unwrap_or_else(|| repo.to_owned());
        let settings = self.settings(&repo)?;
        Ok(Turn { git: self, repo, common_dir, settings, intent, lock, _seat: seat })
    }
}

impl Turn<'_> {
    /// Says what we are about to do.
    pub(crate) fn intend(&self, change: Change) -> Result<(), GitError> {
        let Some(path) = &self.intent else { return Ok(()) };
        let intent =
            Intent { format: FORMAT, repo: self.repo.clone(), common_dir: self.common_dir.clone(), change };
        intent::write(path, &intent).map_err(GitError::io("write", path))
    }

    /// Says that it is done, or undone.
    pub(crate) fn done(&self) -> Result<(), GitError> {
        let Some(path) = &self.intent else { return Ok(()) };
        intent::remove(path).map_err(GitError::io("remove", path))
    }

    /// Has git change something, patiently when another program holds a lock.
    pub(crate) fn change(&self, dir: &Path, args: &[&OsStr]) -> Result<(), GitError> {
        patiently(|| self.run(Mode::Change, dir, args))
    }

    /// Has git write the files of a new worktree.
    ///
    /// This takes long, so it can be asked to stop, and it locks nothing but the worktree's own index. `git worktree add`
    /// and `git reset` would lock refs that all worktrees share. A git that is told to end just when it has made a lock
    /// leaves it behind, and then no git can change the user's branches.
    pub(crate) fn write_files(&self, worktree: &Path) -> Result<(), GitError> {
        let args = [CHECKOUT, "--reset", "-u", "--quiet", "--no-recurse-submodules", "HEAD"];
        self.run(Mode::Checkout, worktree, &args.map(OsStr::new))
    }

    fn run(&self, mode: Mode, dir: &Path, args: &[&OsStr]) -> Result<(), GitError> {
        // Worktrees may have settings of their own.
        let overruled = if dir == self.repo {
            overruled(&self.settings, mode)?
        } else {
            self.git.overruled(mode, dir)?
        };
        self.git
            .call(mode, dir)
            .args(args)
            .overruling(overruled)
            .in_turn(self.lock.as_ref())
            .bytes()
            .map(drop)
    }

    /// Deletes a branch if it stands at this commit and is checked out nowhere.
    pub(crate) fn delete_branch(&self, branch: &str, commit: &str) -> Result<bool, GitError> {
        let full = format!("refs/heads/{branch}");
        if self.git.worktrees(&self.repo)?.iter().any(|listed| listed.branch.as_deref() == Some(branch)) {
            return Ok(false);
        }
        if self.git.commit(&self.repo, &full)?.as_deref() != Some(commit) {
            return Ok(false);
        }
        let delete = ["update-ref", "-d", "--end-of-options", &full, commit].map(OsStr::new);
        match self.change(&self.repo, &delete) {
            // Another process was quicker.
            Err(_) if self.git.commit(&self.repo, &full)?.as_deref() != Some(commit) => Ok(false),
            deleted => deleted.map(|()| true),
        }
    }
}

/// Waits a moment for other programs to let go of their locks. We never take one from them.
pub(crate) fn patiently<T>(mut attempt: impl FnMut() -> Result<T, GitError>) -> Result<T, GitError> {
    for pause in PAUSES {
        match attempt() {
            Err(GitError::Locked { .. }) => thread::sleep(pause),
            done => return done,
        }
    }
    attempt()
}
