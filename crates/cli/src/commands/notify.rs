//! `abide notify`: tells you what waits, also when no page is open.

use clap::Subcommand;
use notify::Nudge;

use crate::failure::{Failure, NO};
use crate::output;
use crate::settings::Settings;
use crate::workers;

/// Try what tells you that something waits
///
/// The settings `notify_command` and `notify_url` say where the server tells you of what enters the inbox.
#[derive(Subcommand)]
pub(super) enum Notify {
    /// Send a test message to the command and to the URL of your settings
    ///
    /// Needs no server. Exits with 1 if a message did not arrive.
    Test,
}

impl Notify {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let Notify::Test = self;
        let destinations = Settings::read(&workers::home()?)?.notify;
        if destinations.is_empty() {
            return Err(Failure::no("no setting says where to tell you")
                .hint("set `notify_command` or `notify_url` in config.toml, and restart the server"));
        }
        let mut code = 0;
        for destination in destinations.each() {
            match destination.send(&Nudge::test()) {
                Ok(()) => output::write(format!("told {destination}\n"))?,
                Err(error) => {
                    eprintln!("error: {error}");
                    code = NO;
                }
            }
        }
        Ok(code)
    }
}
