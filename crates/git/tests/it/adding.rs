//! Making worktrees: whole or not at all.

use std::fs;

use git::{GitError, NewWorktree, WorktreeBranch};

use crate::sandbox::{Sandbox, assert_fails, branch};

#[test]
fn a_worktree_is_made_on_a_new_branch_or_on_one_that_is_there() {
    let (sandbox, repo) = Sandbox::with_repo();
    let head = sandbox.git(&repo, &["rev-parse", "HEAD"]);
    let made = sandbox.add(&repo, "new");
    assert_eq!(
        (made.path.clone(), made.branch.as_str(), &made.base_commit),
        (sandbox.worktree("new"), "new", &head)
    );
    assert_eq!(fs::read_to_string(made.path.join("file")).unwrap(), "one\n");
    assert_eq!(sandbox.git(&made.path, &["status", "--porcelain", "--branch"]), "## new");

    sandbox.git(&repo, &["branch", "there"]);
    let made = sandbox.subject().add_worktree(&repo, &sandbox.existing_branch("there")).unwrap();
    assert!(!made.new_branch);
    assert_eq!(sandbox.git(&made.path, &["status", "--porcelain", "--branch"]), "## there");
    sandbox.assert_settled();
}

#[test]
fn a_base_is_a_branch_before_it_is_a_tag() {
    let (sandbox, repo) = Sandbox::with_repo();
    let first = sandbox.git(&repo, &["rev-parse", "HEAD"]);
    sandbox.git(&repo, &["tag", "both"]);
    sandbox.git(&repo, &["tag", "only-tag"]);
    let second = sandbox.commit(&repo, "file", "two\n");
    sandbox.git(&repo, &["branch", "both"]);
    sandbox.git(&repo, &["update-ref", "refs/remotes/origin/far", &first]);
    for (number, (base, commit)) in [
        ("both", &second),
        ("only-tag", &first),
        ("origin/far", &first),
        (&first[..10], &first),
        ("HEAD", &second),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("n{number}");
        let branch = WorktreeBranch::New { name: branch(&name), base: Some(base.to_owned()) };
        let new = NewWorktree { path: sandbox.worktree(&name), branch };
        let made = sandbox.subject().add_worktree(&repo, &new).unwrap();
        assert_eq!(&made.base_commit, commit, "{base}");
        assert_eq!(&sandbox.git(&made.path, &["rev-parse", "HEAD"]), commit, "{base}");
        let upstream = sandbox.try_git(&made.path, &["rev-parse", "@{upstream}"]);
        assert!(upstream.is_err(), "an agent's push must not go to {base}");
    }
}

#[test]
fn w3_a_branch_checked_out_elsewhere_is_refused_with_the_place() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    let made = sandbox.add(&repo, "x");
    let before = sandbox.state(&repo);
    let new = NewWorktree { path: sandbox.worktree("y"), ..sandbox.existing_branch("x") };
    assert_fails!(git.add_worktree(&repo, &new),
        GitError::BranchElsewhere { branch, path } if branch == "x" && *path == made.path);
    assert_fails!(git.add_worktree(&repo, &sandbox.existing_branch("main")),
        GitError::BranchElsewhere { path, .. } if *path == repo);
    assert_eq!(sandbox.state(&repo), before);
}

#[test]
fn w3_a_branch_in_the_middle_of_a_rebase_elsewhere_is_refused_with_the_place() {
    let (sandbox, repo) = Sandbox::with_repo();
    let made = sandbox.add(&repo, "x");
    sandbox.commit(&made.path, "file", "mine\n");
    sandbox.commit(&repo, "file", "theirs\n");
    sandbox.try_git(&made.path, &["rebase", "main"]).unwrap_err();
    assert_eq!(sandbox.try_git(&made.path, &["symbolic-ref", "HEAD"]).ok(), None);
    let before = sandbox.state(&repo);
    let new = NewWorktree { path: sandbox.worktree("y"), ..sandbox.existing_branch("x") };
    assert_fails!(sandbox.subject().add_worktree(&repo, &new),
        GitError::BranchElsewhere { branch, path } if branch == "x" && *path == made.path);
    assert_eq!(sandbox.state(&repo), before);
    sandbox.assert_settled();
}

#[test]
fn w4_existing_branches_and_paths_are_refused_and_not_changed() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    sandbox.git(&repo, &["branch", "taken"]);
    fs::create_dir(sandbox.worktree("empty")).unwrap();
    fs::write(sandbox.worktree("file"), "mine").unwrap();
    std::os::unix::fs::symlink("/nowhere", sandbox.worktree("link")).unwrap();
    let before = sandbox.state(&repo);
    assert_fails!(git.add_worktree(&repo, &sandbox.new_branch("taken")),
        GitError::BranchExists { branch } if branch == "taken");
    let new = NewWorktree { path: sandbox.worktree("x"), ..sandbox.new_branch("taken/below") };
    assert_fails!(git.add_worktree(&repo, &new), GitError::BranchExists { branch } if branch == "taken");
    for name in ["empty", "file", "link"] {
        assert_fails!(git.add_worktree(&repo, &sandbox.new_branch(name)), GitError::PathTaken { .. });
    }
    assert_fails!(
        git.add_worktree(&repo, &sandbox.existing_branch("nothing")),
        GitError::NoSuchBranch { .. }
    );
    assert_fails!(
        git.add_worktree(
            &repo,
            &NewWorktree { path: sandbox.worktree("no/parent"), ..sandbox.new_branch("x") }
        ),
        GitError::Missing { .. }
    );
    assert_eq!(sandbox.state(&repo), before);
    sandbox.assert_settled();
}

#[test]
fn w4_a_checkout_that_fails_leaves_nothing() {
    let (sandbox, repo) = Sandbox::with_repo();
    sandbox.commit(&repo, ".gitattributes", "file filter=broken\n");
    sandbox.git(&repo, &["config", "--global", "filter.broken.smudge", "false"]);
    sandbox.git(&repo, &["config", "--global", "filter.broken.required", "true"]);
    let before = sandbox.state(&repo);
    assert_fails!(sandbox.subject().add_worktree(&repo, &sandbox.new_branch("x")), GitError::Failed { .. });
    assert_eq!(sandbox.state(&repo), before);
    sandbox.assert_settled();
}

#[test]
fn w2_a_lock_of_another_program_is_waited_for_then_named_and_never_removed() {
    let (sandbox, repo) = Sandbox::with_repo();
    let lock = repo.join(".git/refs/heads/x.lock");
    fs::write(&lock, "").unwrap();
    let before = sandbox.state(&repo);
    assert_fails!(sandbox.subject().add_worktree(&repo, &sandbox.new_branch("x")),
        GitError::Locked { path } if *path == lock);
    assert!(lock.exists());
    assert_eq!(sandbox.state(&repo), before);
    fs::remove_file(lock).unwrap();
    sandbox.add(&repo, "x");
}

#[test]
fn w2_a_lock_that_goes_away_in_time_is_no_error() {
    let (sandbox, repo) = Sandbox::with_repo();
    let lock = repo.join(".git/refs/heads/x.lock");
    fs::write(&lock, "").unwrap();
    // The other program lets go at our second try.
    let count = sandbox.root.join("tries");
    let script = format!(
        "case \"$*\" in *update-ref*) echo >>{0}; [ $(wc -l <{0}) -lt 2 ] || rm -f {1};; esac\nexec $real \"$@\"",
        count.display(),
        lock.display()
    );
    let git = sandbox.subject_at(sandbox.program("git", &script));
    git.add_worktree(&repo, &sandbox.new_branch("x")).unwrap();
    assert_eq!(fs::read_to_string(count).unwrap().lines().count(), 2);
}

#[test]
fn s37_submodules_are_not_fetched_on_their_own() {
    let (sandbox, repo) = Sandbox::with_repo();
    let inner = sandbox.repo("inner");
    sandbox.git(&repo, &["submodule", "add", "-q", &inner.display().to_string(), "sub"]);
    sandbox.git(&repo, &["commit", "-q", "-m", "with a submodule"]);
    sandbox.git(&repo, &["config", "submodule.recurse", "true"]);
    let made = sandbox.add(&repo, "x");
    assert_eq!(fs::read_dir(made.path.join("sub")).unwrap().count(), 0);
    assert!(!repo.join(".git/worktrees/x/modules").exists());
}

#[test]
fn a_branch_is_deleted_only_if_it_was_not_touched() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    let base = sandbox.git(&repo, &["rev-parse", "HEAD"]);
    let made = sandbox.add(&repo, "checked-out");
    for name in ["untouched", "moved"] {
        sandbox.git(&repo, &["branch", name]);
    }
    let other = sandbox.git(&repo, &["commit-tree", "-m", "other", "HEAD^{tree}"]);
    sandbox.git(&repo, &["update-ref", "refs/heads/moved", &other]);
    let delete = |name: &str| git.delete_branch_if_untouched(&repo, &branch(name), &base).unwrap();
    assert_eq!(["untouched", "moved", "checked-out", "nothing"].map(delete), [true, false, false, false]);
    let left: Vec<_> = git.branches(&repo).unwrap().into_iter().map(|branch| branch.name.into()).collect();
    assert_eq!(left as Vec<String>, ["checked-out", "main", "moved"]);
    assert!(made.path.exists());
}
