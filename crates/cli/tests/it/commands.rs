//! Each command of `abide` that is about workers, with real ones.

mod agent;
mod environment;
mod export;
mod gc;
mod import;
mod kill;
mod logs;
mod ls;
mod mask;
mod names;
mod no_server;
mod replay;
mod scope;
mod screen;
mod search;
mod send;
mod service;
mod told_server;
mod upgrade;
mod wait;
