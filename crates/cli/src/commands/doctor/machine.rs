//! What the kernel gives: its age, descriptors, processes, PTYs.

use std::fs;
use std::os::unix::fs::MetadataExt;

use rustix::process::{PidfdFlags, Resource, geteuid, getpid, getrlimit, pidfd_open};

use super::check::Check;

/// A host has a few dozen descriptors, and one for each viewer.
const FEW_FILES: u64 = 256;

/// A worker is a host and a child, and children have children.
const FEW_PROCESSES: u64 = 100;

/// So few workers more could be started.
const FEW_PTYS: u64 = 16;

pub(super) fn checks() -> Vec<Check> {
    vec![kernel(), open_files(), processes(), ptys()]
}

fn kernel() -> Check {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let release = model::display_safe(release.trim());
    match pidfd_open(getpid(), PidfdFlags::empty()) {
        Ok(_) => Check::ok("kernel", format!("{release}, with process descriptors")),
        Err(error) => Check::fail(
            "kernel",
            format!("{release} gives no process descriptors: {error}"),
            "use Linux 5.4 or newer, and allow pidfd_open where system calls are filtered",
        ),
    }
}

fn open_files() -> Check {
    let limit = getrlimit(Resource::Nofile);
    let finding =
        format!("{} may be open, {} if raised", limit_text(limit.current), limit_text(limit.maximum));
    if limit.current.is_some_and(|files| files < FEW_FILES) {
        return Check::warn("open files", finding, format!("raise it, as in `ulimit -n {}`", FEW_FILES * 4));
    }
    Check::ok("open files", finding)
}

fn processes() -> Check {
    let limit = getrlimit(Resource::Nproc).current;
    let running = own_processes();
    let finding = format!("{running} of yours run, {} may", limit_text(limit));
    if limit.is_some_and(|limit| limit.saturating_sub(running) < FEW_PROCESSES) {
        return Check::warn("processes", finding, "end some, or raise the limit with `ulimit -u`");
    }
    Check::ok("processes", finding)
}

fn own_processes() -> u64 {
    let own = geteuid().as_raw();
    let Ok(entries) = fs::read_dir("/proc") else { return 0 };
    let is_process = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
    let processes =
        entries.filter_map(Result::ok).filter(|entry| entry.file_name().to_str().is_some_and(is_process));
    processes.filter(|entry| entry.metadata().is_ok_and(|found| found.uid() == own)).count() as u64
}

fn limit_text(limit: Option<u64>) -> String {
    limit.map_or_else(|| "any number".to_owned(), |limit| limit.to_string())
}

fn ptys() -> Check {
    let number =
        |file: &str| fs::read_to_string(format!("/proc/sys/kernel/pty/{file}")).ok()?.trim().parse().ok();
    let (Some(most), Some(used)) = (number("max"), number("nr")) else {
        return Check::warn(
            "PTYs",
            "cannot find out how many there are",
            "see that /proc is mounted and has sys/kernel/pty",
        );
    };
    let finding = format!("{used} of {most} in use");
    let remedy = "end some terminals, or raise it with `sysctl kernel.pty.max`";
    match u64::saturating_sub(most, used) {
        0 => Check::fail("PTYs", finding, remedy),
        1..FEW_PTYS => Check::warn("PTYs", finding, remedy),
        _ => Check::ok("PTYs", finding),
    }
}
