//! A data directory of its own for a test, with real hosts in it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use home::{Home, Identity};
use rustix::process::{Pid, Signal, kill_process_group};
use system::processes;
use tempfile::TempDir;

use crate::Worker;

/// A data directory with the workers that a test started in it. When it is dropped, they are killed.
pub struct House {
    program: PathBuf,
    root: PathBuf,
    temporary: Option<TempDir>,
    variables: Vec<(String, String)>,
}

impl House {
    /// An empty one for this program. No keeper runs in it, unless a test [sets](House::set) `ABIDE_KEEPER`.
    pub fn new(program: impl Into<PathBuf>) -> House {
        let temporary = TempDir::new().expect("a temporary directory");
        let mut house = House::at(program, temporary.path());
        house.temporary = Some(temporary);
        house
    }

    /// One in a directory that the test made.
    pub fn at(program: impl Into<PathBuf>, root: impl Into<PathBuf>) -> House {
        let variables = vec![("ABIDE_KEEPER".into(), "false".into())];
        House { program: program.into(), root: root.into(), temporary: None, variables }
    }

    /// Sets a variable in the environment of every command that is run.
    pub fn set(&mut self, name: &str, value: &str) {
        self.variables.retain(|(there, _)| there != name);
        self.variables.push((name.into(), value.into()));
    }

    /// The data directory.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// The same, as `home` sees it.
    pub fn home(&self) -> Home {
        Home::at(self.path())
    }

    /// The program with these arguments, in a clean environment.
    pub fn command<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(&self.program);
        self.settle(command.args(arguments));
        command
    }

    /// Gives a command the clean environment of this data directory.
    pub fn settle(&self, command: &mut Command) {
        command.env_clear().current_dir(self.path());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.path()).env("ABIDE_HOME", self.path()).env("LANG", "C.UTF-8");
        command.env("SHELL", "/bin/sh").env("PS1", "$ ");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
    }

    /// Runs the program to its end.
    pub fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Output {
        self.command(arguments).output().expect("the program runs")
    }

    /// Runs the program, which must succeed, and gives what it printed.
    pub fn output<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }

    /// Starts a worker with this command.
    pub fn worker(&self, command: &[&str]) -> Worker {
        self.worker_with(&[], command)
    }

    /// Starts a worker that runs a shell script.
    pub fn script(&self, script: &str) -> Worker {
        self.worker(&["sh", "-c", script])
    }

    /// Starts a worker with further options of `abide new`.
    pub fn worker_with(&self, options: &[&str], command: &[&str]) -> Worker {
        let arguments = [&["new", "-d"], options, &["--"], command].concat();
        let name = self.output(arguments).trim().to_owned();
        self.called(&name)
    }

    /// The worker of this name or id.
    pub fn called(&self, name: &str) -> Worker {
        let found = self.home().worker_called(name).expect("the worker is there");
        Worker { name: name.to_owned(), dir: found.dir }
    }

    /// Kills the keepers and all workers, as [`Drop`] does.
    pub fn kill_all(&self) {
        // The keepers first, or they would start new hosts.
        for identity in keepers(self.path()) {
            let _ = identity.signal(Signal::KILL);
        }
        for dir in self.home().worker_dirs().unwrap_or_default() {
            let child = viewer::status(&dir.socket()).map(|status| status.child_pid).ok();
            if let Some(identity) = dir.identity() {
                let _ = identity.signal(Signal::KILL);
            }
            if let Some(child) = child.and_then(|pid| Pid::from_raw(pid.cast_signed())) {
                let _ = kill_process_group(child, Signal::KILL);
            }
        }
    }
}

impl Drop for House {
    fn drop(&mut self) {
        if std::thread::panicking() {
            print_logs(&self.home());
        }
        self.kill_all();
    }
}

/// Prints the logs of hosts and keeper, so that a person can find the reason of a failure.
fn print_logs(home: &Home) {
    let logs = home.worker_dirs().unwrap_or_default().into_iter().map(|dir| dir.log());
    for log in logs.chain([home.keeper_log()]) {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        if !text.is_empty() {
            eprintln!("{}:\n{text}", log.display());
        }
    }
}

/// Keepers of this data directory: processes that have it in their environment and are called so.
fn keepers(root: &Path) -> Vec<Identity> {
    let root = root.to_str().expect("a path of text");
    let is_keeper = |pid: &u32| {
        let arguments = processes::arguments(*pid).unwrap_or_default();
        arguments.iter().any(|word| word == "keeper") && processes::has_variable(*pid, "ABIDE_HOME", root)
    };
    processes::all().filter(is_keeper).filter_map(Identity::of).collect()
}
