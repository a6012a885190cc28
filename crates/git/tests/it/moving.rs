//! Moves that cannot be made, or not to their end.

use std::fs;

use git::{GitError, TakenBack};

use crate::sandbox::{Sandbox, assert_fails};

#[test]
fn w6_a_refused_move_changes_nothing() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    let path = sandbox.add(&repo, "x").path;
    let other = sandbox.repo("other");
    fs::create_dir(path.join("directory")).unwrap();
    fs::write(sandbox.trash("taken"), "mine").unwrap();
    let before = sandbox.state(&repo);
    let trash = sandbox.trash("t");
    assert_fails!(git.to_trash(&repo, &repo, &trash), GitError::NotAWorktree { .. });
    assert_fails!(git.to_trash(&repo, &path.join("directory"), &trash), GitError::NotAWorktree { .. });
    assert_fails!(git.to_trash(&other, &path, &trash), GitError::NotAWorktree { .. });
    assert_fails!(git.to_trash(&repo, &sandbox.root.join("home"), &trash), GitError::NotAWorktree { .. });
    assert_fails!(git.to_trash(&repo, &path, &sandbox.trash("taken")), GitError::PathTaken { .. });
    assert_fails!(git.expire(&repo, &path), GitError::NotInTrash { .. });
    assert_fails!(git.expire(&repo, &repo), GitError::NotAWorktree { .. });
    assert_fails!(git.expire(&repo, &sandbox.root.join("home")), GitError::NotAWorktree { .. });
    assert_fails!(git.trashed(&path), GitError::NotInTrash { .. });

    // A copy says that it is the worktree that it was copied from.
    let copy = sandbox.root.join("copy");
    fs::create_dir(&copy).unwrap();
    fs::copy(path.join(".git"), copy.join(".git")).unwrap();
    assert_fails!(git.to_trash(&repo, &copy, &trash), GitError::NotAWorktree { .. });
    assert_eq!(sandbox.state(&repo), before);

    sandbox.git(&path, &["worktree", "add", "-q", "--detach", "inside"]);
    assert_fails!(git.to_trash(&repo, &path, &trash),
        GitError::HasWorktrees { inside } if *inside == path.join("inside"));
    sandbox.git(&repo, &["worktree", "remove", &path.join("inside").display().to_string()]);

    sandbox.git(&repo, &["worktree", "lock", "--reason=mine", &path.display().to_string()]);
    assert_fails!(git.to_trash(&repo, &path, &trash), GitError::KeptByUser { reason, .. } if reason == "mine");
    sandbox.git(&repo, &["worktree", "unlock", &path.display().to_string()]);
    assert_eq!(sandbox.state(&repo), before);
    sandbox.assert_settled();
}

#[test]
fn w2_a_worktree_that_git_is_writing_is_not_moved() {
    let (sandbox, repo) = Sandbox::with_repo();
    let path = sandbox.add(&repo, "x").path;
    let lock = repo.join(".git/worktrees/x/index.lock");
    fs::write(&lock, "").unwrap();
    let before = sandbox.state(&repo);
    assert_fails!(sandbox.subject().to_trash(&repo, &path, &sandbox.trash("t")),
        GitError::Locked { path } if *path == lock);
    assert!(lock.exists() && path.exists());
    // Looking does not need the lock.
    assert!(sandbox.subject().work(&path).unwrap().is_nothing());
    assert_eq!(sandbox.state(&repo), before);
}

#[test]
fn w2_a_move_that_meets_a_lock_is_undone() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    let (path, trash) = (sandbox.add(&repo, "x").path, sandbox.trash("t"));
    let lock = repo.join(".git/worktrees/x/HEAD.lock");
    let before = sandbox.state(&repo);
    fs::write(&lock, "").unwrap();
    assert_fails!(git.to_trash(&repo, &path, &trash), GitError::Locked { path } if *path == lock);
    assert_eq!(sandbox.state(&repo), before);
    assert!(!trash.exists() && lock.exists());
    fs::remove_file(&lock).unwrap();

    let trashed = git.to_trash(&repo, &path, &trash).unwrap();
    let before = sandbox.state(&repo);
    fs::write(&lock, "").unwrap();
    assert_fails!(git.from_trash(&repo, &trash, &path, &trashed), GitError::Locked { path } if *path == lock);
    assert_eq!(sandbox.state(&repo), before);
    assert!(!path.exists() && lock.exists());
    assert_eq!(git.trashed(&trash).unwrap(), trashed);
    fs::remove_file(&lock).unwrap();
    assert_eq!(git.from_trash(&repo, &trash, &path, &trashed).unwrap(), TakenBack::AsItWas);
    sandbox.assert_settled();
}

#[test]
fn s33_a_link_in_a_worktree_is_not_written_through() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    let path = sandbox.add(&repo, "x").path;
    let outside = sandbox.root.join("outside");
    fs::write(&outside, "precious").unwrap();
    // The name that we would write to first.
    let link = format!(".git.abide-{}-0", std::process::id());
    std::os::unix::fs::symlink(&outside, path.join(&link)).unwrap();
    fs::write(path.join(".git"), "gitdir: ../../repo/.git/worktrees/x\n").unwrap();
    git.to_trash(&repo, &path, &sandbox.trash("t")).unwrap();
    assert_eq!(fs::read_to_string(outside).unwrap(), "precious");
    assert!(sandbox.trash("t").join(link).is_symlink());
}

#[test]
fn w6_a_trash_on_another_file_system_is_refused_and_nothing_is_changed() {
    let (sandbox, repo) = Sandbox::with_repo();
    let Ok(elsewhere) = tempfile::tempdir_in("/dev/shm") else {
        return testkit::skip("there is no second file system to write to");
    };
    let path = sandbox.add(&repo, "x").path;
    let before = sandbox.state(&repo);
    let moved = sandbox.subject().to_trash(&repo, &path, &elsewhere.path().join("t"));
    if moved.is_ok() {
        return testkit::skip("the temporary directory is on the same file system");
    }
    assert_fails!(moved, GitError::CrossDevice { .. });
    assert_eq!(sandbox.state(&repo), before);
    assert_eq!(sandbox.git(&path, &["symbolic-ref", "--short", "HEAD"]), "x");
    sandbox.assert_settled();
}

#[test]
fn w6_a_restore_that_fails_at_its_last_step_ends_in_the_trash() {
    let (sandbox, repo) = Sandbox::with_repo();
    let (path, trash) = (sandbox.add(&repo, "x").path, sandbox.trash("t"));
    let trashed = sandbox.subject().to_trash(&repo, &path, &trash).unwrap();
    let before = sandbox.state(&repo);
    let script = "case \"$*\" in *'worktree unlock'*) exit 1;; *) exec $real \"$@\";; esac";
    let git = sandbox.subject_at(sandbox.program("git", script));
    assert_fails!(git.from_trash(&repo, &trash, &path, &trashed), GitError::Failed { .. });
    assert_eq!(sandbox.state(&repo), before);
    assert_eq!(sandbox.subject().trashed(&trash).unwrap(), trashed);
    sandbox.assert_settled();
}
