//! The kind of repository at a path, and its content.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use git::GitError;

use crate::sandbox::{Sandbox, assert_fails, branch};

#[test]
fn a_repository_is_known_by_what_its_worktrees_share() {
    let (sandbox, repo) = Sandbox::with_repo();
    let made = sandbox.add(&repo, "x");
    fs::create_dir_all(repo.join("deep/inside")).unwrap();
    symlink(&repo, sandbox.root.join("link")).unwrap();

    let git = sandbox.subject();
    let first = git.inspect(&repo).unwrap();
    assert_eq!(first.path, repo);
    assert_eq!(first.common_dir, repo.join(".git"));
    assert_eq!(first.default_branch, Some(branch("main")));
    assert!(!first.bare && !first.empty && !first.shallow && !first.linked);
    assert_eq!(git.inspect(&repo.join("deep/inside")).unwrap(), first);
    assert_eq!(git.inspect(&sandbox.root.join("link")).unwrap(), first);

    let linked = git.inspect(&made.path).unwrap();
    assert!(linked.linked);
    assert_eq!((linked.path, linked.common_dir), (made.path, first.common_dir));
}

#[test]
fn w7_bare_empty_and_shallow_repositories_are_recognised() {
    let (sandbox, repo) = Sandbox::with_repo();
    sandbox.commit(&repo, "file", "two\n");
    let git = sandbox.subject();
    let url = format!("file://{}", repo.display());
    sandbox.git(&sandbox.root, &["clone", "-q", "--bare", &url, "bare"]);
    sandbox.git(&sandbox.root, &["clone", "-q", "--depth=1", &url, "shallow"]);
    sandbox.git(&sandbox.root, &["init", "-q", "empty"]);
    let at = |name: &str| sandbox.root.join(name);

    let bare = git.inspect(&at("bare")).unwrap();
    assert!(bare.bare && !bare.empty);
    assert_eq!((&bare.path, bare.default_branch), (&at("bare"), Some(branch("main"))));
    assert_fails!(git.work(&at("bare")), GitError::Bare { .. });
    assert!(git.inspect(&at("shallow")).unwrap().shallow);
    let empty = git.inspect(&at("empty")).unwrap();
    assert!(empty.empty && !empty.bare);
    assert!(git.work(&at("empty")).unwrap().is_nothing());
    assert_fails!(git.add_worktree(&at("empty"), &sandbox.new_branch("x")), GitError::Empty { .. });

    let made = git.add_worktree(&at("bare"), &sandbox.new_branch("in-bare")).unwrap();
    assert!(git.work(&made.path).unwrap().is_nothing());
    let made = git.add_worktree(&at("shallow"), &sandbox.new_branch("in-shallow")).unwrap();
    assert!(git.work(&made.path).unwrap().is_nothing());
}

#[test]
fn w7_missing_moved_and_ordinary_directories_have_different_errors() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    let made = sandbox.add(&repo, "x");
    fs::create_dir(sandbox.root.join("plain")).unwrap();
    assert_fails!(git.inspect(&sandbox.root.join("plain")), GitError::NotARepository { .. });
    assert_fails!(git.inspect(&sandbox.root.join("nowhere")), GitError::Missing { path } if path.ends_with("nowhere"));
    assert_fails!(
        git.inspect(&repo.join("file")),
        GitError::Missing { .. } | GitError::NotARepository { .. }
    );

    fs::rename(&repo, sandbox.root.join("moved")).unwrap();
    assert_fails!(git.inspect(&repo), GitError::Missing { .. });
    assert_fails!(git.work(&made.path), GitError::Missing { path } if path.starts_with(&repo));
    assert_fails!(git.to_trash(&repo, &made.path, &sandbox.trash("x")), GitError::Missing { .. });
    assert!(made.path.join("file").exists());
}

#[test]
fn w7_a_broken_repository_is_reported_broken() {
    let check = |damage: &dyn Fn(&Path)| {
        let (sandbox, repo) = Sandbox::with_repo();
        damage(&repo);
        let error = sandbox.subject().inspect(&repo).and_then(|_| sandbox.subject().work(&repo).map(drop));
        assert!(matches!(error, Err(GitError::Broken { .. })), "{error:?}");
    };
    check(&|repo| fs::write(repo.join(".git/config"), "[core\nnonsense").unwrap());
    check(&|repo| fs::remove_file(repo.join(".git/HEAD")).unwrap());
    check(&|repo| fs::write(repo.join(".git/HEAD"), "\0garbage").unwrap());
    check(&|repo| fs::write(repo.join(".git/index"), "garbage, long enough to be read as an index").unwrap());
    check(&|repo| fs::write(repo.join(".git/refs/heads/main"), format!("{}\n", "1".repeat(40))).unwrap());
    check(&|repo| {
        for entry in fs::read_dir(repo.join(".git/objects")).unwrap().flatten() {
            fs::remove_dir_all(entry.path()).unwrap();
        }
    });
    check(&|repo| {
        let mut config = fs::read_to_string(repo.join(".git/config")).unwrap();
        config.push_str("[core]\nworktree = /\n");
        fs::write(repo.join(".git/config"), config.replace("bare = false", "")).unwrap();
    });
}

#[test]
fn w7_a_git_directory_that_git_passes_over_does_not_lead_to_an_outer_repository() {
    let (sandbox, repo) = Sandbox::with_repo();
    fs::create_dir_all(repo.join("inner/.git")).unwrap();
    fs::create_dir_all(repo.join("inner/deep")).unwrap();
    let git = sandbox.subject();
    assert_fails!(git.inspect(&repo.join("inner")), GitError::Broken { .. });
    assert_fails!(git.inspect(&repo.join("inner/deep")), GitError::Broken { .. });
}

#[test]
fn w7_a_repository_of_another_user_is_refused_by_name() {
    let (sandbox, repo) = Sandbox::with_repo();
    let other = another_user();
    let changed = [repo.clone(), repo.join(".git")]
        .iter()
        .all(|path| std::os::unix::fs::chown(path, Some(other), Some(other)).is_ok());
    if !changed {
        return testkit::skip("only root can give a repository away");
    }
    assert_fails!(sandbox.subject().inspect(&repo), GitError::UnsafeOwner { path } if *path == repo || *path == repo.join(".git"));
}

/// The number of a user that is not us.
fn another_user() -> u32 {
    12_345
}

#[test]
fn branches_are_listed_with_their_worktree_and_upstream() {
    let (sandbox, repo) = Sandbox::with_repo();
    sandbox.git(&sandbox.root, &["clone", "-q", "repo", "clone"]);
    let clone = sandbox.root.join("clone");
    let made = sandbox.add(&clone, "feature");
    let head = sandbox.git(&repo, &["rev-parse", "HEAD"]);
    let branches = sandbox.subject().branches(&clone).unwrap();
    let seen: Vec<_> = branches
        .iter()
        .map(|branch| {
            (branch.name.as_str(), &branch.commit, branch.upstream.as_deref(), branch.checked_out.clone())
        })
        .collect();
    assert_eq!(
        seen,
        [("feature", &head, None, Some(made.path)), ("main", &head, Some("origin/main"), Some(clone))]
    );
}

#[test]
fn n1_branches_with_impossible_names_do_not_spoil_the_list() {
    let (sandbox, repo) = Sandbox::with_repo();
    let heads = repo.join(".git/refs/heads");
    for name in [&b"not-\xff-text"[..], b"-option", b"$(id)", b"a\xe2\x80\xaeb"] {
        fs::copy(heads.join("main"), heads.join(OsStr::from_bytes(name))).unwrap();
    }
    let branches = sandbox.subject().branches(&repo).unwrap();
    let names: Vec<&str> = branches.iter().map(|branch| branch.name.as_str()).collect();
    assert_eq!(names, ["$(id)", "a\u{202e}b", "main"]);
    assert_eq!(branches[1].name.to_string(), "a\u{fffd}b");
}

#[test]
fn worktrees_are_listed_as_locked_or_missing() {
    let (sandbox, repo) = Sandbox::with_repo();
    let (kept, gone) = (sandbox.add(&repo, "kept").path, sandbox.add(&repo, "gone").path);
    sandbox.git(&repo, &["worktree", "lock", "--reason", "on a stick", "../worktrees/kept"]);
    sandbox.git(&kept, &["checkout", "-q", "--detach"]);
    fs::remove_dir_all(&gone).unwrap();
    let listed = sandbox.subject().worktrees(&repo).unwrap();
    let seen = listed.iter().map(|listed| {
        (listed.path.clone(), listed.branch.as_deref(), listed.locked.as_deref(), listed.prunable.is_some())
    });
    let mut seen: Vec<_> = seen.collect();
    seen[1..].sort();
    assert_eq!(
        seen,
        [
            (repo, Some("main"), None, false),
            (gone, Some("gone"), None, true),
            (kept, None, Some("on a stick"), false)
        ]
    );
}

#[test]
fn a_summary_counts_commits_and_files() {
    let (sandbox, repo) = Sandbox::with_repo();
    let made = sandbox.add(&repo, "feature");
    sandbox.commit(&made.path, "new", "new\n");
    sandbox.commit(&made.path, "newer", "new\n");
    sandbox.commit(&repo, "file", "two\n");
    fs::write(made.path.join("untracked"), "").unwrap();
    let git = sandbox.subject();
    let summary = git.summary(&made.path, "main").unwrap();
    assert_eq!((summary.ahead, summary.behind, summary.changed), (2, 1, 1));
    let summary = git.summary(&made.path, &made.base_commit).unwrap();
    assert_eq!((summary.ahead, summary.behind), (2, 0));
    assert_fails!(git.summary(&made.path, "nothing"), GitError::NoSuchRevision { .. });
    assert_fails!(git.summary(&made.path, "--output=x"), GitError::BadName { .. });
}
