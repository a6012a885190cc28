//! Keeping the memory of a process to itself.

use rustix::process::{DumpableBehavior, set_dumpable_behavior};

/// From now on, no core dump holds this process's memory, and only the administrator can read that memory or trace the
/// process. Programs that it starts are not concerned.
///
/// # Errors
///
/// When the system refuses.
pub fn keep_memory_private() -> rustix::io::Result<()> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
}
