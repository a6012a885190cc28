//! The binary `abide`: arguments in, a call into a room, words out.

mod debug;
mod failure;
mod shell;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;

/// What bare `abide` says.
const WELCOME: &str = "\
abide keeps terminals and coding agents running.

Today it is a terminal model and tools to look at it:

  abide debug shell      a shell with the model beside it; Ctrl-\\ r redraws the screen from it
  abide debug snapshot   bytes on standard input become the bytes that redraw their screen
  abide debug replies    bytes on standard input become what a terminal would answer

`abide help` has the details.
";

/// Terminals and coding agents that stay.
#[derive(Parser)]
#[command(name = "abide", version)]
struct Abide {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Look at the terminal model from outside
    #[command(subcommand)]
    Debug(debug::Debug),
}

fn main() -> ExitCode {
    match run(Abide::parse().command) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => failure.report(),
    }
}

fn run(command: Option<Command>) -> Result<u8, Failure> {
    match command {
        Some(Command::Debug(debug)) => debug.run(),
        None => {
            print!("{WELCOME}");
            Ok(0)
        }
    }
}
