//! The binary `abide-host`: hosts, the keeper, and what the hooks of agents run.
//!
//! Many of them run for weeks. What a large program costs each of its processes, in pages of code and of relocations,
//! this small one does not.

use std::env;
use std::ffi::OsStr;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    match arguments.next().as_deref().and_then(OsStr::to_str) {
        Some("host") => host::main(arguments),
        Some("hook") => hook::main(arguments),
        Some("keeper") => keeper::main(system::memory::give_back),
        _ => {
            eprintln!("error: abide starts `abide-host` itself");
            eprintln!("hint: start a worker with `abide new`");
            ExitCode::from(2)
        }
    }
}
