//! Changes whose process was killed: they are completed or undone.

use std::cell::RefCell;
use std::fs;
use std::path::Path;

use git::{Finished, Git, TakenBack};

use crate::sandbox::{Sandbox, assert_fails};
use crate::trash::contents;
use crate::victims::{When, check_every_step, sandbox_for};

fn add(git: &Git, sandbox: &Sandbox, repo: &Path) {
    git.add_worktree(repo, &sandbox.new_branch("x")).unwrap();
}

fn to_trash(git: &Git, sandbox: &Sandbox, repo: &Path) {
    git.to_trash(repo, &sandbox.worktree("x"), &sandbox.trash("t")).unwrap();
}

fn from_trash(git: &Git, sandbox: &Sandbox, repo: &Path) {
    let (path, trash) = (sandbox.worktree("x"), sandbox.trash("t"));
    git.from_trash(repo, &trash, &path, &git.trashed(&trash).unwrap()).unwrap();
}

#[test]
fn w5_adding_a_worktree_is_completed_or_undone() {
    let states = RefCell::new(Vec::new());
    check_every_step(
        add,
        "*update-ref*|*'worktree add'*|*read-tree*",
        3,
        |sandbox, repo| states.borrow_mut().push(sandbox.state(repo)),
        |sandbox, repo, finished| {
            let before = states.borrow().last().unwrap().clone();
            match finished {
                Some(Finished::Added(made)) => {
                    assert!(sandbox.subject().work(&made.path).unwrap().is_nothing());
                    assert_eq!(sandbox.git(&made.path, &["symbolic-ref", "--short", "HEAD"]), "x");
                    assert_eq!(sandbox.subject().worktrees(repo).unwrap()[1].locked, None);
                }
                None | Some(Finished::NotAdded { .. }) => {
                    assert_eq!(sandbox.state(repo), before);
                    sandbox.add(repo, "x");
                }
                other => panic!("{other:?}"),
            }
        },
    );
}

#[test]
fn w5_throwing_a_worktree_away_is_completed_or_undone() {
    let contents_before = RefCell::new(String::new());
    check_every_step(
        to_trash,
        "*'worktree lock'*|*update-ref*",
        2,
        |sandbox, repo| {
            sandbox.add(repo, "x");
            *contents_before.borrow_mut() = some_work(sandbox);
        },
        |sandbox, repo, finished| {
            let git = sandbox.subject();
            let (path, trash) = (sandbox.worktree("x"), sandbox.trash("t"));
            if let Some(Finished::InTrash { trashed, .. }) = finished {
                assert!(!path.exists());
                assert_eq!(git.trashed(&trash).unwrap(), trashed);
                assert_eq!(git.from_trash(repo, &trash, &path, &trashed).unwrap(), TakenBack::AsItWas);
            } else {
                assert!(matches!(finished, None | Some(Finished::NotInTrash { .. })), "{finished:?}");
                assert!(!trash.exists());
            }
            assert_untouched(sandbox, repo, &contents_before.borrow());
            git.to_trash(repo, &path, &trash).unwrap();
        },
    );
}

#[test]
fn w5_taking_a_worktree_back_is_completed_or_undone() {
    let contents_before = RefCell::new(String::new());
    check_every_step(
        from_trash,
        "*symbolic-ref*|*'worktree unlock'*",
        3,
        |sandbox, repo| {
            sandbox.add(repo, "x");
            *contents_before.borrow_mut() = some_work(sandbox);
            sandbox.subject().to_trash(repo, &sandbox.worktree("x"), &sandbox.trash("t")).unwrap();
        },
        |sandbox, repo, finished| {
            let git = sandbox.subject();
            let (path, trash) = (sandbox.worktree("x"), sandbox.trash("t"));
            if let Some(Finished::TakenBack { taken, .. }) = finished {
                assert_eq!(taken, TakenBack::AsItWas);
                assert!(!trash.exists());
            } else if path.exists() {
                assert!(finished.is_none(), "{finished:?}");
            } else {
                let trashed = git.trashed(&trash).unwrap();
                git.from_trash(repo, &trash, &path, &trashed).unwrap();
            }
            assert_untouched(sandbox, repo, &contents_before.borrow());
        },
    );
}

/// Some of everything, in the worktree `x`; what it looks like.
fn some_work(sandbox: &Sandbox) -> String {
    let path = sandbox.worktree("x");
    fs::write(path.join("staged"), "staged\n").unwrap();
    sandbox.git(&path, &["add", "staged"]);
    fs::write(path.join("file"), "not staged\n").unwrap();
    fs::write(path.join("untracked"), "untracked\n").unwrap();
    contents(sandbox, &path)
}

#[track_caller]
fn assert_untouched(sandbox: &Sandbox, repo: &Path, before: &str) {
    let path = sandbox.worktree("x");
    assert_eq!(contents(sandbox, &path), before);
    assert_eq!(sandbox.git(&path, &["symbolic-ref", "--short", "HEAD"]), "x");
    let listed = &sandbox.subject().worktrees(repo).unwrap()[1];
    assert_eq!((&listed.path, &listed.locked), (&path, &None));
}

/// Between the steps of git's are some of our own; these are taken here as the killed process took them.
#[test]
fn w5_a_directory_that_was_moved_but_not_noted_is_noted() {
    let Some((sandbox, repo)) = sandbox_for(|git, sandbox, repo| {
        if sandbox.worktree("x").exists() {
            to_trash(git, sandbox, repo);
        } else {
            from_trash(git, sandbox, repo);
        }
    }) else {
        return;
    };
    let (path, trash) = (sandbox.add(&repo, "x").path, sandbox.trash("t"));
    let before = some_work(&sandbox);
    assert!(sandbox.run_to_be_killed("*update-ref*", 1, When::After));
    fs::rename(&path, &trash).unwrap();
    let finished = sandbox.subject().finish();
    assert!(matches!(&finished[..], [Finished::InTrash { .. }]), "{finished:?}");
    assert_eq!(sandbox.subject().worktrees(&repo).unwrap()[1].path, trash);

    assert!(sandbox.run_to_be_killed("*symbolic-ref*", 1, When::Before));
    fs::write(repo.join(".git/worktrees/x/gitdir"), format!("{}/.git\n", trash.display())).unwrap();
    let finished = sandbox.subject().finish();
    assert!(matches!(&finished[..], [Finished::TakenBack { taken: TakenBack::AsItWas, .. }]), "{finished:?}");
    assert_untouched(&sandbox, &repo, &before);
    sandbox.assert_settled();
}

#[test]
fn w5_a_worktree_in_neither_place_is_reported_gone() {
    let Some((sandbox, repo)) = sandbox_for(to_trash) else { return };
    let path = sandbox.add(&repo, "x").path;
    assert!(sandbox.run_to_be_killed("*update-ref*", 1, When::After));
    fs::rename(&path, sandbox.root.join("elsewhere")).unwrap();
    let finished = sandbox.subject().finish();
    assert!(matches!(&finished[..], [Finished::Gone { from, .. }] if *from == path), "{finished:?}");
    assert!(sandbox.root.join("elsewhere/file").exists());
    sandbox.assert_settled();
}

#[test]
fn w5_expiring_resumes_where_it_was_stopped() {
    let Some((sandbox, repo)) = sandbox_for(|git, sandbox, repo| {
        git.expire(repo, &sandbox.trash("t")).unwrap();
    }) else {
        return;
    };
    let before = sandbox.state(&repo);
    let path = sandbox.add(&repo, "x").path;
    sandbox.subject().to_trash(&repo, &path, &sandbox.trash("t")).unwrap();
    assert!(sandbox.run_to_be_killed("*'worktree remove'*", 1, When::Before));
    // As if it had been stopped a little earlier.
    fs::create_dir_all(sandbox.trash("t/half")).unwrap();
    let finished = sandbox.subject().finish();
    assert!(matches!(&finished[..], [Finished::Expired { .. }]), "{finished:?}");
    assert!(!sandbox.trash("t").exists());
    sandbox.git(&repo, &["branch", "-D", "x"]);
    assert_eq!(sandbox.state(&repo), before);
}

#[test]
fn w5_the_next_change_finishes_a_change_that_was_cut_short() {
    let Some((sandbox, repo)) = sandbox_for(add) else { return };
    let mut at = 1;
    // To where the branch is there and the worktree is not.
    while sandbox.try_git(&repo, &["rev-parse", "--verify", "x"]).is_err() {
        assert!(sandbox.run_to_be_killed("*", at, When::After));
        at += 1;
    }
    sandbox.add(&repo, "x");
    sandbox.assert_settled();
}

#[test]
fn w5_a_git_that_outlives_us_is_waited_for() {
    let Some((sandbox, _)) = sandbox_for(add) else { return };
    let done = sandbox.root.join("done");
    // The checkout goes on when we are gone, and takes its time.
    let script = format!(
        "case \"$*\" in *read-tree*) kill -9 $PPID; sleep 1; $real \"$@\"; touch {};; *) exec $real \"$@\";; esac",
        done.display()
    );
    sandbox.program("deadly", &script);
    assert!(sandbox.run_deadly());
    assert!(!done.exists());
    let finished = sandbox.subject().finish();
    assert!(done.exists(), "finish did not wait");
    assert!(matches!(&finished[..], [Finished::Added(_)]), "{finished:?}");
}

#[test]
fn w5_a_checkout_that_was_killed_half_way_leaves_nothing() {
    let Some((sandbox, repo)) = sandbox_for(add) else { return };
    sandbox.commit(&repo, ".gitattributes", "last filter=slow\n");
    sandbox.commit(&repo, "last", "one\n");
    let begun = sandbox.root.join("begun");
    let smudge = format!("touch {}; sleep 1000", begun.display());
    sandbox.git(&repo, &["config", "--global", "filter.slow.smudge", &smudge]);
    let before = sandbox.state(&repo);
    // We, git and all processes of git are killed at once, in the middle of the files.
    let script = format!(
        "case \"$*\" in *read-tree*) $real \"$@\" & while [ ! -e {} ]; do sleep 0.01; done; \
         kill -9 $PPID; kill -9 0;; *) exec $real \"$@\";; esac",
        begun.display()
    );
    sandbox.program("deadly", &script);
    assert!(sandbox.run_deadly());
    assert!(sandbox.worktree("x").join("file").exists(), "it was in the middle of it");
    let finished = sandbox.subject().finish();
    assert!(matches!(&finished[..], [Finished::NotAdded { .. }]), "{finished:?}");
    assert_eq!(sandbox.state(&repo), before);
}

#[test]
fn w5_the_entry_of_gits_first_step_is_removed_too() {
    let Some((sandbox, repo)) = sandbox_for(add) else { return };
    sandbox.add(&repo, "other");
    let before = sandbox.state(&repo);
    // Git makes the entry, then its lock, then writes the lock's reason.
    for lock in [None, Some(""), Some("initializing\n")] {
        assert!(sandbox.run_to_be_killed("*'worktree add'*", 1, When::Before));
        let noted = repo.join(".git/worktrees/x");
        fs::create_dir(&noted).unwrap();
        if let Some(lock) = lock {
            fs::write(noted.join("locked"), lock).unwrap();
        }
        let finished = sandbox.subject().finish();
        assert!(matches!(&finished[..], [Finished::NotAdded { .. }]), "{lock:?}: {finished:?}");
        assert_eq!(sandbox.state(&repo), before, "{lock:?}");
    }
}

#[test]
fn w5_a_directory_that_is_not_the_one_we_made_is_never_removed() {
    let Some((sandbox, repo)) = sandbox_for(add) else { return };
    let path = sandbox.worktree("x");
    let mut at = 1;
    while !path.exists() {
        assert!(sandbox.run_to_be_killed("*", at, When::Before));
        at += 1;
    }
    // The user puts another directory in its place, while ours still exists under another name.
    fs::rename(&path, sandbox.worktree("ours")).unwrap();
    fs::create_dir(&path).unwrap();
    fs::write(path.join("precious"), "").unwrap();
    let finished = sandbox.subject().finish();
    assert!(matches!(&finished[..], [Finished::NotAdded { .. }]), "{finished:?}");
    assert!(path.join("precious").exists());
    assert_fails!(
        sandbox.subject().add_worktree(&repo, &sandbox.new_branch("x")),
        git::GitError::PathTaken { .. }
    );
}

#[test]
fn w5_a_change_that_cannot_be_finished_is_reported_and_kept() {
    let Some((sandbox, repo)) = sandbox_for(add) else { return };
    let mut at = 1;
    while !sandbox.worktree("x").exists() {
        assert!(sandbox.run_to_be_killed("*", at, When::Before));
        at += 1;
    }
    fs::rename(&repo, sandbox.root.join("away")).unwrap();
    for _ in 0..2 {
        let finished = sandbox.subject().finish();
        assert!(
            matches!(&finished[..], [Finished::Stuck { repository, .. }] if *repository == repo),
            "{finished:?}"
        );
    }
    fs::rename(sandbox.root.join("away"), &repo).unwrap();
    assert!(matches!(&sandbox.subject().finish()[..], [Finished::NotAdded { .. }]));

    let unreadable = sandbox.root.join("locks/0123.json");
    fs::write(&unreadable, "{").unwrap();
    assert!(matches!(&sandbox.subject().finish()[..], [Finished::Stuck { .. }]));
    assert!(!unreadable.exists() && sandbox.subject().finish().is_empty());
    // One of another release is that release's to read.
    fs::write(&unreadable, r#"{"format":2,"what":"ever"}"#).unwrap();
    assert!(matches!(&sandbox.subject().finish()[..], [Finished::Stuck { .. }]));
    assert!(unreadable.exists());
}
