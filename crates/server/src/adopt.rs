//! Adoption: a new server takes over the workers and worktrees that are there.
//!
//! A host needs no server. So every server does all of this again, and keeps nothing that a host can tell once more.

mod new_workers;
mod settled;
mod workers;
mod worktrees;

pub(crate) use new_workers::notice_new_workers;
pub(crate) use settled::{Settled, settling};
pub(crate) use workers::{adopt, adopt_all};
