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
use std::ffi::OsStr;
use std::process::ExitCode;

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
    match commands::Abide::parse().run() {
        Ok(code) => ExitCode::from(code),
        Err(failure) => failure.report(),
    }
}
