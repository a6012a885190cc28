//! Runs one command of a repository's `.abide.toml` in a shell.

use std::ffi::OsString;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use model::{ShownText, WorktreeId};
use reading::Exit;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, Command};

use super::Node;
use super::process_group::{self, Leader};
use super::setup_record::SetupRecord;
use crate::app::blocking;
use crate::stops::{Stop, StopReason};

/// Waits for a line before it runs the command. Meanwhile the server writes the process down. If the server is killed
/// before that, the line never comes and the command does not run.
const RUN_WHEN_TOLD: &str = r#"read -r _ && exec /bin/sh -c "$0" </dev/null"#;

/// A command may have to fetch dependencies. One that needs longer is stuck.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// This much of a command's output is kept. The message about a failure has the end of it. What is before that end
/// helps to recognise a secret that begins there.
const KEPT_BYTES: usize = 4096;

/// One read takes this much output.
const CHUNK_BYTES: usize = 4096;

/// When a command has ended, this many chunks of output may still wait: as much as a pipe holds.
const LEFT_CHUNKS: usize = 16;

/// Why a command did not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SetupError {
    /// It could not be started, failed or took too long.
    Failed {
        /// The command.
        command: ShownText,
        /// A sentence about its end, with the last part of its output.
        why: ShownText,
    },
    /// It was asked to stop.
    Stopped(StopReason),
}

impl Node {
    /// Runs a command in a worktree until its shell ends. Processes that it leaves in the background run on. A command
    /// that takes too long or is asked to stop is ended with everything it started. Dropping the future ends it too.
    ///
    /// # Errors
    ///
    /// When the command failed or was stopped.
    pub(crate) async fn run_setup_command(
        &self,
        command: &str,
        worktree: WorktreeId,
        directory: &Path,
        stop: &Stop,
    ) -> Result<(), SetupError> {
        let exit = self.exit();
        let environment = match self.login_environment().await {
            Ok(environment) => environment,
            Err(problem) => return Err(told(&exit, command, &problem.error.message)),
        };
        let exit = exit.and_variables(environment.clone());
        let ours = [("COMPOSE_PROJECT_NAME".into(), format!("abide-{worktree}").into())];
        let environment = home::child_environment(environment, ours);
        let ran = run(command, directory, environment, &self.setup_record(worktree), stop).await;
        ran.map_err(|error| match error {
            Ended::Failed(why) => told(&exit, command, &why),
            Ended::Stopped(reason) => SetupError::Stopped(reason),
        })
    }
}

/// A failure in words that may leave: the output of a command may hold what its environment keeps secret.
fn told(exit: &Exit, command: &str, why: &str) -> SetupError {
    SetupError::Failed { command: exit.show(command), why: exit.show_end(why) }
}

/// How a command ended that did not succeed, in words of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ended {
    Failed(String),
    Stopped(StopReason),
}

/// Runs a command. While it runs, the file `record` says which process it is.
async fn run(
    command: &str,
    directory: &Path,
    environment: impl IntoIterator<Item = (OsString, OsString)>,
    record: &Path,
    stop: &Stop,
) -> Result<(), Ended> {
    let failed = |error: std::io::Error| Ended::Failed(error.to_string());
    let mut child = Command::new("/bin/sh")
        .args(["-c", RUN_WHEN_TOLD, command])
        .current_dir(directory)
        .env_clear()
        .envs(environment)
        .env("TERM", "dumb")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(failed)?;
    let (record, pid) = (record.to_owned(), child.id().unwrap_or_default());
    let record = blocking(move || SetupRecord::write(&record, pid)).await;
    // The group is declared after the child and the record, so it is dropped before them: the child keeps its number
    // until a process has waited for it.
    let _record = record.map_err(|problem| Ended::Failed(problem.error.message))?.map_err(failed)?;
    let mut group = Group::of(&child);
    if let Some(mut go) = child.stdin.take() {
        go.write_all(b"\n").await.map_err(failed)?;
    }
    let mut printed = child.stderr.take().map(Printed::new);
    let ended = async {
        loop {
            tokio::select! {
                status = child.wait() => break status,
                () = Printed::read(&mut printed) => {}
            }
        }
    };
    let stopped = tokio::select! {
        status = ended => {
            group.forget();
            let status = status.map_err(failed)?;
            let told = printed.map(Printed::rest).unwrap_or_default();
            let words = || format!("{status}: {}", told.trim());
            return if status.success() { Ok(()) } else { Err(Ended::Failed(words())) };
        }
        reason = stop.asked() => Ended::Stopped(reason),
        () = tokio::time::sleep(PATIENCE) => {
            Ended::Failed("it took longer than a quarter of an hour".to_owned())
        }
    };
    group.end().await;
    Err(stopped)
}

/// The process group of a command. Dropping this kills it, unless the command is over.
struct Group(Option<Pid>);

impl Group {
    fn of(child: &Child) -> Group {
        Group(child.id().and_then(|id| Pid::from_raw(id.cast_signed())))
    }

    fn forget(&mut self) {
        self.0 = None;
    }

    /// Ends the group: sends SIGTERM first, and kills the processes that take too long.
    async fn end(&mut self) {
        if let Some(group) = self.0.take() {
            // No process has waited for the child yet, so the number is still the child's.
            let _ = blocking(move || process_group::end(group, Leader::Any, || true)).await;
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // The group may have ended just now.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// The last part of a command's output.
struct Printed {
    pipe: ChildStderr,
    last: Vec<u8>,
}

impl Printed {
    fn new(pipe: ChildStderr) -> Printed {
        Printed { pipe, last: Vec::new() }
    }

    /// Reads one chunk. Never returns once the pipe is closed.
    async fn read(printed: &mut Option<Printed>) {
        let mut chunk = [0; CHUNK_BYTES];
        if let Some(Printed { pipe, last }) = printed
            && let Ok(length @ 1..) = pipe.read(&mut chunk).await
        {
            return keep(last, &chunk[..length]);
        }
        std::future::pending::<()>().await;
    }

    /// The last part of the output, with the bytes that still wait in the pipe. Output of processes that the command left
    /// running is dropped.
    fn rest(mut self) -> String {
        let mut chunk = [0; CHUNK_BYTES];
        for _ in 0..LEFT_CHUNKS {
            match rustix::io::read(self.pipe.as_fd(), &mut chunk) {
                Ok(length @ 1..) => keep(&mut self.last, &chunk[..length]),
                _ => break,
            }
        }
        let mut pipe = self.pipe;
        tokio::spawn(async move { tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await });
        String::from_utf8_lossy(&self.last).into_owned()
    }
}

fn keep(last: &mut Vec<u8>, chunk: &[u8]) {
    last.extend_from_slice(chunk);
    let excess = last.len().saturating_sub(KEPT_BYTES);
    last.drain(..excess);
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{BufRead, BufReader, Read};
    use std::path::PathBuf;
    use std::sync::mpsc::{self, Receiver};
    use std::thread;

    use model::WorktreeId;
    use tempfile::TempDir;

    use super::*;
    use crate::stops::{Stoppable, Stops};

    const WORKTREE: [u8; 8] = [1; 8];

    /// A directory to run commands in.
    struct Place {
        directory: TempDir,
        stops: Stops,
        work: Stoppable,
    }

    impl Place {
        fn new() -> Place {
            let stops = Stops::default();
            let work = stops.begin(WorktreeId::from_random(WORKTREE)).unwrap();
            Place { directory: tempfile::tempdir().unwrap(), stops, work }
        }

        fn record(&self) -> PathBuf {
            self.directory.path().join("setups/one")
        }

        fn run(&self, command: &'static str) -> impl Future<Output = Result<(), Ended>> + use<> {
            let (directory, record) = (self.directory.path().to_owned(), self.record());
            let (environment, stop) = ([("PATH".into(), "/usr/bin:/bin".into())], self.work.stop().clone());
            async move { run(command, &directory, environment, &record, &stop).await }
        }

        async fn failure(&self, command: &'static str) -> String {
            match self.run(command).await {
                Err(Ended::Failed(words)) => words,
                ended => panic!("{ended:?}"),
            }
        }

        /// Receives the text that a command writes to the pipe `held`: first a line, then the rest, when no process of
        /// the command has the pipe open any more.
        fn listen(&self) -> Receiver<String> {
            let held = self.directory.path().join("held");
            rustix::fs::mkfifoat(rustix::fs::CWD, &held, rustix::fs::Mode::RWXU).unwrap();
            let (tell, told) = mpsc::channel();
            thread::spawn(move || {
                let mut held = BufReader::new(File::open(&held).unwrap());
                let mut line = String::new();
                held.read_line(&mut line).unwrap();
                tell.send(line).unwrap();
                let mut rest = String::new();
                held.read_to_string(&mut rest).unwrap();
                tell.send(rest).unwrap();
            });
            told
        }
    }

    async fn next(told: &mut Option<Receiver<String>>) -> String {
        let listened = told.take().expect("it is listened to");
        let heard = tokio::task::spawn_blocking(move || (listened.recv_timeout(testkit::WAIT), listened));
        let (heard, listened) = heard.await.unwrap();
        *told = Some(listened);
        heard.expect("it is told in time")
    }

    #[tokio::test]
    async fn why_a_command_failed_is_told_with_the_end_of_what_it_printed() {
        let place = Place::new();
        assert_eq!(place.run("true").await, Ok(()));
        assert_eq!(place.run("! read -r x").await, Ok(()), "it has no input");
        let told = place.failure("echo first >&2; exec 2>&-; exit 9").await;
        assert!(told.contains('9') && told.ends_with("first"), "{told}");
        let told =
            place.failure("i=0; while [ $i -lt 5000 ]; do echo line $i >&2; i=$((i+1)); done; exit 1").await;
        assert!(told.ends_with("line 4999") && told.len() < 2 * KEPT_BYTES, "{told}");
        assert!(!place.record().exists(), "nothing runs");
    }

    #[tokio::test]
    async fn a_command_whose_future_is_dropped_is_ended_with_everything_it_started() {
        let place = Place::new();
        let mut told = Some(place.listen());
        let waiting = tokio::spawn(place.run("exec 3>held; sleep 1000 & echo up >&3; wait"));
        assert_eq!(next(&mut told).await, "up\n");
        assert!(place.record().exists());
        waiting.abort();
        assert!(waiting.await.unwrap_err().is_cancelled());
        assert_eq!(next(&mut told).await, "", "all of it is ended");
        assert!(!place.record().exists());
    }

    #[tokio::test]
    async fn a_command_that_is_asked_to_stop_may_clear_up_before_it_is_killed() {
        for (command, rest) in [
            (
                "exec 3>held; trap 'echo cleared >&3; exit' TERM; echo up >&3; while :; do sleep 0.01; done",
                "cleared\n",
            ),
            // The shell ends at once, and the process that it started does not.
            ("exec 3>held; (trap '' TERM; echo up >&3; while :; do sleep 1000; done) & wait", ""),
        ] {
            let place = Place::new();
            let mut told = Some(place.listen());
            let waiting = tokio::spawn(place.run(command));
            assert_eq!(next(&mut told).await, "up\n");
            let _over = place.stops.cancel(WorktreeId::from_random(WORKTREE)).expect("it is under way");
            assert_eq!(waiting.await.unwrap(), Err(Ended::Stopped(StopReason::Cancelled)));
            assert_eq!(next(&mut told).await, rest, "{command}");
            assert!(!place.record().exists());
        }
    }
}
