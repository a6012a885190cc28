//! The server: HTTP, WebSocket relay, tasks; starts hosts and adopts living ones.
//!
//! [`run()`] is its life. `router.rs` lists every route with its access policy; the gate is in front of all of them. A
//! request's work is in a room, the folder named for its subject (`rooms.rs`). Everything that reaches a worker goes
//! through the node (`node.rs`). The server is bookkeeping and a thin relay: it can be killed at any instant, and the
//! next one finds everything again.

mod access;
mod adopt;
mod app;
mod changes;
pub mod codes;
mod dashboard;
mod dialects;
mod faults;
pub mod gate;
mod housekeeping;
mod inbox;
mod journal;
pub mod listen;
mod live;
pub mod lock;
mod logging;
mod metrics;
mod node;
mod options;
pub mod policy;
pub mod problem;
mod prompts;
mod relay;
mod rooms;
mod router;
mod routes;
mod run;
mod saved;
mod sessions;
mod shares;
mod standing;
mod stops;
mod tasks;
mod texts;
pub mod tokens;
mod troubles;
mod views;
mod watches;
mod workers;
mod worktrees;

pub use faults::StartStep;
pub use node::recordings;
pub use options::{Options, WorkerDefaults};
pub use router::{openapi, route_table};
pub use run::run;
