//! `abide service status`: the unit, and the server.

use clap::Args;

use super::manager;
use super::place::{self, Found};
use crate::commands::doctor::is_lingering;
use crate::failure::{Failure, NO};
use crate::output;
use crate::table::{self, Cell, Tint};
use crate::workers;

/// Show whether the service is installed, and whether the server runs
///
/// Exit code 1 if it is not, or does not.
#[derive(Args)]
pub(in crate::commands) struct Status;

impl Status {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let home = workers::home()?;
        let path = place::path()?;
        let shown = model::display_safe(&path.to_string_lossy());
        let found = place::look(&path)?;
        let (unit, tint) = match &found {
            Found::Nothing => ("not installed; `abide service install` does".to_owned(), Tint::Yellow),
            Found::AsWritten(_) => (shown, Tint::Green),
            Found::Changed => (format!("{shown}, changed since"), Tint::Green),
        };
        let running = server::lock::running(&home);
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
            ["unit".into(), Cell::new(unit, tint)],
            ["login".into(), word("is-enabled").into()],
            ["service".into(), word("is-active").into()],
            ["user manager".into(), linger.into()],
            ["server".into(), Cell::new(server, server_tint)],
        ];
        output::write(table::aligned(&rows, output::takes_colours(), None))?;
        Ok(if running.is_some() && found != Found::Nothing { 0 } else { NO })
    }
}
