//! `abide doctor`: whether the machine has what abide needs.

mod check;
mod directory;
mod hosts;
mod machine;
mod notify;
mod server;
mod service_manager;
mod terminal;

use clap::Args;
use home::Home;

use crate::failure::{Failure, NO};
use crate::output;
use crate::settings::Settings;
use crate::table::{self, Cell};
use crate::workers;
use check::{Check, Verdict};
pub(super) use service_manager::is_lingering;

/// Check that abide has what it needs, and say how to fix what is missing
///
/// Exits with 1 if a check fails.
#[derive(Args)]
pub(super) struct Doctor {
    /// Print a JSON array with an object for each check
    #[arg(long)]
    json: bool,
}

impl Doctor {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let checks = checks();
        if self.json {
            output::write_json(&checks)?;
        } else {
            output::write(report(&checks))?;
        }
        let has_failed = checks.iter().any(|check| check.verdict == Verdict::Fail);
        Ok(if has_failed { NO } else { 0 })
    }
}

fn checks() -> Vec<Check> {
    let mut checks = machine::checks();
    let home = match workers::home() {
        Ok(home) => home,
        Err(failure) => {
            checks.push(Check::of_failure("data directory", &failure));
            return checks;
        }
    };
    checks.extend(directory::checks(&home));
    let settings = settings(&home, &mut checks);
    checks.push(service_manager::check(settings.scope));
    checks.push(terminal::check());
    checks.extend(hosts::checks(&home, &settings));
    checks.extend(server::checks(&home));
    checks.extend(notify::check(&home, &settings.notify));
    checks
}

fn settings(home: &Home, checks: &mut Vec<Check>) -> Settings {
    let path = home.config_file();
    match Settings::read(home) {
        Ok(settings) => {
            let finding = if path.exists() { path.display().to_string() } else { "all defaults".to_owned() };
            checks.push(Check::ok("settings", finding));
            settings
        }
        Err(failure) => {
            checks.push(Check::of_failure("settings", &failure));
            Settings::default()
        }
    }
}

fn report(checks: &[Check]) -> String {
    let mut rows: Vec<[Cell; 3]> = Vec::new();
    for Check { subject, verdict, finding, remedy } in checks {
        rows.push([
            Cell::new(verdict.to_string(), verdict.tint()),
            (*subject).into(),
            finding.as_str().into(),
        ]);
        if let Some(remedy) = remedy {
            rows.push(["".into(), "".into(), format!("→ {remedy}").into()]);
        }
    }
    table::aligned(&rows, output::takes_colours(), None)
}
