//! `abide service status`: the unit, and the server.

use clap::Args;
use home::ServerNote;

use super::install;
use super::manager;
use super::place::{self, Found};
use super::unit;
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
        let path = place::path()?;
        let shown = model::display_safe(&path.to_string_lossy());
        let found = place::look(&path)?;
        let packaged = place::packaged(&unit::plain(&install::program()?, None)?);
        let (shown_unit, tint) = match (&found, &packaged) {
            (Found::Nothing, Some(path)) => {
                (format!("{}, from a package", model::display_safe(&path.to_string_lossy())), Tint::Green)
            }
            (Found::Nothing, None) => {
                ("not installed; `abide service install` installs it".to_owned(), Tint::Yellow)
            }
            (Found::AsWritten(_), _) => (shown, Tint::Green),
            (Found::Changed, _) => (format!("{shown}, changed after its installation"), Tint::Green),
        };
        let running = ServerNote::running(&home);
        let (server, server_tint) = match &running {
            Some(note) => {
                let (url, release) = (model::display_safe(&note.url), model::display_safe(&note.release));
                (format!("{url}, process {}, release {release}", note.identity.pid), Tint::Green)
            }
            None => ("does not run".to_owned(), Tint::Yellow),
        };
        let word = |question| manager::ask(question).unwrap_or_else(|| "no answer from systemctl".to_owned());
        let linger = if is_lingering() { "stays between logins" } else { "ends at your last logout" };
        let rows: [[Cell; 2]; 5] = [
            ["unit".into(), Cell::new(shown_unit, tint)],
            ["login".into(), word("is-enabled").into()],
            ["service".into(), word("is-active").into()],
            ["user manager".into(), linger.into()],
            ["server".into(), Cell::new(server, server_tint)],
        ];
        output::write(table::aligned(&rows, output::takes_colours(), None))?;
        let is_installed = found != Found::Nothing || packaged.is_some();
        Ok(if running.is_some() && is_installed { 0 } else { NO })
    }
}
