//! The server: HTTP, WebSocket relay, tasks; starts hosts and adopts living ones.
//!
//! [`run()`] is its life. `router.rs` has every route on one page, each with who it is for; the gate is in front of all
//! of them. What a route does is in the file named for the thing it is about. The server is bookkeeping and a thin
//! relay: it can be killed at any instant, and the next one finds everything again.

mod app;
mod changes;
pub mod codes;
mod cwd;
mod dashboard;
mod dialects;
mod environment;
pub mod gate;
mod hosts;
mod housekeeping;
mod import;
mod journal;
mod link;
pub mod listen;
mod live;
pub mod lock;
mod logging;
mod metrics;
mod options;
pub mod policy;
mod private_file;
pub mod problem;
mod provision;
pub mod recordings;
mod relay;
mod router;
mod routes;
mod run;
mod sessions;
mod setup_command;
mod tasks;
mod texts;
pub mod tokens;
mod troubles;
mod uploads;
mod views;
mod workers;
mod worktrees;
mod written;

pub use options::{Options, WorkerDefaults};
pub use router::{openapi, route_table};
pub use run::run;
