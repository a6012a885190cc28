//! A process that is killed while it writes.

use std::env;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use store::{SessionFilter, TaskFilter};
use testkit::Random;

use crate::support::{active_task, add_repository, agent, archive, at, new_task_session, open, place};

/// Tells the second process which database to write.
const DATABASE: &str = "ABIDE_TEST_KILLED";

/// Begins and archives sessions for ever, and prints how many were begun.
fn write_for_ever(path: &Path) -> ! {
    let store = open(path).unwrap();
    let known = store.repositories().unwrap().first().map(|repository| repository.id);
    let repository = known.unwrap_or_else(|| add_repository(&store, 1));
    let mut number = store.sessions(SessionFilter::All).unwrap().len() as u32;
    loop {
        let task = active_task(&store, repository).id;
        store.begin_session(task, &new_task_session(number), &agent(number), at(1)).unwrap();
        number += 1;
        println!("begun {number}");
        if number.is_multiple_of(2) {
            archive(&store, task, at(2), None, true).unwrap();
        }
    }
}

/// Has a second process write, kills it after some sessions and a moment, and says how many it had begun.
fn write_and_kill(path: &Path, random: &mut Random) -> usize {
    let mut writer = Command::new(env::current_exe().unwrap())
        .args(["--exact", "killed::p11_a_process_killed_at_any_instant_leaves_whole_steps", "--nocapture"])
        .env(DATABASE, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut begun = 0;
    let mut note = |line: String| begun = line.strip_prefix("begun ").map_or(begun, |n| n.parse().unwrap());
    lines.by_ref().take(random.between(5, 40)).for_each(&mut note);
    thread::sleep(Duration::from_micros(random.below(3000) as u64));
    writer.kill().unwrap();
    writer.wait().unwrap();
    lines.for_each(note);
    begun
}

#[test]
fn p11_a_process_killed_at_any_instant_leaves_whole_steps() {
    if let Some(path) = env::var_os(DATABASE).map(PathBuf::from) {
        write_for_ever(&path);
    }
    let (_dir, path) = place();
    let mut random = Random::new(11);
    for round in 0..15 {
        let begun = write_and_kill(&path, &mut random);
        let store = open(&path).unwrap();
        store.check().unwrap();
        let sessions = store.sessions_with_workers(SessionFilter::All).unwrap();
        // One more may have been put down before it could be said.
        assert!([begun, begun + 1].contains(&sessions.len()), "round {round}: {begun}, {}", sessions.len());
        assert!(sessions.iter().all(|session| session.workers.len() == 1));
        assert_eq!(store.worktrees(None).unwrap().len(), sessions.len());
        let tasks = store.tasks(TaskFilter::default()).unwrap();
        let open = sessions.iter().filter(|session| session.session.closed_at.is_none());
        let at_work = tasks.iter().filter(|task| task.session.is_some());
        assert_eq!(open.count(), at_work.count());
    }
}
