//! The whole program, as a person at a keyboard or at the end of a pipe sees it.

mod abide;
mod attach;
mod calls;
mod commands;
mod completions;
mod debug;
mod doctor;
mod hardships;
mod house;
mod living;
mod ls;
mod numbers;
mod pages;
mod planted;
mod rest;
mod server;
mod settings;
mod soak;
mod usage;
