//! Processes that are killed in the middle of a change: at every step of git's, before it, during it and after it.
//!
//! The change is made in a process of its own, by the calling test run again. Its git is a script that counts the steps
//! and kills the process that runs it when told to, so the kill is a real one.

use std::env;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use git::{Finished, Git};

use crate::sandbox::Sandbox;

/// Tells the second run that it is one, and where its sandbox is.
const SANDBOX: &str = "ABIDE_TEST_SANDBOX";

/// Where the process that runs git is killed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum When {
    Before,
    /// Git itself lives on and does what it was told.
    During,
    After,
}

impl Sandbox {
    /// A git that kills the process that runs it. It does so at the `at`-th run whose arguments match `steps`, a shell
    /// pattern.
    fn deadly_git(&self, steps: &str, at: usize, when: When) {
        let count = self.root.join("count");
        let act = match when {
            When::Before => "kill -9 $PPID; exit 1",
            When::During => "kill -9 $PPID; sleep 0.05; exec $real \"$@\"",
            When::After => "$real \"$@\"; kill -9 $PPID; exit 1",
        };
        let script = format!(
            "case \"$*\" in {steps}) echo >>{0}; if [ $(wc -l <{0}) -eq {at} ]; then {act}; fi;; esac\n\
             exec $real \"$@\"",
            count.display()
        );
        self.program("deadly", &script);
    }

    /// Runs the calling test again to be killed; says whether it was.
    pub(crate) fn run_to_be_killed(&self, steps: &str, at: usize, when: When) -> bool {
        self.deadly_git(steps, at, when);
        let _ = fs::remove_file(self.root.join("count"));
        self.run_deadly()
    }

    /// The same, with the program `deadly` as it is.
    pub(crate) fn run_deadly(&self) -> bool {
        let test = thread::current().name().expect("the harness names a test's thread").to_owned();
        let output = Command::new(env::current_exe().unwrap())
            .args(["--exact", &test, "--nocapture"])
            .env(SANDBOX, &self.root)
            .output()
            .unwrap();
        fs::remove_file(self.root.join("deadly")).unwrap();
        let words = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() || output.status.signal() == Some(9), "{words}");
        !output.status.success()
    }
}

/// In the second run, makes the change with the deadly git, and gives nothing. In the first run, gives a sandbox with one
/// repository.
pub(crate) fn sandbox_for(change: impl Fn(&Git, &Sandbox, &Path)) -> Option<(Sandbox, PathBuf)> {
    let Some(root) = env::var_os(SANDBOX) else { return Some(Sandbox::with_repo()) };
    let sandbox = Sandbox::existing(root.into());
    change(&sandbox.subject_at(sandbox.root.join("deadly")), &sandbox, &sandbox.root.join("repo"));
    None
}

/// Kills the change at every step, each time in a fresh sandbox; `check` looks at the state after `finish`. Then the same
/// change must work.
pub(crate) fn check_every_step(
    change: impl Fn(&Git, &Sandbox, &Path),
    steps: &str,
    least: usize,
    prepare: impl Fn(&Sandbox, &Path),
    check: impl Fn(&Sandbox, &Path, Option<Finished>),
) {
    for when in [When::Before, When::After, When::During] {
        let mut at = 0;
        loop {
            at += 1;
            let Some((sandbox, repo)) = sandbox_for(&change) else { return };
            prepare(&sandbox, &repo);
            if !sandbox.run_to_be_killed(steps, at, when) {
                break;
            }
            let mut finished = sandbox.subject().finish();
            assert!(finished.len() <= 1, "{finished:?}");
            sandbox.assert_settled();
            assert!(sandbox.subject().finish().is_empty());
            check(&sandbox, &repo, finished.pop());
            sandbox.git(&repo, &["fsck"]);
        }
        assert!(at > least, "the change was killed at {} steps only", at - 1);
    }
}
