//! The steps on the way into the trash and out of it.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::error::GitError;
use crate::intent::Move;
use crate::links;
use crate::small_file;
use crate::trash::{NOTE, StaysDetached, TakenBack, Trashed, note};
use crate::turn::{Turn, patiently};

impl Turn<'_> {
    /// What git keeps of a linked worktree of this repository, in the repository.
    pub(crate) fn linked(&self, path: &Path) -> Result<PathBuf, GitError> {
        let not_one = || GitError::NotAWorktree { path: path.to_owned() };
        let place = match self.git.place(path) {
            Err(GitError::NotARepository { .. }) => return Err(not_one()),
            place => place?,
        };
        let is_top = place.top.as_deref() == Some(path);
        if !is_top || place.common_dir != self.common_dir || place.git_dir == place.common_dir {
            return Err(not_one());
        }
        // A copy of a worktree's directory says it were that worktree; git knows where the real one is.
        let back = place.git_dir.join("gitdir");
        let back = small_file::read(&back).map_err(GitError::io("read", &back))?;
        let back = place.git_dir.join(OsStr::from_bytes(&back));
        let is_real = fs::canonicalize(back).is_ok_and(|back| back == path.join(".git"));
        if is_real { Ok(place.git_dir) } else { Err(not_one()) }
    }

    /// Whether nothing prevents the move of a worktree.
    pub(crate) fn check_movable(&self, path: &Path, git_dir: &Path) -> Result<(), GitError> {
        for listed in self.git.worktrees(&self.repo)? {
            if listed.path != path && listed.path.starts_with(path) && listed.path.is_dir() {
                return Err(GitError::HasWorktrees { inside: listed.path });
            }
            if let Some(reason) = listed.locked.filter(|_| listed.path == path && note(git_dir).is_none()) {
                return Err(GitError::KeptByUser { path: path.to_owned(), reason });
            }
        }
        let lock = git_dir.join("index.lock");
        patiently(|| match lock.symlink_metadata() {
            Ok(_) => Err(GitError::Locked { path: lock.clone() }),
            Err(_) => Ok(()),
        })
    }

    /// The way into the trash, from its first step.
    pub(crate) fn throw_away(&self, way: &Move) -> Result<(), GitError> {
        self.unlock(&way.from, &way.git_dir)?;
        self.lock(&way.from, &way.trashed)?;
        self.detach(&way.from, &way.trashed)?;
        links::make_absolute(&way.from, &way.git_dir)?;
        links::rename(&way.from, &way.to)?;
        links::write_back(&way.git_dir, &way.to)
    }

    /// Puts the directory back to where it was, if it was moved.
    pub(crate) fn go_back(&self, way: &Move) -> Result<(), GitError> {
        if links::is_at(&way.to, &way.git_dir) {
            links::rename(&way.to, &way.from)?;
            links::write_back(&way.git_dir, &way.from)?;
        }
        Ok(())
    }

    /// Undoes the way into the trash, as long as the directory is not there.
    pub(crate) fn stay(&self, way: &Move) -> Result<(), GitError> {
        self.give_branch_back(&way.from, &way.trashed)?;
        self.unlock(&way.from, &way.git_dir)
    }

    /// Undoes the way out of the trash, once the directory is there again.
    pub(crate) fn stay_in_trash(&self, way: &Move) -> Result<(), GitError> {
        if note(&way.git_dir).is_none() {
            self.lock(&way.from, &way.trashed)?;
        }
        if self.git.branch_at(&way.from)? == way.trashed.branch {
            self.detach(&way.from, &way.trashed)?;
        }
        Ok(())
    }

    /// Completes the way out of the trash, once the directory is out of it.
    pub(crate) fn take_back(&self, way: &Move) -> Result<TakenBack, GitError> {
        links::write_back(&way.git_dir, &way.to)?;
        self.mend_submodules(&way.to, &way.trashed.from)?;
        let taken = self.give_branch_back(&way.to, &way.trashed)?;
        self.unlock(&way.to, &way.git_dir)?;
        Ok(taken)
    }

    /// Leaves the branch to others. Files and index stay as they are.
    fn detach(&self, worktree: &Path, trashed: &Trashed) -> Result<(), GitError> {
        let (Some(_), Some(head)) = (&trashed.branch, &trashed.head) else { return Ok(()) };
        let detach = ["update-ref", "--no-deref", "-m", "abide: to the trash", "--end-of-options"];
        // The commit stands there twice: HEAD is put there only if it still is there.
        let args: Vec<&OsStr> = detach.into_iter().chain(["HEAD", head, head]).map(OsStr::new).collect();
        self.change(worktree, &args)
    }

    fn give_branch_back(&self, worktree: &Path, trashed: &Trashed) -> Result<TakenBack, GitError> {
        let (Some(branch), Some(head)) = (&trashed.branch, &trashed.head) else {
            return Ok(TakenBack::AsItWas);
        };
        let there = self.git.branch_at(worktree)?;
        if there.as_ref() == Some(branch) {
            return Ok(TakenBack::AsItWas);
        }
        if let Some(why) = self.why_detached(worktree, there.is_some(), branch, head)? {
            return Ok(TakenBack::Detached(why));
        }
        let full = format!("refs/heads/{branch}");
        let args = ["symbolic-ref", "-m", "abide: back on its branch", "--end-of-options", "HEAD", &full];
        self.change(worktree, &args.map(OsStr::new))?;
        Ok(TakenBack::AsItWas)
    }

    fn why_detached(
        &self,
        worktree: &Path,
        is_on_another: bool,
        branch: &str,
        head: &str,
    ) -> Result<Option<StaysDetached>, GitError> {
        if is_on_another || self.git.commit(worktree, "HEAD")?.as_deref() != Some(head) {
            return Ok(Some(StaysDetached::WorktreeMoved));
        }
        match self.git.commit(&self.repo, &format!("refs/heads/{branch}"))? {
            None => return Ok(Some(StaysDetached::BranchGone)),
            Some(commit) if commit != head => return Ok(Some(StaysDetached::BranchMoved(commit))),
            Some(_) => {}
        }
        Ok(self.checked_out(branch)?.map(StaysDetached::BranchElsewhere))
    }

    /// Has git keep the worktree, even if its directory is gone, and remember what it was.
    fn lock(&self, worktree: &Path, trashed: &Trashed) -> Result<(), GitError> {
        let note = serde_json::to_string(trashed).expect("a note has nothing that JSON has not");
        let reason = format!("--reason={NOTE}{note}");
        let [command, verb, end] = ["worktree", "lock", "--"].map(OsStr::new);
        self.change(&self.repo, &[command, verb, OsStr::new(&reason), end, worktree.as_os_str()])
    }

    /// Removes our own lock, and no other one.
    fn unlock(&self, worktree: &Path, git_dir: &Path) -> Result<(), GitError> {
        if note(git_dir).is_none() {
            return Ok(());
        }
        let [command, verb, end] = ["worktree", "unlock", "--"].map(OsStr::new);
        self.change(&self.repo, &[command, verb, end, worktree.as_os_str()])
    }
}
