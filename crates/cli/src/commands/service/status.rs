//! `abide service status`: the units, and the server.

use std::path::Path;

use clap::Args;
use home::ServerNote;

use super::install;
use super::manager;
use super::place::{self, Found, SERVICE, SOCKET};
use crate::commands::doctor::is_lingering;
use crate::failure::{Failure, NO};
use crate::output;
use crate::table::{self, Cell, Tint};
use crate::workers;

/// Show whether the service is installed, and whether the server runs
///
/// Exits with 1 if the service is not installed or the server does not run.
#[derive(Args)]
pub(in crate::commands) struct Status;

impl Status {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let home = workers::home()?;
        let directory = place::directory()?;
        let units = install::units(&home)?;
        let found = install::look(&directory, &units)?;
        let packaged = place::packaged(&units);
        let is_installed = found.iter().any(|found| *found != Found::Nothing) || packaged.is_some();
        let shown = |directory: &Path| model::display_safe(&directory.to_string_lossy());
        let is_as_written =
            units.iter().zip(&found).all(|(unit, found)| *found == Found::AsWritten(unit.marked()));
        let (shown_units, tint) =
            match packaged.filter(|_| found.iter().all(|found| *found == Found::Nothing)) {
                Some(directory) => (format!("{}, from a package", shown(&directory)), Tint::Green),
                None if !is_installed => {
                    ("not installed; `abide service install` installs them".to_owned(), Tint::Yellow)
                }
                None if found.contains(&Found::Changed) => {
                    (format!("{}, changed after their installation", shown(&directory)), Tint::Green)
                }
                None if is_as_written => (shown(&directory), Tint::Green),
                None => {
                    let path = shown(&directory);
                    (
                        format!("{path}, of another release or setting; `abide service install` renews them"),
                        Tint::Yellow,
                    )
                }
            };
        let running = ServerNote::running(&home);
        let (server, server_tint) = match &running {
            Some(note) => {
                let (url, release) = (model::display_safe(&note.url), model::display_safe(&note.release));
                (format!("{url}, process {}, release {release}", note.identity.pid), Tint::Green)
            }
            None => ("does not run".to_owned(), Tint::Yellow),
        };
        let word = |question, unit| {
            manager::ask(question, unit).unwrap_or_else(|| "no answer from systemctl".to_owned())
        };
        let linger = if is_lingering() { "stays between logins" } else { "ends at your last logout" };
        let rows: [[Cell; 2]; 6] = [
            ["units".into(), Cell::new(shown_units, tint)],
            ["login".into(), word("is-enabled", SERVICE).into()],
            ["service".into(), word("is-active", SERVICE).into()],
            ["port".into(), word("is-active", SOCKET).into()],
            ["user manager".into(), linger.into()],
            ["server".into(), Cell::new(server, server_tint)],
        ];
        output::write(table::aligned(&rows, output::takes_colours(), None))?;
        Ok(if running.is_some() && is_installed { 0 } else { NO })
    }
}
