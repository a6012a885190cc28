//! The one function through which all our git goes.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

use model::display_safe;

use crate::child::{self, End, Want};
use crate::error::GitError;
use crate::failure;
use crate::git::Git;
use crate::overruled::Setting;
use crate::settings::Mode;
use crate::turn::PAUSES;

/// More than we ever need of one answer; a list of branches of this length has fifty thousand.
const MOST_OUTPUT: usize = 8 << 20;

/// One run of git that is about to be.
pub(crate) struct Call<'a> {
    git: &'a Git,
    mode: Mode,
    dir: &'a Path,
    args: Vec<OsString>,
    overruled: Vec<Setting>,
    turn: Option<&'a File>,
}

/// What git said, if it ended by itself.
pub(crate) struct Answer {
    status: ExitStatus,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    /// Whether there was more than we read; git was stopped then.
    pub(crate) cut: bool,
}

impl Git {
    /// A run of git in a directory. In every mode it runs no hooks, asks no questions and ends in time.
    pub(crate) fn call<'a>(&'a self, mode: Mode, dir: &'a Path) -> Call<'a> {
        Call { git: self, mode, dir, args: Vec::new(), overruled: Vec::new(), turn: None }
    }

    /// A run that only reads names, refs and commits.
    pub(crate) fn look<'a>(&'a self, dir: &'a Path) -> Call<'a> {
        self.call(Mode::Look, dir)
    }
}

impl<'a> Call<'a> {
    /// Arguments. What comes from outside stands behind `--` or `--end-of-options`, or cannot begin with a dash.
    pub(crate) fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Call<'a> {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    pub(crate) fn overruling(mut self, settings: Vec<Setting>) -> Call<'a> {
        self.overruled = settings;
        self
    }

    /// Git gets the lock of this turn as its input, and holds it as long as it lives, even if we are killed. The file
    /// is empty, so there is nothing to read in it.
    pub(crate) fn in_turn(mut self, lock: Option<&'a File>) -> Call<'a> {
        self.turn = lock;
        self
    }

    /// What git answers, which may be that it failed.
    pub(crate) fn answer(self) -> Result<Answer, GitError> {
        let mut pauses = PAUSES.iter();
        loop {
            let answer = self.ask()?;
            let is_passing = !answer.succeeded() && failure::is_half_written(&answer.stderr);
            match pauses.next() {
                Some(pause) if is_passing => thread::sleep(*pause),
                _ => return Ok(answer),
            }
        }
    }

    fn ask(&self) -> Result<Answer, GitError> {
        let mut stdout = Vec::new();
        let (end, stderr) = self.run(&mut |bytes| {
            let room = MOST_OUTPUT - stdout.len();
            stdout.extend_from_slice(&bytes[..bytes.len().min(room)]);
            if bytes.len() > room { Want::NoMore } else { Want::More }
        })?;
        match end {
            End::Exited(status) => Ok(Answer { status, stdout, stderr, cut: false }),
            End::Enough => Ok(Answer { status: ExitStatus::default(), stdout, stderr, cut: true }),
            End::Deadline => Err(GitError::Deadline { command: self.name() }),
            End::Stopped => Err(GitError::Stopped),
        }
    }

    /// What git printed, all of it.
    pub(crate) fn bytes(self) -> Result<Vec<u8>, GitError> {
        let (name, dir) = (self.name(), self.dir);
        let answer = self.answer()?;
        if answer.cut {
            return Err(GitError::TooMuchOutput { command: name });
        }
        answer.or_failed(&name, dir).map(|answer| answer.stdout)
    }

    /// What git printed, or as much of it as we read.
    pub(crate) fn beginning(self) -> Result<Answer, GitError> {
        let (name, dir) = (self.name(), self.dir);
        let answer = self.answer()?;
        if answer.cut { Ok(answer) } else { answer.or_failed(&name, dir) }
    }

    /// The one line that git printed, as text.
    pub(crate) fn text(self) -> Result<String, GitError> {
        self.bytes().map(|bytes| String::from_utf8_lossy(line(&bytes)).into_owned())
    }

    /// The one path that git printed. It may have line breaks of its own.
    pub(crate) fn path(self) -> Result<PathBuf, GitError> {
        self.bytes().map(|bytes| OsString::from_vec(line(&bytes).to_vec()).into())
    }

    /// The one line that git printed, or nothing if git says no (exit status 1).
    pub(crate) fn maybe_text(self) -> Result<Option<String>, GitError> {
        let (name, dir) = (self.name(), self.dir);
        let answer = self.answer()?;
        if answer.status.code() == Some(1) {
            return Ok(None);
        }
        let answer = answer.or_failed(&name, dir)?;
        Ok(Some(String::from_utf8_lossy(line(&answer.stdout)).into_owned()))
    }

    /// Hands everything that git prints to `each`, piece by piece between NULs, without keeping it.
    pub(crate) fn each(self, each: &mut dyn FnMut(&[u8])) -> Result<(), GitError> {
        let mut rest: Vec<u8> = Vec::new();
        let (end, stderr) = self.run(&mut |bytes| {
            rest.extend_from_slice(bytes);
            let mut pieces = rest.split(|&byte| byte == 0).peekable();
            let mut last: &[u8] = &[];
            while let Some(piece) = pieces.next() {
                if pieces.peek().is_some() { each(piece) } else { last = piece }
            }
            rest = last.to_vec();
            if rest.len() > MOST_OUTPUT { Want::NoMore } else { Want::More }
        })?;
        let name = self.name();
        match end {
            End::Exited(status) if status.success() => Ok(()),
            End::Exited(_) => Err(failure::of(&name, self.dir, &stderr)),
            End::Deadline => Err(GitError::Deadline { command: name }),
            End::Stopped => Err(GitError::Stopped),
            End::Enough => Err(GitError::TooMuchOutput { command: name }),
        }
    }

    fn run(&self, reader: &mut dyn FnMut(&[u8]) -> Want) -> Result<(End, Vec<u8>), GitError> {
        let stdin = match self.turn {
            Some(lock) => lock.try_clone().map(Stdio::from),
            None => Ok(Stdio::null()),
        };
        let mut command = Command::new(self.git.program());
        command
            .arg("--no-pager")
            .args(&self.args)
            .current_dir(self.dir)
            .env_clear()
            .envs(self.git.surroundings.variables(self.mode, &self.overruled))
            .stdin(stdin.map_err(|source| self.io(source))?);
        let (deadline, stop) = (self.git.deadline(self.mode), self.git.stop(self.mode));
        child::run(command, deadline, stop, reader).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory if !self.dir.is_dir() => {
                GitError::Missing { path: self.dir.to_owned() }
            }
            io::ErrorKind::NotFound => GitError::NotFound,
            _ => self.io(error),
        })
    }

    fn io(&self, source: io::Error) -> GitError {
        GitError::Io { doing: format!("run `git {}`", self.name()), source }
    }

    /// Git's command without its arguments, safe to show.
    fn name(&self) -> String {
        let two =
            ["worktree", "config"].iter().any(|command| self.args.first().is_some_and(|arg| arg == command));
        let words = self.args.iter().take(if two { 2 } else { 1 });
        display_safe(&words.map(|arg| arg.to_string_lossy()).collect::<Vec<_>>().join(" "))
    }
}

impl Answer {
    pub(crate) fn succeeded(&self) -> bool {
        self.status.success()
    }

    pub(crate) fn stdout(&self) -> &[u8] {
        &self.stdout
    }

    fn or_failed(self, name: &str, dir: &Path) -> Result<Answer, GitError> {
        if self.succeeded() { Ok(self) } else { Err(failure::of(name, dir, &self.stderr)) }
    }
}

/// The bytes without the line break at their end.
fn line(bytes: &[u8]) -> &[u8] {
    bytes.strip_suffix(b"\n").unwrap_or(bytes)
}
