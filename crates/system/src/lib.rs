//! What every operating system does in its own way: processes, their peers and their memory, paths of descriptors,
//! waiting for many descriptors, watching a directory.
//!
//! The other crates ask this one, so support for another system is another folder beside `linux/` with the same
//! modules. What every Unix has (PTYs, signals, `flock`, Unix sockets) is used where it is needed.

#[cfg(target_os = "linux")]
mod linux;

#[cfg(target_os = "linux")]
pub use linux::{
    DirectoryChange, DirectoryWatch, Events, Process, Ready, Reported, Timer, Waker, advice, descriptors,
    group, machine, memory, peers, processes, program, secrets, sessions, urgency,
};

#[cfg(not(target_os = "linux"))]
compile_error!("abide runs on Linux; another system needs a folder beside `linux/`");
