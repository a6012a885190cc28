//! A task whose start hangs: in git, or in a setup command.

use std::fs;
use std::path::PathBuf;

use api::Task;

use super::{heard, pipe};
use crate::house::House;
use crate::server::Workshop;

/// Where a start hangs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Where {
    /// In a filter that git runs while it writes files, and that does not end when it is asked to.
    Checkout,
    /// In a setup command.
    Setup,
    /// In what a setup command started, and that does not end when it is asked to.
    StubbornSetup,
}

impl Where {
    pub(super) const ALL: [Where; 3] = [Where::Checkout, Where::Setup, Where::StubbornSetup];
}

/// A task whose start hangs until `quick` is called, and the process in which it does.
pub(super) struct Hanging {
    pub(super) shop: Workshop,
    pub(super) task: Task,
    pub(super) process: u32,
}

impl Hanging {
    pub(super) fn start(place: Where) -> Hanging {
        let house = House::new();
        let (begun, never, quick) = (pipe(&house, "begun"), pipe(&house, "never"), quick_file(&house));
        let shop = Workshop::in_house(house);
        let hang = format!(
            "[ -e '{}' ] || {{ echo $$ >'{}'; read x <'{}'; }}",
            quick.display(),
            begun.display(),
            never.display()
        );
        match place {
            Where::Checkout => {
                shop.repository.write(".gitattributes", "slow filter=slow\n");
                shop.repository.write("slow", "slow\n");
                shop.repository.commit("a slow file");
                let filter = format!("trap '' TERM; {hang}; cat");
                shop.repository.git(&["config", "--global", "filter.slow.smudge", &filter]);
            }
            Where::Setup => shop.runs(&[&hang], &[]),
            Where::StubbornSetup => {
                let script = shop.house.path().join("stubborn");
                fs::write(&script, format!("trap '' TERM\n{hang}\n")).expect("a script");
                shop.runs(&[&format!("sh '{}' & wait", script.display())], &[]);
            }
        }
        let task = shop.task("Do something");
        let _: Task = shop.server.step(&format!("/api/tasks/{}/session/start", task.id)).ok(202);
        let process = heard(&begun).trim().parse().expect("a number");
        Hanging { shop, task, process }
    }
}

fn quick_file(house: &House) -> PathBuf {
    house.path().join("quick")
}

/// From now on nothing hangs.
pub(super) fn be_quick(house: &House) {
    fs::write(quick_file(house), "").expect("a file");
}
