//! Whether the user is told of what enters the inbox.

use client::Client;
use home::Home;
use notify::Destinations;
use rustix::fs::{Access, access};

use super::check::Check;

const SUBJECT: &str = "notify";

pub(super) fn check(home: &Home, destinations: &Destinations) -> Option<Check> {
    if destinations.is_empty() {
        return None;
    }
    let remedy = "`abide notify test` tries it; restart the server after a change of the settings";
    if let Some(command) = &destinations.command
        && (!command.is_file() || access(command, Access::EXEC_OK).is_err())
    {
        let shown = model::display_safe(&command.display().to_string());
        return Some(Check::warn(SUBJECT, format!("`{shown}` is no program"), remedy));
    }
    let failure = Client::of(home).and_then(|server| server.health()).ok()?.notify_failure;
    Some(match failure {
        Some(failure) => Check::warn(SUBJECT, model::display_safe(&failure), remedy),
        None => {
            let all: Vec<String> = destinations.each().map(|destination| destination.to_string()).collect();
            Check::ok(SUBJECT, all.join(", "))
        }
    })
}
