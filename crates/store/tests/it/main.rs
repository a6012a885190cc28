//! The store from outside: a real SQLite in a temporary directory, or in memory where the disk does not matter.

mod adopt;
mod audit;
mod consents;
mod damage;
mod disk;
mod files;
mod killed;
mod random;
mod repositories;
mod sessions;
mod support;
mod task_sessions;
mod tasks;
mod tokens;
mod versions;
mod workers;
mod worktrees;
mod world;
