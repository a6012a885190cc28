//! Each command of `abide`: its arguments and what it does.

mod agent;
mod answer;
mod attach;
mod complete;
mod completions;
mod doctor;
mod explain;
mod export;
mod gc;
mod history;
mod import;
mod inbox;
mod kill;
mod logs;
mod ls;
mod man;
mod mask;
mod new;
mod notify;
mod open;
mod prompt;
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
mod shell_integration;
mod status;
mod task;
mod transcript;
mod upgrade;
mod usage;
mod wait;

use clap::{Parser, Subcommand};

use crate::debug::Debug;
use crate::failure::Failure;

/// Terminals and coding agents that stay.
///
/// A worker is a program in a terminal of its own. A small process, its host, keeps it running when you detach, close
/// your terminal or log out. Without a command, abide lists the workers.
#[derive(Parser)]
#[command(name = "abide", version, after_help = EXIT_CODES)]
pub(crate) struct Abide {
    #[command(subcommand)]
    command: Option<Command>,
}

/// What every command's exit code means.
const EXIT_CODES: &str = "\
Exit codes: `new`, `attach` and `wait --exit` exit with the child's exit code, or with 128 plus the signal's number if a \
signal killed the child. Otherwise 0 means yes, 1 means no, 2 means a wrong call, and 125 means that abide itself failed.";

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
    History(history::History),
    Last(history::Last),
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
    Agent(agent::Agent),
    Inbox(inbox::Inbox),
    Answer(answer::Answer),
    Prompt(prompt::Prompt),
    Explain(explain::Explain),
    Status(status::Status),
    Transcript(transcript::Transcript),
    Usage(usage::Usage),
    #[command(subcommand)]
    Notify(notify::Notify),
    #[command(subcommand)]
    Service(service::Service),
    #[command(hide = true)]
    Seal(seal::Seal),
    ShellIntegration(shell_integration::ShellIntegration),
    Doctor(doctor::Doctor),
    #[command(hide = true)]
    Complete(complete::Complete),
    Completions(completions::Completions),
    Man(man::Man),
    /// Inspect the terminal model and captured connections
    #[command(subcommand)]
    Debug(Debug),
}

impl Abide {
    /// Runs the command and returns the exit code.
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
            Some(Command::History(history)) => history.run(),
            Some(Command::Last(last)) => last.run(),
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
            Some(Command::Agent(agent)) => agent.run(),
            Some(Command::Inbox(inbox)) => inbox.run(),
            Some(Command::Answer(answer)) => answer.run(),
            Some(Command::Prompt(prompt)) => prompt.run(),
            Some(Command::Explain(explain)) => explain.run(),
            Some(Command::Status(status)) => status.run(),
            Some(Command::Transcript(transcript)) => transcript.run(),
            Some(Command::Usage(usage)) => usage.run(),
            Some(Command::Notify(notify)) => notify.run(),
            Some(Command::Service(service)) => service.run(),
            Some(Command::ShellIntegration(shell)) => shell.run(),
            Some(Command::Doctor(doctor)) => doctor.run(),
            Some(Command::Complete(complete)) => complete.run(),
            Some(Command::Completions(completions)) => completions.run(),
            Some(Command::Man(man)) => man.run(),
            Some(Command::Debug(debug)) => debug.run(),
            None => ls::bare(),
        }
    }
}
