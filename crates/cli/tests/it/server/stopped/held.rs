//! A task whose start is held before one of its steps.

use std::fs::{self, OpenOptions};
use std::sync::mpsc;
use std::thread;

use api::Task;
use server::StartStep;
use testkit::WAIT;

use super::asked::Asked;
use super::{heard, pipe};
use crate::house::House;
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

/// Lets a start go on that is held.
pub(super) fn release(house: &House) {
    let (tell, told) = mpsc::channel();
    let released = house.path().join("released");
    // Opening waits for the server, which may be gone.
    thread::spawn(move || tell.send(OpenOptions::new().write(true).open(released)));
    told.recv_timeout(WAIT).expect("the server waits for that").expect("a pipe");
}

/// Lets all further starts go on.
pub(super) fn hold_no_more(house: &House) {
    for name in ["held", "released", "asked"] {
        fs::remove_file(house.path().join(name)).expect("it is there");
    }
}
