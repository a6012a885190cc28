//! A task whose start is held before one of its steps.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;

use api::Task;
use rustix::fs::OFlags;
use server::StartStep;

use super::asked::Asked;
use super::{heard, pipe};
use crate::house::{House, wait_for};
use crate::server::Workshop;

/// A task whose start is held.
pub(super) struct Held {
    pub(super) shop: Workshop,
    pub(super) task: Task,
    pub(super) start: Asked,
}

impl Held {
    /// Starts a task, and waits until its start is held before this step.
    pub(super) fn before(step: StartStep) -> Held {
        let house = House::new();
        for name in ["held", "released", "asked"] {
            pipe(&house, name);
        }
        let shop = Workshop::with(house, &[("ABIDE_HOLD_START", step.as_str())]);
        shop.repository.write(".gitignore", "made\n");
        shop.runs(&["echo made >made"], &[]);
        let task = shop.task("Do something");
        let start = Asked::step(&shop.server, &format!("/api/tasks/{}/session/start", task.id));
        heard(&shop.house.path().join("held"));
        Held { shop, task, start }
    }
}

/// Lets a start go on that is held, unless its server is gone.
pub(super) fn release(shop: &Workshop) {
    let released = shop.house.path().join("released");
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    wait_for("the server to wait for that, or to be gone", || {
        // It can be opened once the server has it open, or waits until it is.
        let opened = OpenOptions::new().write(true).custom_flags(flags).open(&released);
        (opened.is_ok() || has_ended(shop.server.pid())).then_some(())
    });
}

/// Whether a process is gone, or only its entry is left, which the test collects later.
fn has_ended(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).map_or(true, |stat| stat.contains(") Z "))
}

/// Lets all further starts go on.
pub(super) fn hold_no_more(house: &House) {
    for name in ["held", "released", "asked"] {
        fs::remove_file(house.path().join(name)).expect("it is there");
    }
}
