//! Repositories inside a worktree. We never fetch one; we only look at those that are there, and keep them working
//! when their worktree moves.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use crate::error::{GitError, shown};
use crate::git::Git;
use crate::links;
use crate::turn::Turn;
use crate::work::Work;

/// Deeper ones do not occur in earnest.
const DEEPEST: usize = 6;
/// More than the largest projects have.
const MOST: usize = 500;

impl Git {
    /// Adds the work in submodules: what is not committed in them, and commits that none of their remotes has.
    pub(crate) fn add_submodules(&self, top: &Path, work: &mut Work) -> Result<(), GitError> {
        let mut to_look = vec![(top.to_owned(), 0)];
        let mut looked = 0;
        while let Some((outer, depth)) = to_look.pop() {
            for path in self.submodules(&outer)? {
                let inner = outer.join(&path);
                // A path through a link leads to something that is not inside.
                let is_there = self.place(&inner).is_ok_and(|place| place.top.as_deref() == Some(&inner));
                if !is_there || looked == MOST {
                    continue;
                }
                looked += 1;
                let name = shown(inner.strip_prefix(top).unwrap_or(&inner));
                work.add(self.status(&inner)?, &format!("{name}/"));
                if self.commit(&inner, "HEAD")?.is_some() {
                    work.commits +=
                        self.count_commits(&inner, ["HEAD", "--branches", "--not", "--remotes"])?;
                }
                if depth + 1 < DEEPEST {
                    to_look.push((inner, depth + 1));
                }
            }
        }
        Ok(())
    }

    /// Where in a worktree other repositories are, by its index. They need not be there.
    fn submodules(&self, top: &Path) -> Result<BTreeSet<PathBuf>, GitError> {
        let mut paths = BTreeSet::new();
        self.look(top).args(["ls-files", "--stage", "-z"]).each(&mut |entry| {
            if entry.starts_with(b"160000 ")
                && let Some(tab) = entry.iter().position(|&byte| byte == b'\t')
            {
                let path = PathBuf::from(OsStr::from_bytes(&entry[tab + 1..]));
                if path.components().all(|part| matches!(part, Component::Normal(_))) {
                    paths.insert(path);
                }
            }
        })?;
        Ok(paths)
    }
}

impl Turn<'_> {
    /// Submodules know their place by relative paths. In a worktree that came back to another place than it was in,
    /// these are put right.
    pub(crate) fn mend_submodules(&self, now: &Path, before: &Path) -> Result<(), GitError> {
        let mut to_mend = vec![(now.to_owned(), before.to_owned(), 0)];
        while let Some((now, before, depth)) = to_mend.pop() {
            if now == before || depth == DEEPEST {
                continue;
            }
            for path in self.git.submodules(&now)? {
                let (inner, inner_before) = (now.join(&path), before.join(&path));
                if self.mend(&inner, &inner_before)? {
                    to_mend.push((inner, inner_before, depth + 1));
                }
            }
        }
        Ok(())
    }

    /// Puts the two links of one submodule right; says whether there is one.
    fn mend(&self, now: &Path, before: &Path) -> Result<bool, GitError> {
        let link = now.join(".git");
        let is_inside = fs::canonicalize(now).is_ok_and(|real| real == now);
        let is_file = link.symlink_metadata().is_ok_and(|found| found.is_file());
        if !is_inside || !is_file {
            return Ok(is_inside && link.is_dir());
        }
        let Some(target) = links::target(&link, before) else { return Ok(false) };
        let git_dir = worked_out(&target);
        // Only what git keeps for this repository is ours to put right.
        if !git_dir.starts_with(&self.common_dir) || !git_dir.is_dir() {
            return Ok(false);
        }
        links::write(&link, &git_dir)?;
        let config = git_dir.join("config");
        let args = ["config", "--file"].map(OsStr::new).into_iter().chain([config.as_os_str()]);
        let args: Vec<&OsStr> = args.chain([OsStr::new("core.worktree"), now.as_os_str()]).collect();
        self.change(&self.repo, &args)?;
        Ok(true)
    }
}

/// The path with `..` worked out by name: what it leads through is no longer there.
fn worked_out(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}
