//! The trash, and the way back.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use git::{GitError, StaysDetached, TakenBack};

use crate::sandbox::{Sandbox, assert_fails};
use crate::work::with_submodule;

/// Puts some of everything into a worktree.
fn fill(sandbox: &Sandbox, path: &Path) {
    fs::write(path.join(".gitignore"), "ignored\nnode_modules\n").unwrap();
    sandbox.git(path, &["add", ".gitignore"]);
    sandbox.git(path, &["commit", "-q", "-m", "ignore"]);
    fs::write(path.join("staged"), "staged\n").unwrap();
    sandbox.git(path, &["add", "staged"]);
    fs::write(path.join("staged"), "and changed again\n").unwrap();
    fs::write(path.join("file"), "not staged\n").unwrap();
    fs::write(path.join("untracked"), "untracked\n").unwrap();
    fs::write(path.join("ignored"), "PASSWORD=x\n").unwrap();
    fs::create_dir(path.join("node_modules")).unwrap();
    fs::write(path.join("node_modules/x"), "x\n").unwrap();
}

/// Everything that matters of a worktree, wherever it is.
pub(crate) fn contents(sandbox: &Sandbox, path: &Path) -> String {
    let status = sandbox.git(path, &["status", "--porcelain=v2", "--untracked-files=all", "--ignored"]);
    let index = sandbox.git(path, &["ls-files", "--stage"]);
    let mut files: Vec<_> = status.lines().filter_map(|line| line.rsplit(' ').next()).collect();
    files.sort_unstable();
    let files = files.iter().map(|file| format!("{file}: {:?}\n", fs::read_to_string(path.join(file)).ok()));
    format!("{status}\n{index}\n{}", files.collect::<String>())
}

#[test]
fn w6_everything_survives_the_trash() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    let path = sandbox.add(&repo, "x").path;
    fill(&sandbox, &path);
    let (before, branch) = (contents(&sandbox, &path), sandbox.git(&path, &["symbolic-ref", "HEAD"]));
    let trash = sandbox.trash("t");
    let trashed = git.to_trash(&repo, &path, &trash).unwrap();
    assert_eq!((trashed.branch.as_deref(), &trashed.from), (Some("x"), &path));
    assert_eq!(trashed.head, Some(sandbox.git(&repo, &["rev-parse", "x"])));
    assert!(!path.exists());
    assert_eq!(contents(&sandbox, &trash), before);

    // No cleanup makes git forget the worktree, and the branch is free meanwhile.
    sandbox.git(&repo, &["worktree", "prune", "--expire=now"]);
    sandbox.git(&repo, &["-c", "gc.reflogExpire=now", "gc", "-q", "--prune=now"]);
    sandbox.git(&repo, &["checkout", "-q", "x"]);
    sandbox.git(&repo, &["checkout", "-q", "main"]);
    assert_eq!(git.trashed(&trash).unwrap(), trashed);

    assert_eq!(git.from_trash(&repo, &trash, &path, &trashed).unwrap(), TakenBack::AsItWas);
    assert!(!trash.exists());
    assert_eq!((contents(&sandbox, &path), sandbox.git(&path, &["symbolic-ref", "HEAD"])), (before, branch));
    let listed = git.worktrees(&repo).unwrap().pop().unwrap();
    assert_eq!((listed.path, listed.branch.as_deref(), listed.locked), (path, Some("x"), None));
    sandbox.git(&repo, &["fsck"]);
    sandbox.assert_settled();
}

#[test]
fn w6_a_commit_that_only_the_trash_has_is_kept_by_git() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    let path = sandbox.add(&repo, "x").path;
    sandbox.git(&path, &["checkout", "-q", "--detach"]);
    let commit = sandbox.commit(&path, "only", "here\n");
    let trashed = git.to_trash(&repo, &path, &sandbox.trash("t")).unwrap();
    assert_eq!((trashed.branch.as_ref(), trashed.head.as_deref()), (None, Some(&*commit)));
    sandbox.git(&repo, &["-c", "gc.reflogExpire=now", "gc", "-q", "--prune=now"]);
    sandbox.git(&repo, &["cat-file", "-e", &commit]);
    assert_eq!(git.from_trash(&repo, &sandbox.trash("t"), &path, &trashed).unwrap(), TakenBack::AsItWas);
    assert_eq!(sandbox.git(&path, &["rev-parse", "HEAD"]), commit);
}

#[test]
fn w6_a_merge_in_progress_survives_the_trash() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    let path = sandbox.add(&repo, "x").path;
    sandbox.commit(&path, "file", "mine\n");
    let theirs = sandbox.commit(&repo, "file", "theirs\n");
    sandbox.try_git(&path, &["merge", "main"]).unwrap_err();
    let before = contents(&sandbox, &path);
    let trashed = git.to_trash(&repo, &path, &sandbox.trash("t")).unwrap();
    assert_eq!(git.from_trash(&repo, &sandbox.trash("t"), &path, &trashed).unwrap(), TakenBack::AsItWas);
    assert_eq!(contents(&sandbox, &path), before);
    fs::write(path.join("file"), "both\n").unwrap();
    sandbox.git(&path, &["commit", "-q", "-a", "--no-edit"]);
    assert_eq!(sandbox.git(&repo, &["rev-parse", "x^2"]), theirs);
}

#[test]
fn w6_a_rebase_in_progress_survives_the_trash() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    let path = sandbox.add(&repo, "x").path;
    sandbox.commit(&path, "file", "mine\n");
    let theirs = sandbox.commit(&repo, "file", "theirs\n");
    sandbox.try_git(&path, &["rebase", "main"]).unwrap_err();
    let trashed = git.to_trash(&repo, &path, &sandbox.trash("t")).unwrap();
    git.from_trash(&repo, &sandbox.trash("t"), &path, &trashed).unwrap();
    fs::write(path.join("file"), "both\n").unwrap();
    sandbox.git(&path, &["add", "file"]);
    sandbox.git(&path, &["-c", "core.editor=true", "rebase", "--continue"]);
    assert_eq!(sandbox.git(&repo, &["rev-parse", "x^"]), theirs);
}

#[test]
fn w6_submodules_survive_the_trash_also_to_another_place() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    let path = with_submodule(&sandbox, &repo);
    fs::write(path.join("sub/untracked"), "mine\n").unwrap();
    fs::write(path.join("sub/file"), "changed\n").unwrap();
    sandbox.git(&path.join("sub"), &["add", "file"]);
    let before = contents(&sandbox, &path.join("sub"));

    let trashed = git.to_trash(&repo, &path, &sandbox.trash("t")).unwrap();
    git.from_trash(&repo, &sandbox.trash("t"), &path, &trashed).unwrap();
    assert_eq!(contents(&sandbox, &path.join("sub")), before);

    let trashed = git.to_trash(&repo, &path, &sandbox.trash("t")).unwrap();
    fs::create_dir(sandbox.root.join("deeper")).unwrap();
    let other = sandbox.root.join("deeper/place");
    git.from_trash(&repo, &sandbox.trash("t"), &other, &trashed).unwrap();
    assert_eq!(contents(&sandbox, &other.join("sub")), before);
    assert_eq!(
        sandbox.git(&other.join("sub"), &["rev-parse", "--show-toplevel"]),
        other.join("sub").display().to_string()
    );
    let found = git.work(&other).unwrap();
    assert_eq!((found.staged, found.untracked), (1, 1));
}

#[test]
fn w6_a_worktree_known_by_a_relative_path_survives_the_trash() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    let path = sandbox.add(&repo, "x").path;
    fs::write(path.join(".git"), "gitdir: ../../repo/.git/worktrees/x\n").unwrap();
    fs::create_dir(sandbox.root.join("trash/deep")).unwrap();
    let trashed = git.to_trash(&repo, &path, &sandbox.root.join("trash/deep/t")).unwrap();
    assert_eq!(
        git.from_trash(&repo, &sandbox.root.join("trash/deep/t"), &path, &trashed).unwrap(),
        TakenBack::AsItWas
    );
    assert!(git.work(&path).unwrap().is_nothing());
}

#[test]
fn a_branch_that_has_changed_is_not_checked_out_again() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    let check = |name: &str, meanwhile: &dyn Fn() -> StaysDetached| {
        let path = sandbox.add(&repo, name).path;
        fs::write(path.join("untracked"), "mine").unwrap();
        let trashed = git.to_trash(&repo, &path, &sandbox.trash(name)).unwrap();
        let expected = meanwhile();
        let refs = sandbox.git(&repo, &["for-each-ref"]);
        let taken = git.from_trash(&repo, &sandbox.trash(name), &path, &trashed).unwrap();
        assert_eq!(taken, TakenBack::Detached(expected));
        assert_eq!(sandbox.git(&path, &["rev-parse", "HEAD"]), trashed.head.unwrap());
        assert_eq!(sandbox.git(&path, &["status", "--porcelain"]), "?? untracked");
        assert_eq!(sandbox.git(&repo, &["for-each-ref"]), refs);
    };
    check("gone", &|| {
        sandbox.git(&repo, &["branch", "-D", "gone"]);
        StaysDetached::BranchGone
    });
    check("moved", &|| {
        let commit = sandbox.git(&repo, &["commit-tree", "-m", "other", "HEAD^{tree}"]);
        sandbox.git(&repo, &["update-ref", "refs/heads/moved", &commit]);
        StaysDetached::BranchMoved(commit)
    });
    check("elsewhere", &|| {
        let other = sandbox.worktree("other");
        sandbox.git(&repo, &["worktree", "add", "-q", &other.display().to_string(), "elsewhere"]);
        StaysDetached::BranchElsewhere(other)
    });
    sandbox.assert_settled();
}

#[test]
fn w6_only_expiring_removes_files_and_only_those_in_the_trash() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    let (path, gone) = (sandbox.add(&repo, "x").path, sandbox.add(&repo, "gone").path);
    fill(&sandbox, &path);
    let outside = sandbox.root.join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("precious"), "").unwrap();
    std::os::unix::fs::symlink(&outside, path.join("link")).unwrap();
    // Some programs make their downloads read-only.
    fs::set_permissions(path.join("node_modules"), fs::Permissions::from_mode(0o555)).unwrap();
    git.to_trash(&repo, &path, &sandbox.trash("t")).unwrap();
    // The user deleted this worktree. Its entry is not ours, so it stays.
    fs::remove_dir_all(&gone).unwrap();
    git.expire(&repo, &sandbox.trash("t")).unwrap();
    assert!(!sandbox.trash("t").exists() && outside.join("precious").exists());
    let listed: Vec<_> = git.worktrees(&repo).unwrap().into_iter().map(|listed| listed.path).collect();
    assert_eq!(listed, [repo.clone(), gone]);
    assert!(
        git.branches(&repo).unwrap().iter().any(|branch| branch.name.as_str() == "x"),
        "its branch stays"
    );
    assert_fails!(git.expire(&repo, &sandbox.worktree("gone")), GitError::NotInTrash { .. });
    assert_eq!(git.worktrees(&repo).unwrap().len(), 2);
    git.expire(&repo, &sandbox.trash("t")).unwrap();
    sandbox.assert_settled();
}

#[test]
fn w6_git_forgets_a_trash_that_was_emptied() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    let path = sandbox.add(&repo, "x").path;
    let trashed = git.to_trash(&repo, &path, &sandbox.trash("t")).unwrap();
    fs::remove_dir_all(sandbox.trash("t")).unwrap();
    assert_fails!(git.from_trash(&repo, &sandbox.trash("t"), &path, &trashed), GitError::Missing { .. });
    assert!(git.worktrees(&repo).unwrap()[1].is_in_trash());
    git.expire(&repo, &sandbox.trash("t")).unwrap();
    assert_eq!(git.worktrees(&repo).unwrap().len(), 1);
}

#[test]
fn a_worktree_without_commits_comes_back_too() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    let path = sandbox.add(&repo, "x").path;
    sandbox.git(&path, &["checkout", "-q", "--orphan", "unborn"]);
    let trashed = git.to_trash(&repo, &path, &sandbox.trash("t")).unwrap();
    assert_eq!((trashed.branch.as_deref(), &trashed.head), (Some("unborn"), &None));
    assert_eq!(git.from_trash(&repo, &sandbox.trash("t"), &path, &trashed).unwrap(), TakenBack::AsItWas);
    assert_eq!(sandbox.git(&path, &["symbolic-ref", "--short", "HEAD"]), "unborn");
}
