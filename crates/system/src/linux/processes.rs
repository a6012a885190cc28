//! What the system says about processes, by their numbers (`/proc`). A process that is gone, or that another user's
//! rights hide, has nothing to say.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use rustix::process::{Pid, Signal, getpid};

mod stat;

use stat::Stat;

/// The numbers of all processes.
pub fn all() -> impl Iterator<Item = u32> {
    let processes = fs::read_dir("/proc").into_iter().flatten();
    processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// The number of this process.
pub fn this() -> u32 {
    getpid().as_raw_nonzero().get().cast_unsigned()
}

/// When a process started, counted from the machine's start. Only good for comparing: the unit is the system's own. A
/// process that has ended and was not collected yet counts as gone.
pub fn start(pid: u32) -> Option<u64> {
    Stat::of(pid).filter(|stat| !stat.has_ended).map(|stat| stat.start)
}

/// The process group that a process is in.
pub fn group(pid: u32) -> Option<u32> {
    Stat::of(pid)?.group
}

/// The process group that is in the foreground of a process's terminal.
pub fn foreground_group(pid: u32) -> Option<u32> {
    Stat::of(pid)?.foreground_group
}

/// The environment that a process was started in.
pub fn environment(pid: u32) -> Option<Vec<(OsString, OsString)>> {
    let bytes = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let variable = |entry: &[u8]| {
        let at = entry.iter().position(|&byte| byte == b'=')?;
        let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        Some((text(&entry[..at]), text(&entry[at + 1..])))
    };
    Some(bytes.split(|&byte| byte == 0).filter_map(variable).collect())
}

/// Whether a process was started with this variable in its environment.
pub fn has_variable(pid: u32, name: &str, value: &str) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let is_it = |variable: &[u8]| {
        let behind = variable.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        behind == Some(value.as_bytes())
    };
    environment.split(|&byte| byte == 0).any(is_it)
}

/// The program and the arguments that a process was started with.
pub fn arguments(pid: u32) -> Option<Vec<OsString>> {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let bytes = bytes.strip_suffix(&[0]).unwrap_or(&bytes);
    Some(bytes.split(|&byte| byte == 0).map(|word| OsString::from_vec(word.to_vec())).collect())
}

/// The directory that a process works in.
pub fn directory(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/cwd")).ok()
}

/// The file of the program that a process runs.
pub fn program(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/exe")).ok()
}

/// The file that a process has as its standard input.
pub fn standard_input(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/fd/0")).ok()
}

/// The memory of a process that is in RAM, in KiB.
pub fn resident_kb(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// What a process calls itself, which may be any text.
pub fn name(pid: u32) -> Option<String> {
    let name = fs::read(format!("/proc/{pid}/comm")).ok()?;
    Some(String::from_utf8_lossy(&name).trim_end().to_owned())
}

/// The user that a process runs as.
pub fn user(pid: u32) -> Option<u32> {
    fs::metadata(format!("/proc/{pid}")).ok().map(|found| found.uid())
}

/// The group of processes that a service manager ends together, as the service manager calls it.
pub fn service_group(pid: u32) -> Option<String> {
    parse_service_group(&fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?)
}

/// Where machines have both hierarchies of control groups, the named one is the service manager's.
fn parse_service_group(groups: &str) -> Option<String> {
    let named = groups.lines().find_map(|line| line.split_once(":name=systemd:").map(|(_, group)| group));
    let group = named.or_else(|| groups.lines().find_map(|line| line.strip_prefix("0::")))?;
    Some(group.to_owned())
}

/// Whether a signal would end a process: it neither handles, ignores nor blocks the signal. A process that says nothing
/// about its signals counts as one that would end.
pub fn dies_of(pid: u32, signal: Signal) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    !["SigBlk:", "SigIgn:", "SigCgt:"].iter().any(|set| holds(&status, set, signal))
}

/// Whether a line of a process's status, a mask of signals, has this signal.
fn holds(status: &str, set: &str, signal: Signal) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix(set));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let bit = signal.as_raw().checked_sub(1).and_then(|bit| u32::try_from(bit).ok());
    bit.and_then(|bit| mask.checked_shr(bit)).is_some_and(|shifted| shifted & 1 == 1)
}

/// The children of a process's first thread, also those that it started when it was another program.
pub fn children(pid: u32) -> Vec<Pid> {
    let pids = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    pids.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect()
}

/// A process, its children, theirs, and so on, also those of its other threads. Those that come or go meanwhile may be
/// missing.
pub fn tree(root: u32) -> Vec<u32> {
    let parents: Vec<(u32, u32)> = all().filter_map(|pid| Some((pid, Stat::of(pid)?.parent?))).collect();
    let mut tree = vec![root];
    let mut at = 0;
    while let Some(&parent) = tree.get(at) {
        tree.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        at += 1;
    }
    tree
}

/// The files that a process has open. Some of them may have no path any more.
pub fn open_files(pid: u32) -> Vec<PathBuf> {
    let descriptors = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten();
    let path = |descriptor: std::io::Result<fs::DirEntry>| fs::read_link(descriptor.ok()?.path()).ok();
    descriptors.filter_map(path).filter(|path| path.is_absolute()).collect()
}

#[cfg(test)]
mod tests;
