//! Each command of `abide`: its arguments and what it does.

mod attach;
mod completions;
mod doctor;
mod export;
mod gc;
mod import;
mod kill;
mod logs;
mod ls;
mod man;
mod mask;
mod new;
mod open;
mod replay;
mod repo;
mod rm;
mod screen;
mod seal;
mod search;
mod send;
mod serve;
mod service;
mod session;
mod task;
mod upgrade;
mod wait;

use clap::{Parser, Subcommand};

use crate::debug::Debug;
use crate::failure::Failure;

/// Terminals and coding agents that stay.
///
/// Each worker is a program in a terminal of its own, kept by a process that depends on nothing else. Attach to it,
/// detach from it, look at it from elsewhere: it does not notice. Without a command, the workers are listed.
#[derive(Parser)]
#[command(name = "abide", version, after_help = EXIT_CODES)]
pub(crate) struct Abide {
    #[command(subcommand)]
    command: Option<Command>,
}

/// What every command's exit code means.
const EXIT_CODES: &str = "\
Exit codes: `new`, `attach` and `wait --exit` end as the child did, with 128 and the signal's number if one killed it. \
Otherwise 0 is yes, 1 is no, 2 is a call that makes no sense. 125 is a failure of abide's own.";

#[derive(Subcommand)]
enum Command {
    New(new::New),
    Attach(attach::Attach),
    Ls(ls::Ls),
    Screen(screen::Screen),
    Send(send::Send),
    Wait(wait::Wait),
    Kill(kill::Kill),
    Rm(rm::Rm),
    Logs(logs::Logs),
    Replay(replay::Replay),
    Search(search::Search),
    Export(export::Export),
    Import(import::Import),
    #[command(subcommand)]
    Mask(mask::Mask),
    Gc(gc::Gc),
    Upgrade(upgrade::Upgrade),
    Serve(serve::Serve),
    Open(open::Open),
    #[command(subcommand)]
    Repo(repo::Repo),
    #[command(subcommand)]
    Task(task::Task),
    #[command(subcommand)]
    Session(session::Session),
    #[command(subcommand)]
    Service(service::Service),
    #[command(hide = true)]
    Seal(seal::Seal),
    Doctor(doctor::Doctor),
    Completions(completions::Completions),
    Man(man::Man),
    /// Look at the terminal model and at connections from outside
    #[command(subcommand)]
    Debug(Debug),
}

impl Abide {
    /// Does what was asked for; gives the exit code.
    pub(crate) fn run(self) -> Result<u8, Failure> {
        match self.command {
            Some(Command::New(new)) => new.run(),
            Some(Command::Attach(attach)) => attach.run(),
            Some(Command::Ls(ls)) => ls.run(),
            Some(Command::Screen(screen)) => screen.run(),
            Some(Command::Send(send)) => send.run(),
            Some(Command::Wait(wait)) => wait.run(),
            Some(Command::Kill(kill)) => kill.run(),
            Some(Command::Rm(rm)) => rm.run(),
            Some(Command::Logs(logs)) => logs.run(),
            Some(Command::Replay(replay)) => replay.run(),
            Some(Command::Search(search)) => search.run(),
            Some(Command::Export(export)) => export.run(),
            Some(Command::Import(import)) => import.run(),
            Some(Command::Mask(mask)) => mask.run(),
            Some(Command::Gc(gc)) => gc.run(),
            Some(Command::Seal(seal)) => seal.run(),
            Some(Command::Upgrade(upgrade)) => upgrade.run(),
            Some(Command::Serve(serve)) => serve.run(),
            Some(Command::Open(open)) => open.run(),
            Some(Command::Repo(repo)) => repo.run(),
            Some(Command::Task(task)) => task.run(),
            Some(Command::Session(session)) => session.run(),
            Some(Command::Service(service)) => service.run(),
            Some(Command::Doctor(doctor)) => doctor.run(),
            Some(Command::Completions(completions)) => completions.run(),
            Some(Command::Man(man)) => man.run(),
            Some(Command::Debug(debug)) => debug.run(),
            None => ls::bare(),
        }
    }
}
