//! The whole program, as a person at a keyboard or at the end of a pipe sees it.

mod abide;
mod debug;
mod doctor;
mod house;
mod living;
mod ls;
mod pages;
mod settings;
mod usage;
mod watcher;
