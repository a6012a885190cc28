//! Linux.

pub mod advice;
pub mod descriptors;
mod directory_watch;
mod events;
pub mod group;
pub mod machine;
pub mod memory;
pub mod peers;
mod process;
pub mod processes;
pub mod program;
pub mod secrets;
pub mod sessions;
#[cfg(test)]
mod soon;
mod timer;
pub mod urgency;
mod waker;

pub use directory_watch::{DirectoryChange, DirectoryWatch};
pub use events::{Events, Ready, Reported};
pub use process::Process;
pub use timer::Timer;
pub use waker::Waker;
