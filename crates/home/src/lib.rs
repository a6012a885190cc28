//! The data directory: its files, its live processes, and the start of a host in it.
//!
//! Everything abide keeps is under one root ([`Home`]). Each worker has a directory there ([`WorkerDir`]) with the
//! request that started it ([`Meta`]), the process that runs it ([`Identity`]) and its end ([`ExitNote`]). Nothing here
//! speaks to a host: `viewer` does.

mod conversation;
mod environment;
mod exit_note;
mod find;
mod hook_events;
mod identity;
mod meta;
mod private;
mod root;
mod server_note;
mod sign_in_page;
mod socket;
mod start;
mod unborn;
mod worker_dir;

pub use conversation::Conversation;
pub use environment::child_environment;
pub use exit_note::ExitNote;
pub use find::{FindError, Worker};
pub use hook_events::{HookCursor, HookEvent};
pub use identity::Identity;
pub use meta::{Meta, Session};
pub use private::{PrivateError, lock_file, private_dir};
pub use root::{Home, HomeError, login_shell};
pub use server_note::ServerNote;
pub use sign_in_page::{
    SIGN_IN_PAGE_GOOD_FOR, remove_old_sign_in_pages, remove_used_sign_in_pages, write_sign_in_page,
};
pub use socket::bind_socket;
pub use start::{
    Adopted, NewWorker, Report, StartError, StartFailure, Started, forget_memory_settings, random_bytes,
    start, start_adopting, start_near,
};
pub use unborn::{Forget, UnbornWorker};
pub use worker_dir::WorkerDir;
