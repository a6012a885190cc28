//! `abide new`: starts a worker.

use std::env;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use home::{NewWorker, StartError, StartFailure, Worker};
use model::{SizePolicy, TermSize, WorkerName};
use rustix::stdio::{stdin, stdout};
use rustix::termios::{isatty, tcgetwinsize};

use crate::failure::Failure;
use crate::output;
use crate::own_program::host_program;
use crate::settings::Settings;
use crate::sweep;
use crate::workers;

/// Start a worker and attach to it
///
/// The worker keeps running when you detach (Ctrl-\ d, unless you set another key), close the terminal or log out. If
/// the child ends while you are attached, abide exits with the child's exit code.
#[derive(Args)]
pub(super) struct New {
    /// The worker's name; by default made from its command
    #[arg(long, short, value_name = "NAME")]
    name: Option<WorkerName>,
    /// The directory to start in; by default the current one
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Do not attach; print the worker's name
    #[arg(long, short)]
    detach: bool,
    /// Columns and rows of the terminal, for example 120x40
    #[arg(long, value_name = "CxR")]
    size: Option<TermSize>,
    /// Which viewer decides the size later: latest, smallest, or fixed for none
    #[arg(long, value_name = "POLICY")]
    size_policy: Option<SizePolicy>,
    /// Set an environment variable; may be given more than once
    #[arg(long, value_name = "NAME=VALUE", value_parser = clap::builder::OsStringValueParser::new())]
    env: Vec<OsString>,
    /// The command to run; by default your shell
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

impl New {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let has_terminal = isatty(stdin()) && isatty(stdout());
        if !self.detach && !has_terminal {
            return Err(Failure::ours("cannot attach: standard input and output are not a terminal")
                .hint("start the worker with `-d`, and look at it with `abide screen`"));
        }
        let home = workers::home()?;
        let settings = Settings::read(&home)?;
        let new = NewWorker {
            id: None,
            session: None,
            agent: None,
            name: self.name,
            command: command(self.command, &settings)?,
            cwd: start_directory(self.cwd.as_deref())?,
            size: self.size.or_else(|| own_size().filter(|_| !self.detach)).unwrap_or(settings.size),
            size_policy: self.size_policy.unwrap_or(settings.size_policy),
            grace_ms: settings.grace_ms,
            recording_bytes: settings.recording_mib << 20,
            mask: settings.mask,
            environment: env::vars_os().collect(),
            hook_settings: None,
            shell_integration: settings.shell_integration,
            variables: self.env.iter().map(variable).collect::<Result<_, _>>()?,
            program: host_program()?,
            scope: settings.scope.is_wanted(),
        };
        let (program, scope) = (new.program.clone(), new.scope);
        let started = home::start(&home, new).map_err(start_failure)?;
        let worker = Worker { dir: started.dir, meta: started.meta };
        if settings.keeper {
            // A worker without one is better than none: what is wrong with it, `abide doctor` says.
            let _ = keeper::ensure(&home, worker.meta.worker, &program, scope);
        }
        sweep::sweep_if_due(&home);
        if self.detach {
            output::write(format!("{}\n", worker.meta.name))?;
            return Ok(0);
        }
        super::attach::attach(worker, Some(started.stream), false, &settings)
    }
}

/// The command to run, as text: it is written down, shown and sent.
fn command(words: Vec<OsString>, settings: &Settings) -> Result<Vec<String>, Failure> {
    let words = match (words.is_empty(), &settings.shell) {
        (false, _) => words,
        (true, Some(shell)) => vec![shell.into()],
        (true, None) => vec![home::login_shell()],
    };
    let text = |word: OsString| {
        word.into_string().map_err(|word| {
            let shown = model::display_safe(&word.to_string_lossy());
            Failure::usage(format!("`{shown}` in the command is not valid UTF-8"))
                .hint("put the command into a script, and start that")
        })
    };
    words.into_iter().map(text).collect()
}

/// Where the worker starts: a directory that is there, and no other.
fn start_directory(asked: Option<&Path>) -> Result<PathBuf, Failure> {
    let current = || {
        env::current_dir()
            .context("the current directory no longer exists")
            .map_err(|error| Failure::from(error).hint("go to one that exists, or name one with `--cwd`"))
    };
    let directory = match asked {
        Some(asked) if asked.is_absolute() => asked.to_owned(),
        Some(asked) => current()?.join(asked),
        None => shown_directory(current()?),
    };
    let shown = model::display_safe(&directory.to_string_lossy());
    if directory.to_str().is_none() {
        return Err(Failure::usage(format!("the directory `{shown}` is not valid UTF-8"))
            .hint("start it elsewhere, or through a link with a plain name"));
    }
    match directory.metadata() {
        Ok(found) if found.is_dir() => Ok(directory),
        Ok(_) => Err(Failure::ours(format!("cannot start in `{shown}`: it is not a directory"))
            .hint("name a directory with `--cwd`")),
        Err(error) => Err(Failure::ours(format!("cannot start in `{shown}`: {error}"))
            .hint("make it first, or name another with `--cwd`")),
    }
}

/// The current directory by the name that the shell shows, which may lead over links.
fn shown_directory(current: PathBuf) -> PathBuf {
    let shown = env::var_os("PWD").map(PathBuf::from).filter(|shown| shown.is_absolute());
    let is_same = |shown: &PathBuf| shown.canonicalize().ok() == current.canonicalize().ok();
    shown.filter(is_same).unwrap_or(current)
}

/// The size of the terminal we are in, if it knows.
fn own_size() -> Option<TermSize> {
    let size = tcgetwinsize(stdout()).ok().filter(|size| size.ws_col > 0 && size.ws_row > 0)?;
    Some(TermSize::clamped(size.ws_col, size.ws_row))
}

fn variable(text: &OsString) -> Result<(OsString, OsString), Failure> {
    let bytes = text.as_bytes();
    let equals = bytes.iter().position(|&byte| byte == b'=').filter(|&at| at > 0);
    let Some(equals) = equals else {
        let shown = model::display_safe(&text.to_string_lossy());
        return Err(Failure::usage(format!("`--env {shown}` sets no variable"))
            .hint("write NAME=VALUE, for example `--env LANG=C.UTF-8`"));
    };
    let part = |bytes: &[u8]| std::ffi::OsStr::from_bytes(bytes).to_owned();
    Ok((part(&bytes[..equals]), part(&bytes[equals + 1..])))
}

/// Why there is no new worker, and what to do about it.
pub(super) fn start_failure(error: StartError) -> Failure {
    let hint = match &error {
        StartError::NameTaken(name) => {
            format!(
                "attach to it with `abide attach {name}`, remove it with `abide rm {name}`, or choose another name"
            )
        }
        StartError::Failed(StartFailure::CommandNotFound { .. }) => {
            "check that it is installed and in PATH, or give its path".to_owned()
        }
        StartError::Failed(StartFailure::CommandUnfit { .. }) => {
            "check that it is a program and that you may run it".to_owned()
        }
        StartError::Failed(StartFailure::Directory { .. }) => {
            "name another directory with `--cwd`".to_owned()
        }
        StartError::Failed(StartFailure::NoPty { .. }) => {
            "end some terminals, or raise kernel.pty.max; `abide doctor` shows how many there are".to_owned()
        }
        StartError::Home(_) | StartError::Private(_) => {
            "set ABIDE_HOME to a directory that only you can access".to_owned()
        }
        StartError::Disk(_) => "check that the disk has space; `abide doctor` shows it".to_owned(),
        StartError::Spawn { .. }
        | StartError::Random(_)
        | StartError::Unheard(_)
        | StartError::Silent { .. }
        | StartError::Failed(StartFailure::AlreadyHosted | StartFailure::Other { .. }) => {
            "`abide doctor` checks what hosts need".to_owned()
        }
    };
    Failure::from(anyhow::Error::from(error)).hint(hint)
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    fn words<T: std::fmt::Debug>(result: Result<T, Failure>) -> String {
        format!("{:?}", result.unwrap_err())
    }

    #[test]
    fn a_variable_without_a_name_is_refused() {
        assert_eq!(variable(&"A=b=c".into()).unwrap(), ("A".into(), "b=c".into()));
        assert_eq!(variable(&"A=".into()).unwrap(), ("A".into(), "".into()));
        for text in ["A", "=b", ""] {
            assert!(words(variable(&text.into())).contains("sets no variable"), "{text:?}");
        }
    }

    #[test]
    fn n1_a_command_that_is_not_utf_8_is_refused_with_a_reason() {
        let odd = OsString::from_vec(b"a\xff".to_vec());
        assert!(words(command(vec![odd], &Settings::default())).contains("not valid UTF-8"));
    }

    #[test]
    fn n4_a_start_directory_must_exist() {
        let words = words(start_directory(Some(Path::new("/no/such/place"))));
        assert!(words.contains("/no/such/place") && words.contains("--cwd"), "{words}");
        assert!(start_directory(Some(Path::new("/proc/version"))).is_err());
        assert_eq!(start_directory(Some(Path::new("/"))).unwrap(), Path::new("/"));
    }
}
