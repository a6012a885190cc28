//! `abide service install`: the unit is written.

use std::env;
use std::path::{Path, PathBuf};

use clap::Args;
use home::Home;

use super::manager::{self, ENABLE, RELOAD, RESTART, Step};
use super::place::{self, Found};
use super::unit;
use crate::failure::Failure;
use crate::output;
use crate::own_program::own_program;
use crate::settings::in_path;
use crate::workers;

/// Write a systemd user unit for the server
///
/// Prints where it is, and what to do next. Terminals are not ended with the service. What can be set is in config.toml;
/// the unit names the data directory only if it is not the default one.
#[derive(Args)]
pub(in crate::commands) struct Install {
    /// Start it now and with every login, and let it stay between logins
    #[arg(long)]
    now: bool,
    /// Replace a unit that somebody else wrote or changed
    #[arg(long)]
    force: bool,
}

impl Install {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let home = workers::home()?;
        let path = place::path()?;
        let text = unit::text(&program()?, unusual(&home, env::var_os("HOME").map(PathBuf::from)))?;
        let found = place::look(&path)?;
        if found == Found::Changed && !self.force {
            return Err(Failure::no(format!("`{}` is not as abide wrote it", path.display()))
                .hint("keep your changes beside it with `systemctl --user edit abide`, or replace it with `--force`"));
        }
        if self.now {
            refuse_second(&home)?;
        }
        let is_there = found == Found::AsWritten(text.clone());
        if !is_there {
            place::write(&path, &text)?;
        }
        output::write(format!("{}\n", path.display()))?;
        let steps = steps(!is_there && found != Found::Nothing);
        if self.now {
            return run(&steps).map(|()| 0);
        }
        eprintln!("{}; next:", if is_there { "it was there already" } else { "written" });
        for step in steps {
            eprintln!("  {}", step.line());
        }
        Ok(0)
    }
}

/// What is to be done with a unit that was written; another one may have been there.
fn steps(replaced: bool) -> Vec<Step> {
    let restart = replaced.then_some(RESTART);
    [RELOAD, ENABLE].into_iter().chain(restart).chain(manager::linger()).collect()
}

fn run(steps: &[Step]) -> Result<(), Failure> {
    for &step in steps {
        match step.run() {
            // The service runs; that it may end with the last login is worth a word.
            Err(failure) if step == manager::LINGER => failure.tell(),
            ran => ran?,
        }
    }
    eprintln!("the server starts now and with every login; `abide open` opens its page");
    Ok(())
}

/// A server that somebody started by hand would keep the service from starting.
fn refuse_second(home: &Home) -> Result<(), Failure> {
    let Some(note) = server::lock::running(home) else { return Ok(()) };
    if manager::ask("is-active").as_deref() == Some("active") {
        return Ok(());
    }
    let pid = note.identity.pid;
    Err(Failure::no(format!("a server runs already that is not the service: process {pid}"))
        .hint(format!("end it with `kill {pid}`, which no terminal notices, and try again")))
}

/// The data directory, if it is not where a service would look by itself: a service has the variables of no shell.
fn unusual(home: &Home, user_home: Option<PathBuf>) -> Option<&Path> {
    let usual = user_home.map(|user_home| user_home.join(".local/share/abide"));
    (usual.as_deref() != Some(home.root())).then_some(home.root())
}

/// This program, by the name under which PATH has it: where programs are linked to, that stays when they are upgraded.
fn program() -> Result<PathBuf, Failure> {
    let own = own_program()?;
    let named = own.file_name().and_then(|name| in_path(name.to_str()?));
    let is_same = |path: &PathBuf| path.is_absolute() && path.canonicalize().is_ok_and(|found| found == own);
    Ok(named.filter(is_same).unwrap_or(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_directory_is_named_unless_it_is_the_default_one() {
        let user = || Some(PathBuf::from("/home/me"));
        assert_eq!(unusual(&Home::at("/home/me/.local/share/abide"), user()), None);
        assert_eq!(unusual(&Home::at("/data"), user()), Some(Path::new("/data")));
        assert_eq!(unusual(&Home::at("/data"), None), Some(Path::new("/data")));
    }

    #[test]
    fn a_server_that_runs_as_the_old_unit_is_restarted() {
        assert!(!steps(false).contains(&RESTART));
        assert_eq!(steps(true)[..3], [RELOAD, ENABLE, RESTART]);
    }
}
