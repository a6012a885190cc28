//! `abide service install`: writes the units.

use std::env;
use std::path::{Path, PathBuf};

use clap::Args;
use home::{Home, ServerNote};

use super::manager::{self, ENABLE, RELOAD, STOP, Step};
use super::place::{self, Found, SERVICE};
use super::unit::{self, Unit};
use crate::failure::Failure;
use crate::output;
use crate::own_program::own_program;
use crate::settings::{Settings, in_path};
use crate::workers;

/// Write systemd user units for the server
///
/// One runs the server; with the other, systemd holds the server's port, so that no other program can listen there while
/// no server runs. Prints where the units are and what to do next. If a package installed them, abide uses those. Workers
/// keep running when the service ends. Settings are in config.toml; run this again after a change of `listen`. The units
/// contain the data directory only if it is not the default.
#[derive(Args)]
pub(in crate::commands) struct Install {
    /// Start the service now and with every login, and keep it running between logins
    #[arg(long)]
    now: bool,
    /// Replace units that abide did not write or that were changed
    #[arg(long)]
    force: bool,
}

impl Install {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let home = workers::home()?;
        let directory = place::directory()?;
        if Settings::read(&home)?.listen.port() == 0 {
            return Err(Failure::no("the service needs a fixed port, and the setting `listen` has port 0")
                .hint("set `listen` in config.toml to a port, for example to 127.0.0.1:7433"));
        }
        let units = units(&home)?;
        let found = look(&directory, &units)?;
        let changed = units.iter().zip(&found).find(|(_, found)| **found == Found::Changed);
        if let Some((unit, _)) = changed.filter(|_| !self.force) {
            let path = directory.join(unit.name);
            return Err(Failure::no(format!("`{}` was changed, or abide did not write it", path.display()))
                .hint(format!(
                    "keep your changes in a drop-in with `systemctl --user edit {}`, or replace the unit with `--force`",
                    unit.name
                )));
        }
        let is_new = found.iter().all(|found| *found == Found::Nothing);
        let packaged = if is_new { place::packaged(&units) } else { None };
        if self.now {
            refuse_second(&home)?;
        }
        let mut written = false;
        for (unit, found) in units.iter().zip(found).filter(|_| packaged.is_none()) {
            let text = unit.marked();
            if found != Found::AsWritten(text.clone()) {
                place::write(&directory.join(unit.name), &text)?;
                written = true;
            }
        }
        let directory = packaged.unwrap_or(directory);
        for unit in &units {
            output::write(format!("{}\n", directory.join(unit.name).display()))?;
        }
        let steps = steps(written && !is_new);
        if self.now {
            return run(&steps).map(|()| 0);
        }
        eprintln!("{}; next:", if written { "the units are written" } else { "the units exist already" });
        for step in steps {
            eprintln!("  {}", step.line());
        }
        Ok(0)
    }
}

/// The units that fit this program, this data directory and its settings.
pub(super) fn units(home: &Home) -> Result<[Unit; 2], Failure> {
    let named_home = unusual(home, env::var_os("HOME").map(PathBuf::from));
    unit::units(&program()?, named_home, Settings::read(home)?.listen)
}

/// What is at the place of each unit.
pub(super) fn look(directory: &Path, units: &[Unit; 2]) -> Result<[Found; 2], Failure> {
    let [socket, service] = units;
    Ok([place::look(&directory.join(socket.name))?, place::look(&directory.join(service.name))?])
}

/// What is to be done with units that were written; `replaced` if there were others.
fn steps(replaced: bool) -> Vec<Step> {
    // The server of an older unit holds the port by itself.
    let stop = replaced.then_some(STOP);
    [RELOAD].into_iter().chain(stop).chain([ENABLE]).chain(manager::linger()).collect()
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
    if manager::ask("is-active", SERVICE).as_deref() == Some("active") {
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
    fn a_server_that_runs_as_the_old_unit_frees_the_port_first() {
        assert_eq!(steps(false)[..2], [RELOAD, ENABLE]);
        assert_eq!(steps(true)[..3], [RELOAD, STOP, ENABLE]);
    }
}
