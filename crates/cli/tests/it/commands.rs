//! Each command of `abide` that is about workers, with real ones.

mod environment;
mod kill;
mod logs;
mod ls;
mod names;
mod scope;
mod screen;
mod send;
mod upgrade;
mod wait;
