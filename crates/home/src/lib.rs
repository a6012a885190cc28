//! The data directory: what is in it, who is alive in it, and how a host gets started in it.
//!
//! Everything abide keeps is under one root ([`Home`]). Each worker has a directory there ([`WorkerDir`]) with what
//! was asked for ([`Meta`]), who runs it ([`Identity`]) and how it ended ([`ExitNote`]). Nothing here speaks to a
//! host: `viewer` does.

mod environment;
mod exit_note;
mod find;
mod identity;
mod meta;
mod private;
mod program;
mod root;
mod socket;
mod start;
mod worker_dir;

pub use environment::{child_environment, environment_of};
pub use exit_note::ExitNote;
pub use find::{FindError, Worker};
pub use identity::Identity;
pub use meta::{Meta, Session};
pub use private::{PrivateError, lock_file, private_dir};
pub use program::own_program;
pub use root::{Home, HomeError, login_shell};
pub use socket::bind_socket;
pub use start::{
    Adopted, NewWorker, Report, StartError, StartFailure, Started, forget_memory_settings, place,
    random_bytes, start, start_adopting, start_near,
};
pub use worker_dir::WorkerDir;
