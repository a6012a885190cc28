//! `abide service install`: writes the unit.

use std::env;
use std::path::{Path, PathBuf};

use clap::Args;
use home::{Home, ServerNote};

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
/// Prints where the unit is and what to do next. If a package installed the unit, abide uses that one. Workers keep
/// running when the service ends. Settings are in config.toml; the unit contains the data directory only if it is not
/// the default.
#[derive(Args)]
pub(in crate::commands) struct Install {
    /// Start the service now and with every login, and keep it running between logins
    #[arg(long)]
    now: bool,
    /// Replace a unit that abide did not write or that was changed
    #[arg(long)]
    force: bool,
}

impl Install {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let home = workers::home()?;
        let path = place::path()?;
        let program = program()?;
        let named_home = unusual(&home, env::var_os("HOME").map(PathBuf::from));
        let text = unit::text(&program, named_home)?;
        let found = place::look(&path)?;
        let packaged = match found {
            Found::Nothing => place::packaged(&unit::plain(&program, named_home)?),
            Found::AsWritten(_) | Found::Changed => None,
        };
        if found == Found::Changed && !self.force {
            return Err(Failure::no(format!("`{}` was changed, or abide did not write it", path.display()))
                .hint("keep your changes in a drop-in with `systemctl --user edit abide`, or replace the unit with `--force`"));
        }
        if self.now {
            refuse_second(&home)?;
        }
        let is_there = packaged.is_some() || found == Found::AsWritten(text.clone());
        if !is_there {
            place::write(&path, &text)?;
        }
        output::write(format!("{}\n", packaged.as_deref().unwrap_or(&path).display()))?;
        let steps = steps(!is_there && found != Found::Nothing);
        if self.now {
            return run(&steps).map(|()| 0);
        }
        eprintln!("{}; next:", if is_there { "the unit exists already" } else { "the unit is written" });
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
    eprintln!("the server starts now and with every login; `abide open` opens its web UI");
    Ok(())
}

/// A server that was started by hand would keep the service from starting.
fn refuse_second(home: &Home) -> Result<(), Failure> {
    let Some(note) = ServerNote::running(home) else { return Ok(()) };
    if manager::ask("is-active").as_deref() == Some("active") {
        return Ok(());
    }
    let pid = note.identity.pid;
    Err(Failure::no(format!("a server runs already, but not as this service: process {pid}"))
        .hint(format!("end it with `kill {pid}` (terminals keep running), and try again")))
}

/// The data directory, if it is not where a service would look by itself: a service has the variables of no shell.
fn unusual(home: &Home, user_home: Option<PathBuf>) -> Option<&Path> {
    let usual = user_home.map(|user_home| user_home.join(".local/share/abide"));
    (usual.as_deref() != Some(home.root())).then_some(home.root())
}

/// This program, by the name under which PATH has it: where programs are linked to, that stays when they are upgraded.
pub(super) fn program() -> Result<PathBuf, Failure> {
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
