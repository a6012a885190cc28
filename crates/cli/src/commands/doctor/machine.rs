//! What the machine gives: its kernel's age, descriptors, processes, PTYs.

use rustix::process::{Resource, geteuid, getrlimit};
use system::machine::{self, Ptys};
use system::{Process, advice, processes};

use super::check::Check;

/// A host has a few dozen descriptors, and one for each viewer.
const FEW_FILES: u64 = 256;

/// A worker is a host and a child, and children have children.
const FEW_PROCESSES: u64 = 100;

/// So few workers more could be started.
const FEW_PTYS: u64 = 16;

pub(super) fn checks() -> Vec<Check> {
    vec![kernel(), open_files(), process_count(), ptys()]
}

fn kernel() -> Check {
    let release = model::display_safe(&machine::system_version());
    match Process::open(processes::this()) {
        Ok(_) => Check::ok("kernel", format!("{release}, with process descriptors")),
        Err(error) => Check::fail(
            "kernel",
            format!("{release} gives no process descriptors: {error}"),
            advice::OPEN_PROCESSES,
        ),
    }
}

fn open_files() -> Check {
    let limit = getrlimit(Resource::Nofile);
    let finding = format!(
        "{} allowed, {} after raising the limit",
        limit_text(limit.current),
        limit_text(limit.maximum)
    );
    if limit.current.is_some_and(|files| files < FEW_FILES) {
        return Check::warn(
            "open files",
            finding,
            format!("raise the limit with `ulimit -n {}`", FEW_FILES * 4),
        );
    }
    Check::ok("open files", finding)
}

fn process_count() -> Check {
    let limit = getrlimit(Resource::Nproc).current;
    let running = own_processes();
    let finding = format!("{running} of yours run; allowed: {}", limit_text(limit));
    if limit.is_some_and(|limit| limit.saturating_sub(running) < FEW_PROCESSES) {
        return Check::warn("processes", finding, "end some, or raise the limit with `ulimit -u`");
    }
    Check::ok("processes", finding)
}

fn own_processes() -> u64 {
    let own = geteuid().as_raw();
    processes::all().filter(|pid| processes::user(*pid) == Some(own)).count() as u64
}

fn limit_text(limit: Option<u64>) -> String {
    limit.map_or_else(|| "any number".to_owned(), |limit| limit.to_string())
}

fn ptys() -> Check {
    let Some(Ptys { used, most }) = machine::ptys() else {
        return Check::warn("PTYs", "cannot find out how many there are", advice::COUNT_PTYS);
    };
    let finding = format!("{used} of {most} in use");
    match u64::saturating_sub(most, used) {
        0 => Check::fail("PTYs", finding, advice::MORE_PTYS),
        1..FEW_PTYS => Check::warn("PTYs", finding, advice::MORE_PTYS),
        _ => Check::ok("PTYs", finding),
    }
}
