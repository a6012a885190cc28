//! The house's own tools: `cargo xtask NAME`.
//!
//! `./test` and `./run` are thin wrappers of two of them.

mod bench;
mod binaries;
mod demo;
mod deny;
mod dist;
mod doc_examples;
mod flakes;
mod house;
mod node;
mod report;
mod results;
mod run;
mod schemathesis;
mod soak;
mod steps;
mod tally;
mod test;
mod tidy;
mod tools;
mod web;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;

use house::House;

/// A tool: what it is called, what it is for, and the function that does it with the remaining arguments.
type Tool = (&'static str, &'static str, fn(&House, Vec<OsString>) -> Result<ExitCode>);

/// Every tool there is.
const TOOLS: &[Tool] = &[
    ("test", "check everything: format, lints, documents, licences, tests", test::main),
    ("tidy", "check the rules that no compiler checks; a step of `test`", tidy::main),
    ("run", "build abide and start its server; further arguments are those of `abide serve`", run::main),
    (
        "dist",
        "make a tarball and a Debian package in `target/dist`; `--check` installs and tries them",
        dist::main,
    ),
    ("web", "build the web UI, so that the next build of abide has it inside", web::main),
    (
        "bench",
        "measure us beside others: `bench terminal`, `readers`, `host`, `recording` or `server`",
        bench::main,
    ),
    (
        "soak",
        "hold us to our promises for longer: `soak [terminal | recording | host | server]`, or all",
        soak::main,
    ),
    ("demo", "make the moving picture in the README: a real terminal, typed into and exported", demo::main),
    (
        "flakes",
        "find tests that fail now and then: `flakes [--rounds N] [--waiting] [--fresh] [FILTER]...`",
        flakes::main,
    ),
    (
        "schemathesis",
        "hold the server to the description of its API; further arguments are those of `schemathesis run`",
        schemathesis::main,
    ),
];

/// The exit code of a call that we could not make sense of.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    let name = arguments.next().unwrap_or_default();
    let Some((_, _, tool)) = TOOLS.iter().find(|(tool, ..)| name == *tool) else {
        eprint!("{}", usage());
        return ExitCode::from(USAGE);
    };
    House::find().and_then(|house| tool(&house, arguments.collect())).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

fn usage() -> String {
    let tools: String = TOOLS.iter().map(|(name, purpose, _)| format!("  {name:<14}{purpose}\n")).collect();
    format!("usage: cargo xtask TOOL\n\n{tools}")
}
