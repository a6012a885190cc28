//! Branches: which there are, which name is free, and deleting one without new commits.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::branch_name::BranchName;
use crate::error::GitError;
use crate::git::Git;

/// More tasks than this do not have the same name.
const MOST_NUMBERED: u32 = 10_000;

/// A branch of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Its name.
    pub name: BranchName,
    /// The commit that it stands at.
    pub commit: String,
    /// The branch that it follows, such as `origin/main`.
    pub upstream: Option<String>,
    /// The worktree that it is checked out in.
    pub checked_out: Option<PathBuf>,
}

impl Git {
    /// The branches of a repository, by name. Those whose names are no text, or no names by git's own rules, are left
    /// out: a request could not name them.
    ///
    /// # Errors
    ///
    /// When git cannot read the repository.
    pub fn branches(&self, repo: &Path) -> Result<Vec<Branch>, GitError> {
        let format = "--format=%(refname)%00%(objectname)%00%(upstream)%00%(worktreepath)%00";
        let list = self.look(repo).args(["for-each-ref", format, "refs/heads/"]).bytes()?;
        let fields: Vec<&[u8]> = list.split(|&byte| byte == 0).collect();
        Ok(fields.chunks_exact(4).filter_map(branch).collect())
    }

    /// The wanted name, or else the first of `wanted-2`, `wanted-3` … that no branch has. If another branch leaves no
    /// room for its directories (`abide` for `abide/x`), it gets none.
    ///
    /// # Errors
    ///
    /// When git cannot read the repository, or all names are taken.
    pub fn free_branch(&self, repo: &Path, wanted: &BranchName) -> Result<BranchName, GitError> {
        let taken = self.branch_names(repo)?;
        let blocked = taken.iter().any(|there| is_directory_of(there, wanted.as_str()));
        let wanted = if blocked { wanted.flat() } else { wanted.clone() };
        let numbered = (2..MOST_NUMBERED).map(|number| wanted.numbered(number));
        let mut names = [wanted.clone()].into_iter().chain(numbered);
        let free = names.find(|name| !taken.iter().any(|there| is_in_the_way(there, name.as_str())));
        free.ok_or_else(|| GitError::BranchExists { branch: wanted.into() })
    }

    /// Deletes a branch if it still stands at this commit and is checked out nowhere; otherwise leaves it and says so
    /// with `false`.
    ///
    /// # Errors
    ///
    /// When git cannot read or change the repository.
    pub fn delete_branch_if_untouched(
        &self,
        repo: &Path,
        branch: &BranchName,
        base_commit: &str,
    ) -> Result<bool, GitError> {
        let turn = self.turn(repo)?;
        turn.delete_branch(branch.as_str(), base_commit)
    }

    /// A branch that leaves no room for one of this name.
    pub(crate) fn branch_in_the_way(
        &self,
        repo: &Path,
        name: &BranchName,
    ) -> Result<Option<String>, GitError> {
        Ok(self.branch_names(repo)?.into_iter().find(|there| is_in_the_way(there, name.as_str())))
    }

    fn branch_names(&self, repo: &Path) -> Result<Vec<String>, GitError> {
        let list =
            self.look(repo).args(["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/"]).bytes()?;
        Ok(String::from_utf8_lossy(&list).lines().map(str::to_owned).collect())
    }
}

/// Whether a branch takes the name, or a directory that the name needs, or is in the directory of this name. On some
/// file systems names that differ in case only are the same.
fn is_in_the_way(there: &str, name: &str) -> bool {
    there.eq_ignore_ascii_case(name) || is_directory_of(there, name) || is_directory_of(name, there)
}

fn is_directory_of(directory: &str, name: &str) -> bool {
    let (directory, name) = (directory.as_bytes(), name.as_bytes());
    name.get(directory.len()) == Some(&b'/') && name[..directory.len()].eq_ignore_ascii_case(directory)
}

fn branch(fields: &[&[u8]]) -> Option<Branch> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    // Git ends each entry with a line break, in every format.
    let full = fields[0].strip_prefix(b"\n").unwrap_or(fields[0]);
    let name = std::str::from_utf8(full).ok()?.strip_prefix("refs/heads/")?;
    let upstream = text(fields[2]);
    let upstream = upstream.strip_prefix("refs/remotes/").or(upstream.strip_prefix("refs/heads/"));
    Some(Branch {
        name: name.parse().ok()?,
        commit: text(fields[1]),
        upstream: upstream.map(str::to_owned),
        checked_out: Some(OsStr::from_bytes(fields[3])).filter(|path| !path.is_empty()).map(PathBuf::from),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_takes_its_name_its_directories_and_all_names_below_it() {
        for (there, name, expected) in [
            ("a", "a", true),
            ("A", "a", true),
            ("a", "a/b", true),
            ("a/b", "a", true),
            ("a/b", "a/c", false),
            ("ab", "a/b", false),
            ("é", "é/x", true),
        ] {
            assert_eq!(is_in_the_way(there, name), expected, "{there} {name}");
        }
    }
}
