//! A git repository for a test, with a sealed configuration.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A repository with one commit.
pub struct Repository {
    path: PathBuf,
    home: PathBuf,
}

impl Repository {
    /// Makes one in this directory, which is also the home directory of its git.
    pub fn new(home: &Path, name: &str) -> Repository {
        let repository = Repository { path: home.join(name), home: home.to_owned() };
        std::fs::create_dir_all(&repository.path).expect("a directory");
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository.write("README.md", "hello\n");
        repository.commit("first");
        repository
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it is, as text.
    pub fn text(&self) -> &str {
        self.path.to_str().expect("text")
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path.join(name), text).expect("the file");
    }

    /// Commits everything.
    pub fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "-m", message]);
    }

    /// Runs git in it, and gives what it printed.
    pub fn git(&self, arguments: &[&str]) -> String {
        self.git_in(&self.path, arguments)
    }

    /// Runs git in one of its worktrees.
    pub fn git_in(&self, directory: &Path, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=Test", "-c", "user.email=test@example.invalid"]);
        command.args(arguments).current_dir(directory);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", &self.home).env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.output().expect("git runs");
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {words}");
        String::from_utf8(output.stdout).expect("text")
    }
}
