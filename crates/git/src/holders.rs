//! Which processes are changing a repository.

use std::path::Path;

use system::processes;

use crate::git::Git;
use crate::turn::CHECKOUT;

impl Git {
    /// The numbers of the processes that hold a repository's turn in the directory given with [`Git::with_locks`]: every
    /// git that changes something, also one whose starter was killed.
    pub fn holders(&self) -> Vec<u32> {
        let Some(locks) = self.locks.as_deref().and_then(|directory| directory.canonicalize().ok()) else {
            return Vec::new();
        };
        processes::all().filter(|pid| holds(*pid, &locks)).collect()
    }

    /// Those of them that write the files of a new worktree: they may take long, and may be asked to end at any moment.
    /// The others take milliseconds, and lock what all worktrees share.
    pub fn checkouts(&self) -> Vec<u32> {
        self.holders().into_iter().filter(|pid| is_checkout(*pid)).collect()
    }
}

fn is_checkout(pid: u32) -> bool {
    processes::arguments(pid).is_some_and(|arguments| arguments.iter().any(|word| word == CHECKOUT))
}

/// Whether the input of a process is one of these locks, as it is for every git that has its turn.
fn holds(pid: u32, locks: &Path) -> bool {
    processes::standard_input(pid).is_some_and(|input| {
        input.parent() == Some(locks) && input.extension().is_some_and(|extension| extension == "lock")
    })
}
