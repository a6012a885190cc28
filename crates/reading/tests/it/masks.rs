use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use home::WorkerDir;
use reading::Masks;

use crate::house::House;

/// A process of a worker that is gone when this is.
struct Running(Child);

impl Running {
    /// With a secret in its environment.
    fn of(worker: &WorkerDir, name: &str, secret: &str) -> Running {
        let mut command = Command::new("cat");
        command.env("ABIDE_WORKER", worker.id().as_str()).env(name, secret).stdin(Stdio::piped());
        Running(command.spawn().expect("`cat` runs"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().and_then(|()| self.0.wait()).expect("it ends");
    }
}

#[test]
fn the_secrets_of_all_processes_of_a_worker_are_masked() {
    let house = House::new();
    let (worker, other) = (house.worker(1, 0, &["a"]), house.worker(2, 0, &["a"]));
    let _one = Running::of(&worker, "DEPLOY_TOKEN", "correct-horse-battery");
    let _two = Running::of(&worker, "BACKUP_TOKEN", "staple-in-the-harbour");
    let masks = Masks::read(&house.home).expect("rules");
    let text = "correct-horse-battery staple-in-the-harbour";
    assert_eq!(masks.of(&worker).mask_text(text), "***REDACTED********** ***REDACTED**********");
    assert_eq!(masks.of(&other).mask_text(text), text, "another worker's secrets are its own");
    assert_eq!((masks.knows_secrets_of(&worker), masks.knows_secrets_of(&other)), (true, false));
}

#[test]
fn rules_are_compiled_once() {
    let house = House::new();
    let workers = [1, 2, 3].map(|number| house.worker(number, 0, &["a"]));
    let _one = Running::of(&workers[0], "DEPLOY_TOKEN", "correct-horse-battery");
    let _two = Running::of(&workers[1], "ORDINARY_WORD", "an ordinary word");
    let masks = Masks::read(&house.home).expect("rules");
    let [with, plain, ended] = workers.each_ref().map(|worker| masks.of(worker));
    assert!(Arc::ptr_eq(&plain, &masks.common()) && Arc::ptr_eq(&ended, &masks.common()));
    assert!(!Arc::ptr_eq(&with, &masks.common()) && Arc::ptr_eq(&with, &masks.of(&workers[0])));
}

#[test]
fn a_caller_that_must_mask_has_the_built_in_rules_at_least() {
    let house = House::new();
    std::fs::write(house.home.mask_file(), "nonsense").expect("written");
    assert!(Masks::read(&house.home).is_err());
    let (masks, error) = Masks::read_at_least(&house.home);
    assert!(error.is_some_and(|error| error.to_string().contains("masking.toml")));
    // Put together here, so that no scanner takes this file for a leak.
    let secret = format!("ghp_{}", "q7Zt2XbK9mR4vLd8HwPf3NsJ6yGc5TaQ1xVe");
    assert!(!masks.common().mask_text(&secret).contains("q7Zt2"));
}
