//! Which processes are changing a repository.

use std::path::Path;

use system::processes;

use crate::git::Git;

impl Git {
    /// The numbers of the processes that hold a repository's turn in the directory given with [`Git::with_locks`]: every
    /// git that changes something, also one whose starter was killed.
    pub fn holders(&self) -> Vec<u32> {
        let Some(locks) = self.locks.as_deref().and_then(|directory| directory.canonicalize().ok()) else {
            return Vec::new();
        };
        processes::all().filter(|pid| holds(*pid, &locks)).collect()
    }
}

/// Whether the input of a process is one of these locks, as it is for every git that has its turn.
fn holds(pid: u32, locks: &Path) -> bool {
    processes::standard_input(pid).is_some_and(|input| {
        input.parent() == Some(locks) && input.extension().is_some_and(|extension| extension == "lock")
    })
}
