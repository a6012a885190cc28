//! What becomes of a change whose process was killed.

use std::cell::RefCell;
use std::fs;
use std::path::Path;

use git::{Finished, TakenBack};

use crate::sandbox::{Sandbox, assert_fails};
use crate::trash::contents;
use crate::victims::{When, check_every_step, victim};

#[test]
fn w5_adding_a_worktree_is_completed_or_undone() {
    if let Some((git, root)) = victim() {
        let sandbox = Sandbox::existing(root);
        git.add_worktree(&sandbox.root.join("repo"), &sandbox.new_branch("x")).unwrap();
        return;
    }
    let states = RefCell::new(Vec::new());
    check_every_step(
        "*update-ref*|*'worktree add'*",
        2,
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
    if let Some((git, root)) = victim() {
        let sandbox = Sandbox::existing(root);
        git.to_trash(&sandbox.root.join("repo"), &sandbox.worktree("x"), &sandbox.trash("t")).unwrap();
        return;
    }
    let contents_before = RefCell::new(String::new());
    check_every_step(
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
    if let Some((git, root)) = victim() {
        let sandbox = Sandbox::existing(root);
        let trashed = git.trashed(&sandbox.trash("t")).unwrap();
        git.from_trash(&sandbox.root.join("repo"), &sandbox.trash("t"), &sandbox.worktree("x"), &trashed)
            .unwrap();
        return;
    }
    let contents_before = RefCell::new(String::new());
    check_every_step(
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
    if let Some((git, root)) = victim() {
        let sandbox = Sandbox::existing(root);
        let (repo, path, trash) = (sandbox.root.join("repo"), sandbox.worktree("x"), sandbox.trash("t"));
        if path.exists() {
            git.to_trash(&repo, &path, &trash).unwrap();
        } else {
            git.from_trash(&repo, &trash, &path, &git.trashed(&trash).unwrap()).unwrap();
        }
        return;
    }
    let (sandbox, repo) = Sandbox::with_repo();
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
fn w5_a_worktree_that_is_neither_here_nor_there_is_said_to_be_gone() {
    if let Some((git, root)) = victim() {
        let sandbox = Sandbox::existing(root);
        git.to_trash(&sandbox.root.join("repo"), &sandbox.worktree("x"), &sandbox.trash("t")).unwrap();
        return;
    }
    let (sandbox, repo) = Sandbox::with_repo();
    let path = sandbox.add(&repo, "x").path;
    assert!(sandbox.run_to_be_killed("*update-ref*", 1, When::After));
    fs::rename(&path, sandbox.root.join("elsewhere")).unwrap();
    let finished = sandbox.subject().finish();
    assert!(matches!(&finished[..], [Finished::Gone { from, .. }] if *from == path), "{finished:?}");
    assert!(sandbox.root.join("elsewhere/file").exists());
    sandbox.assert_settled();
}

#[test]
fn w5_expiring_goes_on_where_it_was_stopped() {
    if let Some((git, root)) = victim() {
        let sandbox = Sandbox::existing(root);
        git.expire(&sandbox.root.join("repo"), &sandbox.trash("t")).unwrap();
        return;
    }
    let (sandbox, repo) = Sandbox::with_repo();
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
fn w5_whoever_comes_next_finishes_what_is_left() {
    if let Some((git, root)) = victim() {
        let sandbox = Sandbox::existing(root);
        git.add_worktree(&sandbox.root.join("repo"), &sandbox.new_branch("x")).unwrap();
        return;
    }
    let (sandbox, repo) = Sandbox::with_repo();
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
    if let Some((git, root)) = victim() {
        let sandbox = Sandbox::existing(root);
        git.add_worktree(&sandbox.root.join("repo"), &sandbox.new_branch("x")).unwrap();
        return;
    }
    let (sandbox, _) = Sandbox::with_repo();
    let done = sandbox.root.join("done");
    // The checkout goes on when we are gone, and takes its time.
    let script = format!(
        "case \"$*\" in *'worktree add'*) kill -9 $PPID; sleep 1; $real \"$@\"; touch {};; *) exec $real \"$@\";; esac",
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
    if let Some((git, root)) = victim() {
        let sandbox = Sandbox::existing(root);
        git.add_worktree(&sandbox.root.join("repo"), &sandbox.new_branch("x")).unwrap();
        return;
    }
    let (sandbox, repo) = Sandbox::with_repo();
    sandbox.commit(&repo, ".gitattributes", "last filter=slow\n");
    sandbox.commit(&repo, "last", "one\n");
    let begun = sandbox.root.join("begun");
    let smudge = format!("touch {}; sleep 1000", begun.display());
    sandbox.git(&repo, &["config", "filter.slow.smudge", &smudge]);
    let before = sandbox.state(&repo);
    // We, git, and whoever git has started: all at once, in the middle of the files.
    let script = format!(
        "case \"$*\" in *'worktree add'*) $real \"$@\" & while [ ! -e {} ]; do sleep 0.01; done; \
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
fn w5_what_git_noted_at_its_very_first_step_goes_too() {
    if let Some((git, root)) = victim() {
        let sandbox = Sandbox::existing(root);
        git.add_worktree(&sandbox.root.join("repo"), &sandbox.new_branch("x")).unwrap();
        return;
    }
    let (sandbox, repo) = Sandbox::with_repo();
    sandbox.add(&repo, "other");
    let before = sandbox.state(&repo);
    assert!(sandbox.run_to_be_killed("*'worktree add'*", 1, When::Before));
    let noted = repo.join(".git/worktrees/x");
    fs::create_dir(&noted).unwrap();
    fs::write(noted.join("locked"), "initializing\n").unwrap();
    let finished = sandbox.subject().finish();
    assert!(matches!(&finished[..], [Finished::NotAdded { .. }]), "{finished:?}");
    assert_eq!(sandbox.state(&repo), before);
}

#[test]
fn w5_a_directory_that_is_not_the_one_we_made_is_never_removed() {
    if let Some((git, root)) = victim() {
        let sandbox = Sandbox::existing(root);
        git.add_worktree(&sandbox.root.join("repo"), &sandbox.new_branch("x")).unwrap();
        return;
    }
    let (sandbox, repo) = Sandbox::with_repo();
    let path = sandbox.worktree("x");
    let mut at = 1;
    while !path.exists() {
        assert!(sandbox.run_to_be_killed("*", at, When::Before));
        at += 1;
    }
    // Somebody puts a directory of their own in its place, while ours lives on under another name.
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
fn w5_what_cannot_be_finished_is_said_and_stays() {
    if let Some((git, root)) = victim() {
        let sandbox = Sandbox::existing(root);
        git.add_worktree(&sandbox.root.join("repo"), &sandbox.new_branch("x")).unwrap();
        return;
    }
    let (sandbox, repo) = Sandbox::with_repo();
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
