//! What tests of several crates share: skipping with a message, running a test again elsewhere, waiting,
//! programs in a real PTY, git repositories, an HTTP server that follows a script, measured memory and
//! made-up streams of terminal output.
//!
//! With the feature `lives`, also recordings of made-up workers. With the feature `house`, also a data directory with
//! real workers, and viewers of them. With the feature `server`, also a real server in it.

pub mod again;
mod heap;
#[cfg(feature = "house")]
mod house;
#[cfg(feature = "lives")]
mod life;
mod program;
mod random;
mod repository;
mod resident;
mod script;
mod scripted_server;
#[cfg(feature = "server")]
pub mod server;
mod skip;
mod streams;
mod wait;
#[cfg(feature = "house")]
mod watcher;
#[cfg(feature = "house")]
mod worker;

pub use heap::{CountingAllocator, Heap, heap_of};
#[cfg(feature = "house")]
pub use house::House;
#[cfg(feature = "lives")]
pub use life::{BLANK, DataDirectory, Life};
pub use program::Program;
pub use random::Random;
pub use repository::Repository;
pub use resident::resident_kb;
pub use script::write_executable;
pub use scripted_server::{Answer, Request, ScriptedServer};
pub use skip::{SKIP_LOG, skip};
pub use streams::{Profile, StreamGen, damaged};
pub use wait::{WAIT, wait_for, wait_until};
#[cfg(feature = "house")]
pub use watcher::Watcher;
#[cfg(feature = "house")]
pub use worker::{Worker, receive, watching};
