//! Work on several threads at once.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does each of some jobs, so many at once, and gives what came of them in their order: nothing of one that panicked.
pub(super) fn at_once<J: Sync, R: Send>(
    jobs: &[J],
    threads: usize,
    work: impl Fn(&J) -> R + Sync,
) -> Vec<Option<R>> {
    let next = AtomicUsize::new(0);
    // The state of a job that panicked is not used again.
    let done = |job: &J| panic::catch_unwind(AssertUnwindSafe(|| work(job))).ok();
    let run = || -> Vec<(usize, Option<R>)> {
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        numbers.map_while(|number| Some((number, done(jobs.get(number)?)))).collect()
    };
    let mut results: Vec<Option<R>> = jobs.iter().map(|_| None).collect();
    thread::scope(|scope| {
        // With fewer threads it takes longer.
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, run).ok();
        let running: Vec<_> = (1..threads.min(jobs.len())).filter_map(spawn).collect();
        let mut all = run();
        all.extend(running.into_iter().flat_map(|thread| thread.join().unwrap_or_default()));
        for (number, result) in all {
            results[number] = result;
        }
    });
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_runs_once_and_one_that_panics_stops_no_other() {
        let jobs: Vec<u32> = (0..100).collect();
        for threads in [1, 2, 7, 200] {
            let results =
                at_once(&jobs, threads, |&job| if job == 42 { panic!("on purpose") } else { job * 2 });
            let expected: Vec<_> = jobs.iter().map(|&job| (job != 42).then_some(job * 2)).collect();
            assert_eq!(results, expected, "{threads} threads");
        }
        assert_eq!(at_once(&[] as &[u32], 2, |job| *job), []);
    }
}
