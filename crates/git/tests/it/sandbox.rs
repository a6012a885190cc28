//! A temporary place with its own home directory, and repositories in it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use git::{BranchName, Git, GitError, MadeWorktree, NewWorktree, WorktreeBranch};
use tempfile::TempDir;

/// A place where git finds no settings but those of the test.
pub(crate) struct Sandbox {
    _dir: Option<TempDir>,
    pub(crate) root: PathBuf,
}

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for name in ["home", "worktrees", "trash"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        let settings = "[user]\nname = Somebody\nemail = somebody@example.org\n[init]\ndefaultBranch = main\n\
                        [protocol \"file\"]\nallow = always\n";
        fs::write(root.join("home/.gitconfig"), settings).unwrap();
        Sandbox { _dir: Some(dir), root }
    }

    /// One that another process has made, and removes.
    pub(crate) fn existing(root: PathBuf) -> Sandbox {
        Sandbox { _dir: None, root }
    }

    /// A sandbox with one repository, `repo`, which has one commit.
    pub(crate) fn with_repo() -> (Sandbox, PathBuf) {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("repo");
        (sandbox, repo)
    }

    pub(crate) fn repo(&self, name: impl AsRef<OsStr>) -> PathBuf {
        let repo = self.root.join(name.as_ref());
        fs::create_dir(&repo).unwrap();
        self.git(&repo, &["init", "-q"]);
        self.commit(&repo, "file", "one\n");
        repo
    }

    pub(crate) fn commit(&self, repo: &Path, file: &str, text: &str) -> String {
        fs::write(repo.join(file), text).unwrap();
        self.git(repo, &["add", "--", file]);
        self.git(repo, &["commit", "-q", "-m", &format!("change {file}")]);
        self.git(repo, &["rev-parse", "HEAD"])
    }

    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        [("PATH", path), ("HOME", self.root.join("home").into()), ("GIT_CONFIG_NOSYSTEM", "1".into())]
            .map(|(name, value)| (name.into(), value))
            .to_vec()
    }

    /// The subject of these tests.
    pub(crate) fn subject(&self) -> Git {
        Git::find_in(self.environment()).unwrap().with_locks(self.root.join("locks"))
    }

    /// Ordinary git, as a person at a command line has it.
    pub(crate) fn try_git(&self, dir: &Path, args: &[&str]) -> Result<String, String> {
        let output = Command::new("git")
            .args(args)
            .current_dir(dir)
            .env_clear()
            .envs(self.environment())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    #[track_caller]
    pub(crate) fn git(&self, dir: &Path, args: &[&str]) -> String {
        self.try_git(dir, args).unwrap_or_else(|error| panic!("git {args:?}: {error}"))
    }

    pub(crate) fn worktree(&self, name: &str) -> PathBuf {
        self.root.join("worktrees").join(name)
    }

    pub(crate) fn trash(&self, name: &str) -> PathBuf {
        self.root.join("trash").join(name)
    }

    /// A worktree of this name on a new branch of this name.
    #[track_caller]
    pub(crate) fn add(&self, repo: &Path, name: &str) -> MadeWorktree {
        self.subject().add_worktree(repo, &self.new_branch(name)).unwrap()
    }

    pub(crate) fn new_branch(&self, name: &str) -> NewWorktree {
        NewWorktree {
            path: self.worktree(name),
            branch: WorktreeBranch::New { name: branch(name), base: None },
        }
    }

    pub(crate) fn existing_branch(&self, name: &str) -> NewWorktree {
        NewWorktree { path: self.worktree(name), branch: WorktreeBranch::Existing(branch(name)) }
    }

    /// Everything git says of a repository: refs and worktrees. Equal before and after means that nothing stayed.
    pub(crate) fn state(&self, repo: &Path) -> String {
        let refs = self.git(repo, &["for-each-ref"]);
        let worktrees = self.git(repo, &["worktree", "list", "--porcelain"]);
        let entries = fs::read_dir(repo.join(".git/worktrees")).into_iter().flatten().flatten();
        let mut entries: Vec<OsString> = entries.map(|entry| entry.file_name()).collect();
        entries.sort();
        let mut made: Vec<OsString> = fs::read_dir(self.root.join("worktrees"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        made.sort();
        format!("{refs}\n{worktrees}\n{entries:?}\n{made:?}")
    }

    /// No intent is left.
    #[track_caller]
    pub(crate) fn assert_settled(&self) {
        let entries = fs::read_dir(self.root.join("locks")).into_iter().flatten().flatten();
        let left: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        assert!(left.iter().all(|name| name.to_string_lossy().ends_with(".lock")), "{left:?}");
    }

    /// A program that says what it was called with, and does what `script` says. `$real` is the real git.
    pub(crate) fn program(&self, name: &str, script: &str) -> PathBuf {
        let path = self.root.join(name);
        let real = self.subject().program().to_owned();
        testkit::write_executable(&path, &format!("#!/bin/sh\nreal='{}'\n{script}\n", real.display()));
        path
    }

    /// The subject with another program in the place of git.
    pub(crate) fn subject_at(&self, program: PathBuf) -> Git {
        Git::at(program).in_environment(self.environment()).with_locks(self.root.join("locks"))
    }
}

pub(crate) fn branch(name: &str) -> BranchName {
    name.parse().unwrap()
}

pub(crate) fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[track_caller]
pub(crate) fn failed<T: std::fmt::Debug>(result: Result<T, GitError>) -> GitError {
    result.expect_err("this should have failed")
}

/// `assert_fails!(call, Pattern)`: the call fails in just this way.
macro_rules! assert_fails {
    ($call:expr, $($pattern:tt)+) => {
        let error = $crate::sandbox::failed($call);
        assert!(matches!(&error, $($pattern)+), "{error:?}");
    };
}
pub(crate) use assert_fails;
