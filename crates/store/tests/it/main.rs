//! The store from outside: a real SQLite in a temporary directory, or in memory where the disk does not matter.

mod adopt;
mod audit;
mod changes;
mod consents;
mod damage;
mod disk;
mod every_method;
mod files;
mod import;
mod inbox;
mod killed;
mod owners;
mod prompts;
mod random;
mod repositories;
mod sessions;
mod statements;
mod steps;
mod support;
mod task_sessions;
mod tasks;
mod tokens;
mod versions;
mod workers;
mod worktrees;
mod world;
