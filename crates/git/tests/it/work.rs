//! Work that would be lost with a worktree.

use std::fs;
use std::path::{Path, PathBuf};

use git::{GitError, Operation, Work};

use crate::sandbox::{Sandbox, assert_fails};

fn work(sandbox: &Sandbox, path: &Path) -> Work {
    sandbox.subject().work(path).unwrap()
}

#[test]
fn w6_uncommitted_work_is_seen_with_all_settings() {
    let (sandbox, repo) = Sandbox::with_repo();
    for file in ["a", "b", "c"] {
        sandbox.commit(&repo, file, "one\n");
    }
    sandbox.commit(&repo, ".gitignore", "ignored\n");
    let path = sandbox.add(&repo, "x").path;
    assert!(work(&sandbox, &path).is_nothing());
    fs::write(path.join("ignored"), "secret").unwrap();
    assert!(work(&sandbox, &path).is_nothing());

    for (key, value) in
        [("status.showUntrackedFiles", "no"), ("core.ignoreStat", "true"), ("status.renames", "copies")]
    {
        sandbox.git(&repo, &["config", key, value]);
    }
    fs::write(path.join("a"), "two, staged\n").unwrap();
    sandbox.git(&path, &["add", "a"]);
    fs::write(path.join("b"), "two, not staged\n").unwrap();
    fs::remove_file(path.join("c")).unwrap();
    fs::create_dir(path.join("new")).unwrap();
    fs::write(path.join("new/one \u{1b}"), "").unwrap();
    fs::write(path.join("odd\u{1b}[2J"), "").unwrap();
    let found = work(&sandbox, &path);
    assert_eq!((found.staged, found.unstaged, found.untracked, found.conflicts), (1, 2, 2, 0));
    assert_eq!(found.paths, ["a", "b", "c", "new/", "odd\u{fffd}[2J"]);
    assert!(found.is_uncommitted() && !found.is_nothing());
}

#[test]
fn w6_commits_that_exist_nowhere_else_are_counted() {
    let (sandbox, repo) = Sandbox::with_repo();
    let path = sandbox.add(&repo, "abide").path;
    sandbox.git(&repo, &["branch", "abide-2"]);
    sandbox.commit(&path, "one", "");
    let second = sandbox.commit(&path, "two", "");
    assert_eq!(work(&sandbox, &path).commits, 2);
    // Detached it is the same work, but the branch has it too.
    sandbox.git(&path, &["checkout", "-q", "--detach"]);
    assert_eq!(work(&sandbox, &path).commits, 0);
    sandbox.commit(&path, "three", "");
    assert_eq!(work(&sandbox, &path).commits, 1);
    sandbox.git(&path, &["checkout", "-q", "abide"]);

    for refname in ["refs/tags/v1", "refs/heads/other", "refs/remotes/origin/abide"] {
        sandbox.git(&repo, &["update-ref", refname, &second]);
        assert!(work(&sandbox, &path).is_nothing(), "{refname} has them");
        sandbox.git(&repo, &["update-ref", "-d", refname]);
        assert_eq!(work(&sandbox, &path).commits, 2);
    }
}

#[test]
fn w6_an_unfinished_merge_or_rebase_counts_as_work() {
    let (sandbox, repo) = Sandbox::with_repo();
    let path = sandbox.add(&repo, "x").path;
    sandbox.commit(&repo, "file", "theirs\n");
    let check = |begin: &[&str], expected: Operation, end: &[&str]| {
        let _ = sandbox.try_git(&path, begin);
        assert_eq!(work(&sandbox, &path).operation, Some(expected), "{begin:?}");
        sandbox.git(&path, end);
        assert_eq!(work(&sandbox, &path).operation, None, "{end:?}");
    };
    sandbox.commit(&path, "file", "mine\n");
    check(&["merge", "main"], Operation::Merge, &["merge", "--abort"]);
    check(&["rebase", "main"], Operation::Rebase, &["rebase", "--abort"]);
    check(&["cherry-pick", "main"], Operation::CherryPick, &["cherry-pick", "--abort"]);
    check(&["revert", "--no-edit", "main"], Operation::Revert, &["revert", "--abort"]);
    check(&["bisect", "start"], Operation::Bisect, &["bisect", "reset"]);

    sandbox.try_git(&path, &["merge", "main"]).unwrap_err();
    assert_eq!(work(&sandbox, &path).conflicts, 1);
}

#[test]
fn w6_work_in_submodules_is_seen() {
    let (sandbox, repo) = Sandbox::with_repo();
    let path = with_submodule(&sandbox, &repo);
    let sub = path.join("sub");
    assert!(work(&sandbox, &path).is_nothing(), "{:?}", work(&sandbox, &path));

    sandbox.git(&repo, &["config", "submodule.sub.ignore", "all"]);
    fs::write(sub.join("file"), "changed\n").unwrap();
    fs::write(sub.join("untracked"), "").unwrap();
    let found = work(&sandbox, &path);
    assert_eq!((found.unstaged, found.untracked, found.commits), (1, 1, 0));
    assert_eq!(found.paths, ["sub/file", "sub/untracked"]);

    sandbox.git(&sub, &["add", "."]);
    sandbox.git(&sub, &["commit", "-q", "-m", "in the submodule"]);
    let found = work(&sandbox, &path);
    assert_eq!((found.unstaged, found.untracked, found.commits), (1, 0, 1));
    sandbox.git(&path, &["add", "sub"]);
    assert_eq!(work(&sandbox, &path).staged, 1);
}

/// A worktree `x` with a submodule `sub` that was fetched.
pub(crate) fn with_submodule(sandbox: &Sandbox, repo: &Path) -> PathBuf {
    let inner = sandbox.repo("inner");
    sandbox.git(repo, &["submodule", "add", "-q", &inner.display().to_string(), "sub"]);
    sandbox.git(repo, &["commit", "-q", "-m", "with a submodule"]);
    let path = sandbox.add(repo, "x").path;
    sandbox.git(&path, &["submodule", "update", "-q", "--init"]);
    path
}

#[test]
fn w6_worktrees_inside_are_seen() {
    let (sandbox, repo) = Sandbox::with_repo();
    sandbox.commit(&repo, ".gitignore", "agents\n");
    let path = sandbox.add(&repo, "x").path;
    sandbox.git(&path, &["worktree", "add", "-q", "agents/one"]);
    assert_eq!(work(&sandbox, &path).inside, [path.join("agents/one")]);
    assert!(!work(&sandbox, &path).is_nothing());
}

#[test]
fn w1_a_worktree_that_was_deleted_is_missing_and_nothing_is_recreated() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    let path = sandbox.add(&repo, "x").path;
    fs::remove_dir_all(&path).unwrap();
    assert_fails!(git.work(&path), GitError::Missing { path: gone } if *gone == path);
    assert_fails!(git.summary(&path, "main"), GitError::Missing { .. });
    assert_fails!(git.inspect(&path), GitError::Missing { .. });
    assert_fails!(git.to_trash(&repo, &path, &sandbox.trash("x")), GitError::Missing { .. });
    assert_fails!(git::provisioning(&path), GitError::Missing { .. });
    assert!(!path.exists() && !sandbox.trash("x").exists());
    assert_eq!(sandbox.git(&repo, &["worktree", "list"]).lines().count(), 2, "git still knows of it");
}

#[test]
fn w1_another_repository_around_a_deleted_worktree_is_not_taken_for_it() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    let path = sandbox.add(&repo, "x").path;
    sandbox.git(&sandbox.root, &["init", "-q"]);
    fs::remove_dir_all(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_fails!(git.work(&path), GitError::NotAWorktree { .. });
    assert_fails!(git.to_trash(&repo, &path, &sandbox.trash("x")), GitError::NotAWorktree { .. });
    assert!(path.exists());
}

#[test]
fn s36_more_changes_than_we_read_are_still_changes() {
    let (sandbox, repo) = Sandbox::with_repo();
    let many = "case \"$*\" in *status*) yes '? some/file' | head -c 20000000 | tr '\\n' '\\0';; *) exec $real \"$@\";; esac";
    let found = sandbox.subject_at(sandbox.program("git", many)).work(&repo).unwrap();
    assert!(found.more && found.untracked > 1000 && !found.is_nothing());
    assert_eq!(found.paths.len(), 5);
}
