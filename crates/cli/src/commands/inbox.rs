//! `abide inbox`: what waits for a person.

mod ls;
mod read;
mod snooze;
mod watch;

use api::InboxItem;
use clap::{Args, Subcommand};
use client::Client;

use crate::failure::Failure;
use crate::workers;

/// Show what waits for you: questions, finished turns, failures
///
/// What waits longest is first. Needs the server: start it with `abide serve`.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Inbox {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    ls: ls::Ls,
}

#[derive(Subcommand)]
enum Command {
    Read(read::Read),
    Snooze(snooze::Snooze),
}

impl Inbox {
    pub(super) fn run(self) -> Result<u8, Failure> {
        match self.command {
            None => self.ls.run(),
            Some(Command::Read(read)) => read.run(),
            Some(Command::Snooze(snooze)) => snooze.run(),
        }
    }
}

/// What the worker of this name waits for.
pub(super) fn item_of(server: &Client, name: &str) -> Result<InboxItem, Failure> {
    let worker = workers::called(&workers::home()?, name)?.meta.worker;
    let found = server.inbox()?.into_iter().find(|item| item.worker_id == worker);
    found.ok_or_else(|| {
        Failure::no(format!("worker `{}` does not wait for you", model::display_safe(name)))
            .hint("`abide inbox` shows what does")
    })
}
