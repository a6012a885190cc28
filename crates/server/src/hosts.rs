//! Hosts: started, adopted, listened to, and noticed when they are lost.
//!
//! A host needs no server. So everything here is done again by the next server, and nothing is kept that a host could
//! not tell once more.

mod adopt;
mod new_workers;
mod reaper;
mod settle_worktrees;
mod start;
mod watch;

pub(crate) use adopt::{adopt, adopt_all, why_lost};
pub(crate) use new_workers::notice_new_workers;
pub(crate) use reaper::Reaper;
pub(crate) use start::{Hosts, StartWorker};
pub(crate) use watch::Watches;
