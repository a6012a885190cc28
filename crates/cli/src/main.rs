//! The binary `abide`: arguments in, a call into a room, words out.

mod ansi;
mod attach;
mod bytes;
mod commands;
mod debug;
mod failure;
mod live_mask;
mod moment;
mod outer;
mod output;
mod own_program;
mod process_end;
mod recorded;
mod rest;
mod rules;
mod server_client;
mod settings;
mod sgr;
mod shell;
mod signal_name;
mod sweep;
mod table;
mod wakes;
mod watch;
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
        Some("keeper") => return keeper::main(host::give_back),
        Some(attach::GUARD) => return attach::run_guard(),
        _ => {}
    }
    match commands::Abide::parse().run() {
        Ok(code) => ExitCode::from(code),
        Err(failure) => failure.report(),
    }
}
