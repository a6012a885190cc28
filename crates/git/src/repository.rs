//! The kind of repository at a path.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::branch_name::BranchName;
use crate::error::GitError;
use crate::git::Git;
use crate::paths::existing;

const BARE: &str = "--is-bare-repository";

/// A repository, as it is right now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The top of the worktree that was asked about, or the repository itself if it is bare; without links.
    pub path: PathBuf,
    /// The directory that all worktrees of the repository share; without links. Two paths with the same one are the
    /// same repository.
    pub common_dir: PathBuf,
    /// The branch that others begin at: what the remote says, or else `main`, `master` or the branch checked out.
    pub default_branch: Option<BranchName>,
    /// Whether it has no files of its own. Worktrees can be added to it all the same.
    pub bare: bool,
    /// Whether it has no commits. No worktree can be added to it.
    pub empty: bool,
    /// Whether its history is cut off somewhere.
    pub shallow: bool,
    /// Whether the path is in a linked worktree, not in the first one.
    pub linked: bool,
}

/// Where a directory is in a repository.
pub(crate) struct Place {
    /// What belongs to this worktree alone.
    pub(crate) git_dir: PathBuf,
    /// What all worktrees share.
    pub(crate) common_dir: PathBuf,
    /// The top of the worktree; none in a bare repository.
    pub(crate) top: Option<PathBuf>,
}

impl Git {
    /// Looks at the repository that a directory is in.
    ///
    /// # Errors
    ///
    /// When the directory is gone or in no repository, or git cannot or will not read it.
    pub fn inspect(&self, path: &Path) -> Result<Repository, GitError> {
        let place = self.place(path)?;
        let at = place.top.clone().unwrap_or_else(|| place.common_dir.clone());
        let shallow = self.look(&at).args(["rev-parse", "--is-shallow-repository"]).text()? == "true";
        let head = self.commit(&at, "HEAD")?;
        let first_ref = ["for-each-ref", "--count=1", "--format=%(refname)"];
        let empty = head.is_none() && self.look(&at).args(first_ref).bytes()?.is_empty();
        if head.is_none()
            && self.look(&at).args(["rev-parse", "--verify", "--quiet", "HEAD"]).maybe_text()?.is_some()
        {
            let reason = "HEAD names a commit that is not there".to_owned();
            return Err(GitError::Broken { reason });
        }
        Ok(Repository {
            default_branch: self.default_branch(&at)?,
            bare: place.top.is_none(),
            empty,
            shallow,
            linked: place.git_dir != place.common_dir,
            path: at,
            common_dir: place.common_dir,
        })
    }

    /// Where a directory is, and that it really is there: a `.git` that git passes over, or one that points elsewhere,
    /// would have us work on another repository than the one that a person sees.
    pub(crate) fn place(&self, path: &Path) -> Result<Place, GitError> {
        let path = existing(path)?;
        if !path.is_dir() {
            return Err(GitError::NotARepository { path });
        }
        let [git_dir, common_dir, bare] = match self.rev_parse(&path, ["--git-dir", "--git-common-dir", BARE])
        {
            Err(GitError::NotARepository { .. }) if has_git(&path) => return Err(passed_over(&path)),
            found => found?,
        };
        let (git_dir, common_dir) = (existing(&git_dir)?, existing(&common_dir)?);
        if bare == Path::new("true") {
            return Ok(Place { git_dir, common_dir, top: None });
        }
        let top = match self.rev_parse(&path, ["--show-toplevel"]) {
            Err(GitError::Bare { .. }) => return Err(GitError::NotARepository { path }),
            top => existing(&top?[0])?,
        };
        if !path.starts_with(&top) {
            let reason = "its settings put its files elsewhere (`core.worktree`)".to_owned();
            return Err(GitError::Broken { reason });
        }
        if let Some(between) = path.ancestors().take_while(|up| *up != top).find(|up| has_git(up)) {
            return Err(passed_over(between));
        }
        Ok(Place { git_dir, common_dir, top: Some(top) })
    }

    /// What `rev-parse` answers to each of these. Paths may have line breaks in them; then each is asked for alone.
    fn rev_parse<const N: usize>(&self, dir: &Path, asked: [&str; N]) -> Result<[PathBuf; N], GitError> {
        let ask =
            |asked: &[&str]| self.look(dir).args(["rev-parse", "--path-format=absolute"]).args(asked).path();
        let all = ask(&asked)?;
        let lines = all.as_os_str().as_bytes().split(|&byte| byte == b'\n');
        let lines: Vec<PathBuf> = lines.map(|line| OsStr::from_bytes(line).into()).collect();
        if let Ok(answers) = lines.try_into() {
            return Ok(answers);
        }
        let alone: Vec<PathBuf> = asked.iter().map(|asked| ask(&[asked])).collect::<Result<_, _>>()?;
        Ok(alone.try_into().expect("there is an answer to each"))
    }

    /// The commit that a revision of ours names: `HEAD`, or the full name of a ref or a commit.
    pub(crate) fn commit(&self, dir: &Path, revision: &str) -> Result<Option<String>, GitError> {
        let revision = format!("{revision}^{{commit}}");
        self.look(dir).args(["rev-parse", "--verify", "--quiet", "--end-of-options", &revision]).maybe_text()
    }

    /// The branch that HEAD is on, whether it has commits or not.
    pub(crate) fn branch_at(&self, dir: &Path) -> Result<Option<String>, GitError> {
        let full = self.look(dir).args(["symbolic-ref", "--quiet", "HEAD"]).maybe_text()?;
        Ok(full.and_then(|full| full.strip_prefix("refs/heads/").map(str::to_owned)))
    }

    pub(crate) fn default_branch(&self, dir: &Path) -> Result<Option<BranchName>, GitError> {
        let remote = ["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"];
        let remote = self.look(dir).args(remote).maybe_text()?;
        let remote = remote.as_deref().and_then(|full| full.strip_prefix("refs/remotes/origin/"));
        for name in remote.into_iter().chain(["main", "master"]) {
            if let Ok(name) = name.parse::<BranchName>()
                && self.commit(dir, &name.full())?.is_some()
            {
                return Ok(Some(name));
            }
        }
        Ok(self.branch_at(dir)?.and_then(|name| name.parse().ok()))
    }
}

fn has_git(path: &Path) -> bool {
    path.join(".git").symlink_metadata().is_ok()
}

fn passed_over(path: &Path) -> GitError {
    let path = crate::error::shown(path);
    GitError::Broken { reason: format!("git does not take `{path}/.git` for a repository") }
}
