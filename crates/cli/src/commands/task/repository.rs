//! The repository that a task is for.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use api::{Repository, Worktree};
use client::Client;
use model::RepositoryId;

use crate::failure::Failure;
use crate::named::the_one;

/// The registered repository that a word means: a name, an id or a directory; without a word, that of the current
/// directory.
///
/// # Errors
///
/// When there is none.
pub(super) fn find(server: &Client, word: Option<&str>) -> Result<Repository, Failure> {
    let mut repositories = server.repositories()?;
    let directory = match word {
        Some(word) if !is_path(word) => return the_one(repositories, word),
        Some(word) => Path::new(word).to_owned(),
        None => env::current_dir()
            .context("the current directory no longer exists")
            .map_err(|error| Failure::from(error).hint("name the repository with `--repo`"))?,
    };
    let shown = model::display_safe(&directory.to_string_lossy());
    let directory = directory
        .canonicalize()
        .with_context(|| format!("cannot look at `{shown}`"))
        .map_err(|error| Failure::from(error).hint("name a directory that exists"))?;
    let id = around(&directory, &repositories, &server.worktrees()?);
    match id.and_then(|id| repositories.iter().position(|repository| repository.id == id)) {
        Some(at) => Ok(repositories.swap_remove(at)),
        None => Err(Failure::ours(format!("`{shown}` is in no registered repository")).hint(
            "register it with `abide repo add`, or name another with `--repo`; `abide repo ls` lists them",
        )),
    }
}

/// Whether a word is a path rather than a name: names are those of directories, and have no slash.
fn is_path(word: &str) -> bool {
    word.contains('/') || matches!(word, "." | "..")
}

/// The repository that a directory is in: the nearest, and not the one around an unregistered repository.
fn around(directory: &Path, repositories: &[Repository], worktrees: &[Worktree]) -> Option<RepositoryId> {
    let registered = |path: &Path| {
        repositories.iter().find(|repository| Path::new(&repository.path) == path).map(|found| found.id)
    };
    let of_worktree = |path: &Path| {
        worktrees.iter().find(|worktree| Path::new(&worktree.path) == path).map(|found| found.repository_id)
    };
    for path in directory.ancestors() {
        if let Some(id) = registered(path).or_else(|| of_worktree(path)) {
            return Some(id);
        }
        let git = path.join(".git");
        if git.exists() {
            return linked(&git)?.iter().find_map(|path| registered(path));
        }
    }
    None
}

/// Where the repository may be that a linked worktree's `.git` file points into: beside its directory for git's own
/// files or, if it has no files checked out, that directory itself.
fn linked(git: &Path) -> Option<[PathBuf; 2]> {
    let text = fs::read_to_string(git).ok()?;
    let own = git.parent()?.join(text.strip_prefix("gitdir:")?.trim());
    let worktrees = own.parent().filter(|path| path.ends_with("worktrees"))?;
    let common = worktrees.parent()?.canonicalize().ok()?;
    Some([common.parent()?.to_owned(), common])
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    fn repository(number: u8, path: &Path) -> Repository {
        Repository {
            id: RepositoryId::from_random([number; 8]),
            path: path.to_str().unwrap().to_owned(),
            shown_path: path.to_str().unwrap().to_owned(),
            name: "x".to_owned(),
            created_at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn a_word_with_a_slash_is_a_path() {
        for word in [".", "..", "./a", "a/b", "/a"] {
            assert!(is_path(word), "{word}");
        }
        for word in ["a", "a.b", ".git", "k7f2"] {
            assert!(!is_path(word), "{word}");
        }
    }

    #[test]
    fn a_directory_belongs_to_the_nearest_repository_and_to_none_around_it() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        let dir = |path: &str| {
            let path = root.join(path);
            fs::create_dir_all(&path).unwrap();
            path
        };
        let (outer, inner) = (dir("outer"), dir("outer/inner"));
        dir("outer/.git");
        dir("outer/inner/.git");
        let deep = dir("outer/inner/a/b");
        let all = [repository(1, &outer), repository(2, &inner)];
        assert_eq!(around(&deep, &all, &[]), Some(all[1].id));
        assert_eq!(around(&dir("outer/c"), &all, &[]), Some(all[0].id));
        assert_eq!(around(&deep, &all[..1], &[]), None, "the inner one is another repository");
        assert_eq!(around(&root, &all, &[]), None);

        let git_dir = dir("outer/.git/worktrees/side");
        let side = dir("side/deep");
        fs::write(root.join("side/.git"), format!("gitdir: {}\n", git_dir.display())).unwrap();
        assert_eq!(around(&side, &all, &[]), Some(all[0].id), "a linked worktree is the repository's");
        let module = dir("outer/.git/modules/m");
        fs::write(dir("module").join(".git"), format!("gitdir: {}\n", module.display())).unwrap();
        assert_eq!(around(&root.join("module"), &all, &[]), None, "a submodule is a repository of its own");
    }

    #[test]
    fn a_worktree_that_abide_made_belongs_to_its_repository() {
        let place = Path::new("/no/such/worktrees/k7f2aaaa");
        let worktree = Worktree {
            id: model::WorktreeId::from_random([7; 8]),
            repository_id: RepositoryId::from_random([1; 8]),
            path: place.to_str().unwrap().to_owned(),
            shown_path: place.to_str().unwrap().to_owned(),
            branch: "b".to_owned(),
            state: api::WorktreeState::Ready,
            note: None,
            session_ids: Vec::new(),
            created_at: Timestamp::UNIX_EPOCH,
            expires_at: None,
        };
        let all = [repository(1, Path::new("/no/such/repository"))];
        assert_eq!(around(&place.join("src"), &all, &[worktree]), Some(all[0].id));
    }
}
