//! Names and places, as odd as people and programs make them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use git::{BranchName, GitError, NewWorktree, WorktreeBranch};
use testkit::Random;

use crate::sandbox::{Sandbox, assert_fails, branch};

#[test]
fn n1_we_accept_the_same_branch_names_as_git() {
    let sandbox = Sandbox::new();
    let mut random = Random::new(0xb4a9c);
    let parts = [
        "a", "B", "/", ".", "..", ".lock", "@", "@{", "-", "é", "👍", " ", "~", "^", ":", "?", "*", "[",
        "\\", "\n", "\u{7f}", "$(id)", "'", "\"", "HEAD", "\u{202e}",
    ];
    for _ in 0..300 {
        let name: String = (0..random.between(1, 4)).map(|_| random.pick(&parts)).collect();
        let git =
            sandbox.try_git(&sandbox.root, &["check-ref-format", &format!("refs/heads/{name}")]).is_ok();
        // These are fine as files, but git's own commands for branches refuse them too.
        let expected = git && !name.starts_with('-') && name != "HEAD" && name != "@";
        assert_eq!(name.parse::<BranchName>().is_ok(), expected, "{name:?}");
    }
    for name in ["", "-", "--force", "HEAD", "@"] {
        assert_fails!(name.parse::<BranchName>(), GitError::BadName { .. });
    }
    assert!("x".repeat(250).parse::<BranchName>().is_ok() && "x".repeat(255).parse::<BranchName>().is_err());
}

#[test]
fn s35_a_branch_named_like_a_command_stays_a_name() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    for (number, name) in [
        "$(touch${IFS}sprung)",
        "a;touch-x",
        "`id`",
        "a'b\"c",
        "größe/日本",
        "refs/heads/x",
        "%s%n",
        "#",
        "!",
    ]
    .iter()
    .enumerate()
    {
        let path = sandbox.worktree(&number.to_string());
        let new = NewWorktree {
            path: path.clone(),
            branch: WorktreeBranch::New { name: branch(name), base: None },
        };
        git.add_worktree(&repo, &new).unwrap();
        assert_eq!(
            sandbox.git(&path, &["symbolic-ref", "--short", "HEAD"]).trim_start_matches("heads/"),
            *name
        );
        fs::write(path.join("untracked"), "").unwrap();
        assert_eq!(git.work(&path).unwrap().untracked, 1);
        let trash = sandbox.trash(&number.to_string());
        let trashed = git.to_trash(&repo, &path, &trash).unwrap();
        assert_eq!(trashed.branch.as_deref(), Some(*name));
        git.from_trash(&repo, &trash, &path, &trashed).unwrap();
        assert!(git.inspect(&path).unwrap().linked);
        assert_eq!(git.worktrees(&repo).unwrap().last().unwrap().branch.as_deref(), Some(*name));
    }
    let sprung = fs::read_dir(&sandbox.root).unwrap().flatten().any(|entry| entry.file_name() == "sprung");
    assert!(!sprung && !repo.join("sprung").exists());
}

#[test]
fn s35_a_base_is_a_name_and_never_an_option_or_an_expression() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    let before = sandbox.state(&repo);
    for base in ["--detach", "-x", "main^", "main~1", "HEAD@{1}", ":/change", "main..x", "a b", ""] {
        let branch = WorktreeBranch::New { name: branch("x"), base: Some(base.to_owned()) };
        let new = NewWorktree { path: sandbox.worktree("x"), branch };
        assert_fails!(git.add_worktree(&repo, &new), GitError::BadName { .. });
    }
    let branch = WorktreeBranch::New { name: branch("x"), base: Some("nothing".to_owned()) };
    let new = NewWorktree { path: sandbox.worktree("x"), branch };
    assert_fails!(git.add_worktree(&repo, &new), GitError::NoSuchRevision { .. });
    assert_eq!(sandbox.state(&repo), before);
}

#[test]
fn n1_paths_may_be_as_odd_as_the_file_system_allows() {
    let names = [
        &b"with space"[..],
        b"'quoted\"",
        b"-dash",
        b"...",
        "größe 日本 👍".as_bytes(),
        "\u{202e}rtl".as_bytes(),
        b"$(id)",
        b"invalid \xff\xfe",
        &[b'x'; 255],
    ];
    let sandbox = Sandbox::new();
    let git = sandbox.subject();
    for name in names {
        let name = OsStr::from_bytes(name);
        let repo = sandbox.repo(name);
        assert_eq!(git.inspect(&repo).unwrap().path, repo);
        let path = sandbox.root.join("worktrees").join(name);
        let new =
            NewWorktree { path: path.clone(), branch: WorktreeBranch::New { name: branch("x"), base: None } };
        git.add_worktree(&repo, &new).unwrap();
        assert_eq!(git.branches(&repo).unwrap()[1].checked_out.as_ref(), Some(&path));
        let trash = sandbox.root.join("trash").join(name);
        let trashed = git.to_trash(&repo, &path, &trash).unwrap();
        assert_eq!(git.trashed(&trash).unwrap(), trashed);
        git.from_trash(&repo, &trash, &path, &trashed).unwrap();
        assert!(git.work(&path).unwrap().is_nothing());
    }
    sandbox.assert_settled();
}

#[test]
fn n1_a_worktree_in_a_path_with_a_line_break_is_refused_and_a_repository_is_not() {
    let sandbox = Sandbox::new();
    let git = sandbox.subject();
    let repo = sandbox.repo("line\nbreak");
    assert_eq!(git.inspect(&repo).unwrap().path, repo);
    assert_eq!(git.worktrees(&repo).unwrap()[0].path, repo);
    let new = NewWorktree { path: sandbox.worktree("a\nb"), ..sandbox.new_branch("x") };
    assert_fails!(git.add_worktree(&repo, &new), GitError::BadName { .. });
    let new = NewWorktree { path: "relative".into(), ..sandbox.new_branch("x") };
    assert_fails!(git.add_worktree(&repo, &new), GitError::BadName { .. });
}

#[test]
fn a_free_name_is_found_next_to_those_that_are_taken() {
    let (sandbox, repo) = Sandbox::with_repo();
    let git = sandbox.subject();
    let free = |wanted: &str| git.free_branch(&repo, &branch(wanted)).unwrap().as_str().to_owned();
    assert_eq!(free("abide/x"), "abide/x");
    for name in ["abide/x", "abide/x-2", "taken"] {
        sandbox.git(&repo, &["branch", name]);
    }
    assert_eq!(free("abide/x"), "abide/x-3");
    assert_eq!(free("abide"), "abide-2");
    assert_eq!(free("taken/x"), "taken-x");
    sandbox.git(&repo, &["branch", "taken-x"]);
    assert_eq!(free("taken/x"), "taken-x-2");
    for name in ["abide/x-3", "abide-2", "taken-x-2"] {
        sandbox.git(&repo, &["branch", name]);
    }
}

#[test]
fn s24_messages_of_git_are_shown_safely() {
    let (sandbox, repo) = Sandbox::with_repo();
    let program = sandbox.program("git", "printf 'fatal: \\033[31m\\342\\200\\256evil\\n' >&2; exit 128");
    let error = sandbox.subject_at(program).inspect(&repo).unwrap_err();
    assert_eq!(error.to_string(), "`git rev-parse` failed: fatal: \u{fffd}[31m\u{fffd}evil");
    let error = sandbox.subject().inspect(&sandbox.root.join("\u{1b}]0;x\u{7}")).unwrap_err();
    assert!(!error.to_string().contains(char::is_control), "{error}");
}
