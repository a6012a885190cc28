//! The binary `abide`: reads the arguments, calls the crate that does the work, and prints the result.

mod ansi;
mod attach;
mod bytes;
mod commands;
mod completion;
mod debug;
mod duration;
mod failure;
mod moment;
mod named;
mod open_outer;
mod output;
mod own_program;
mod rest;
mod rules;
mod settings;
mod shell;
mod signal_name;
mod sweep;
mod table;
mod the_server;
mod told_to_end;
mod wakes;
mod workers;

use std::env;
use std::ffi::{OsStr, OsString};
use std::process::{self, ExitCode};

use clap::Parser;

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    // Hosts live for weeks: nothing is done before them that would cost memory.
    match arguments.next().as_deref().and_then(OsStr::to_str) {
        Some("host") => return host::main(arguments),
        Some("hook") => return hook::main(arguments),
        Some("keeper") => return keeper::main(system::memory::give_back),
        Some(outer::GUARD) => return outer::run_guard(),
        _ => {}
    }
    match commands::Abide::try_parse() {
        Ok(command) => match command.run() {
            Ok(code) => ExitCode::from(code),
            Err(failure) => failure.report(),
        },
        Err(misuse) => report(&misuse),
    }
}

/// Says what is wrong with the arguments, or gives the help they ask for. An argument that is quoted may be foreign text.
fn report(misuse: &clap::Error) -> ! {
    let is_plain = |argument: OsString| {
        let argument = argument.to_string_lossy();
        model::display_safe_lines(&argument) == argument
    };
    if !misuse.use_stderr() || env::args_os().skip(1).all(is_plain) {
        misuse.exit();
    }
    eprint!("{}", model::display_safe_lines(&misuse.render().to_string()));
    process::exit(misuse.exit_code())
}
