//! Keeps children alive when their hosts are killed.
//!
//! A host hands out a [`Lease`]: descriptors of its PTY, of its child and of itself. While another process holds them,
//! the child of a killed host gets no hang-up, and a new host can adopt it. The keeper is a small process that holds
//! the leases of all workers of a data directory; it comes with the first worker and leaves with the last.

mod ensure;
mod keep;
mod lease;

pub use ensure::ensure;
pub use keep::main;
pub use lease::{Lease, LeaseError, Said};
