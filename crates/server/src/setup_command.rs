//! One command of a repository's `.abide.toml`, run by a shell.

use std::ffi::OsString;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncReadExt;
use tokio::process::{ChildStderr, Command};

/// Dependencies may have to be fetched; whoever needs longer is stuck.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// How much of what a command printed is told when it fails.
const TOLD_BYTES: usize = 600;

/// How much of it is read at once.
const CHUNK_BYTES: usize = 4096;

/// When a command has ended, so many chunks of what it printed may still wait: as much as a pipe holds.
const LEFT_CHUNKS: usize = 16;

/// Runs a command until it ends, which is when its shell does: what it leaves running in the background runs on. One
/// that takes too long, or that nobody waits for any more, is ended with everything it started.
///
/// # Errors
///
/// When it could not be started, failed or took too long, in words.
pub(crate) async fn run(
    command: &str,
    directory: &Path,
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<(), String> {
    let mut child = Command::new("/bin/sh")
        .args(["-c", command])
        .current_dir(directory)
        .env_clear()
        .envs(environment)
        .env("TERM", "dumb")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| error.to_string())?;
    // Behind the child, so that it is dropped before: a number is the child's until somebody has waited for it.
    let mut group = Group::of(&child);
    let mut printed = child.stderr.take().map(Printed::new);
    let ended = async {
        loop {
            tokio::select! {
                status = child.wait() => break status,
                () = Printed::read(&mut printed) => {}
            }
        }
    };
    let ended = tokio::time::timeout(PATIENCE, ended).await;
    if ended.is_ok() {
        group.is_over();
    }
    match ended {
        Ok(Ok(status)) => {
            let told = printed.map(Printed::rest).unwrap_or_default();
            if status.success() { Ok(()) } else { Err(format!("{status}: {}", told.trim())) }
        }
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("it took longer than a quarter of an hour".to_owned()),
    }
}

/// The process group of a command, which is ended with this unless it is over.
struct Group(Option<Pid>);

impl Group {
    fn of(child: &tokio::process::Child) -> Group {
        Group(child.id().and_then(|id| Pid::from_raw(id.cast_signed())))
    }

    fn is_over(&mut self) {
        self.0 = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // It may have ended just now.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// What a command printed: the end of it.
struct Printed {
    pipe: ChildStderr,
    last: Vec<u8>,
}

impl Printed {
    fn new(pipe: ChildStderr) -> Printed {
        Printed { pipe, last: Vec::new() }
    }

    /// Reads something; for ever, once nobody can print any more.
    async fn read(printed: &mut Option<Printed>) {
        let mut chunk = [0; CHUNK_BYTES];
        if let Some(Printed { pipe, last }) = printed
            && let Ok(length @ 1..) = pipe.read(&mut chunk).await
        {
            return keep(last, &chunk[..length]);
        }
        std::future::pending::<()>().await;
    }

    /// All of it, with what is there already and was not read. What the command left running may print on, to nobody.
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
    let excess = last.len().saturating_sub(TOLD_BYTES);
    last.drain(..excess);
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{BufRead, BufReader, Read};
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    fn environment() -> Vec<(OsString, OsString)> {
        vec![("PATH".into(), "/usr/bin:/bin".into())]
    }

    #[tokio::test]
    async fn why_a_command_failed_is_told_with_the_end_of_what_it_printed() {
        let place = tempfile::tempdir().unwrap();
        let run = |command: &'static str| run(command, place.path(), environment());
        assert_eq!(run("true").await, Ok(()));
        let told = run("echo first >&2; exec 2>&-; exit 9").await.unwrap_err();
        assert!(told.contains('9') && told.ends_with("first"), "{told}");
        let told = run("i=0; while [ $i -lt 5000 ]; do echo line $i >&2; i=$((i+1)); done; exit 1").await;
        let told = told.unwrap_err();
        assert!(told.ends_with("line 4999") && told.len() < 2 * TOLD_BYTES, "{told}");
    }

    #[tokio::test]
    async fn a_command_that_nobody_waits_for_is_ended_with_everything_it_started() {
        let place = tempfile::tempdir().unwrap();
        let command = "mkfifo held && exec 3>held && { sleep 1000 & echo up >&3; wait; }";
        let waiting = tokio::spawn({
            let place = place.path().to_owned();
            async move { run(command, &place, environment()).await }
        });
        let held = place.path().join("held");
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            // Who opens it before it is there sees no file.
            let held = loop {
                match File::open(&held) {
                    Ok(held) => break held,
                    Err(_) => thread::yield_now(),
                }
            };
            let mut held = BufReader::new(held);
            let mut line = String::new();
            held.read_line(&mut line).unwrap();
            tell.send(line).unwrap();
            // This ends when nobody holds the other end any more.
            let mut rest = String::new();
            held.read_to_string(&mut rest).unwrap();
            tell.send(rest).unwrap();
        });
        let told = tokio::task::spawn_blocking(move || {
            let line = told.recv_timeout(testkit::WAIT).expect("it runs");
            (line, told)
        });
        let (line, told) = told.await.unwrap();
        assert_eq!(line, "up\n");
        waiting.abort();
        assert!(waiting.await.unwrap_err().is_cancelled());
        let rest = tokio::task::spawn_blocking(move || told.recv_timeout(testkit::WAIT));
        assert_eq!(rest.await.unwrap().as_deref(), Ok(""), "all of it is ended");
    }
}
