//! Processes that a child started and that outlived it.

use std::time::{Duration, Instant};

use home::{Identity, Worker};
use model::WorkerId;
use rustix::process::Signal;
use system::{Process, processes};

use crate::failure::Failure;
use crate::output;
use crate::own_program::host_program;
use crate::signal_name::signal_name;
use viewer::reach::{self, Condition};

/// A process that carries a worker's id in its environment.
struct Survivor {
    identity: Identity,
    process: Process,
}

/// Ends what a worker left behind: asks, and after the worker's grace period forces. With a signal, only sends that.
pub(super) fn end(worker: &Worker, signal: Option<u8>) -> Result<u8, Failure> {
    let name = &worker.meta.name;
    if matches!(reach::condition(&worker.dir), Condition::Live(_) | Condition::NotAnswering { .. }) {
        return Err(Failure::no(format!("worker `{name}` has not ended, so it has left no processes"))
            .hint(format!("`abide kill {name}` ends it")));
    }
    let survivors = find(worker.dir.id());
    if survivors.is_empty() {
        output::write(format!("{name}: no processes are left\n"))?;
        return Ok(0);
    }
    let first = signal.map_or(Some(Signal::TERM), |number| Signal::from_named_raw(i32::from(number)));
    let Some(first) = first else {
        return Err(Failure::usage(format!("{} has no name", signal_name(signal.unwrap_or_default())))
            .hint("use a signal that has a name, for example TERM"));
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
    for Survivor { identity, process } in survivors {
        let pid = identity.pid;
        match process.signal(signal) {
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

/// All processes that carry the id, but those that are our own programs: hosts and keepers that were started
/// inside the worker are no part of it.
fn find(worker: WorkerId) -> Vec<Survivor> {
    let own = [processes::program(processes::this()), host_program().ok()];
    let survivor = |pid: u32| {
        let identity = Identity::of(pid)?;
        let process = identity.open()?;
        // Read after the process was opened, so that it is this process's environment.
        let carries = processes::has_variable(pid, "ABIDE_WORKER", worker.as_str());
        let program = processes::program(pid);
        let is_ours = program.is_some() && own.contains(&program);
        (carries && !is_ours && identity.is_alive()).then_some(Survivor { identity, process })
    };
    processes::all().filter_map(survivor).collect()
}

/// What a process is called, safe to show.
fn command_of(pid: u32) -> String {
    model::display_safe(&processes::name(pid).unwrap_or_default())
}

fn has_ended(survivor: &Survivor, deadline: Instant) -> bool {
    survivor.process.ends_before(Some(deadline)).unwrap_or(false)
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
            survivor.process.signal(Signal::KILL).unwrap();
            assert!(has_ended(&survivor, deadline));
        }
        child.wait().unwrap();
        assert!(find(worker).is_empty());
    }
}
