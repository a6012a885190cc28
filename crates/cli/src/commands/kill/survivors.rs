//! Processes that a child started and that outlived it.

use std::fs;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use home::{Identity, Worker};
use model::WorkerId;
use rustix::process::{Signal, pidfd_send_signal};

use crate::failure::Failure;
use crate::output;
use crate::own_program::host_program;
use crate::process_end::ends_before;
use crate::signal_name::signal_name;
use reach::Life;

/// A process that carries a worker's id in its environment.
struct Survivor {
    identity: Identity,
    /// Its descriptor; it stays this process's even when its number is used again.
    pidfd: OwnedFd,
}

/// Ends what a worker left behind: asks, and after the worker's grace period forces. With a signal, only sends that.
pub(super) fn end(worker: &Worker, signal: Option<u8>) -> Result<u8, Failure> {
    let name = &worker.meta.name;
    if matches!(reach::life(&worker.dir), Life::Live(_) | Life::NotAnswering { .. }) {
        return Err(Failure::no(format!("worker `{name}` has not ended, so nothing outlived it"))
            .hint(format!("`abide kill {name}` ends it")));
    }
    let survivors = find(worker.dir.id());
    if survivors.is_empty() {
        output::write(format!("{name}: nothing is left of it\n"))?;
        return Ok(0);
    }
    let first = signal.map_or(Some(Signal::TERM), |number| Signal::from_named_raw(i32::from(number)));
    let Some(first) = first else {
        return Err(Failure::usage(format!("{} has no name", signal_name(signal.unwrap_or_default())))
            .hint("give one of the named signals, as in TERM"));
    };
    send(&survivors, first)?;
    if signal.is_none() {
        let deadline = Instant::now() + Duration::from_millis(worker.meta.grace_ms);
        let stubborn: Vec<Survivor> =
            survivors.into_iter().filter(|survivor| !has_ended(survivor, deadline)).collect();
        send(&stubborn, Signal::KILL)?;
    }
    Ok(0)
}

fn send(survivors: &[Survivor], signal: Signal) -> Result<(), Failure> {
    for Survivor { identity, pidfd } in survivors {
        let pid = identity.pid;
        match pidfd_send_signal(pidfd, signal) {
            Ok(()) => {
                let number = u8::try_from(signal.as_raw()).unwrap_or_default();
                output::write(format!("{pid} ({}): sent {}\n", command_of(pid), signal_name(number)))?;
            }
            Err(rustix::io::Errno::SRCH) => {}
            Err(error) => {
                let context = format!("cannot send process {pid} a signal");
                return Err(Failure::from(anyhow::Error::from(error).context(context))
                    .hint("it may belong to another user by now; end it as that user"));
            }
        }
    }
    Ok(())
}

/// All processes that carry the id, but those that are our own programs: hosts and keepers that somebody started
/// inside the worker are no part of it.
fn find(worker: WorkerId) -> Vec<Survivor> {
    let mark = format!("ABIDE_WORKER={worker}");
    let own = [program_of("self"), host_program().ok()];
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| {
        let identity = Identity::of(pid)?;
        let pidfd = identity.open()?;
        // Read after the descriptor was opened, so that it is this process's environment.
        let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
        let carries = environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes());
        let program = program_of(&pid.to_string());
        let is_ours = program.is_some() && own.contains(&program);
        (carries && !is_ours && identity.is_alive()).then_some(Survivor { identity, pidfd })
    })
    .collect()
}

fn program_of(process: &str) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{process}/exe")).ok()
}

/// What a process is called, safe to show.
fn command_of(pid: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    model::display_safe(name.trim_end())
}

fn has_ended(survivor: &Survivor, deadline: Instant) -> bool {
    ends_before(&survivor.pidfd, Some(deadline)).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn c2_a_process_is_found_by_the_id_it_carries() {
        let worker = WorkerId::from_random([1, 2, 3, 4, 5, 6, 7, 200]);
        let mut child = Command::new("sleep").arg("60").env("ABIDE_WORKER", worker.as_str()).spawn().unwrap();
        // The environment is the child's own only once it has become another program.
        let found = || find(worker).iter().map(|survivor| survivor.identity.pid).collect::<Vec<_>>();
        let deadline = Instant::now() + testkit::WAIT;
        while found() != [child.id()] && Instant::now() < deadline {
            std::thread::yield_now();
        }
        assert_eq!(found(), [child.id()]);
        for survivor in find(worker) {
            pidfd_send_signal(&survivor.pidfd, Signal::KILL).unwrap();
            assert!(has_ended(&survivor, deadline));
        }
        child.wait().unwrap();
        assert!(find(worker).is_empty());
    }
}
