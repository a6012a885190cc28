//! Repositories and worktrees, through the git program.
//!
//! A [`Git`] is the program and the terms on which we run it. It *looks* at a repository ([`Git::inspect`],
//! [`Git::branches`], [`Git::worktrees`], [`Git::work`], [`Git::summary`]) without running anything that the
//! repository brings along, and it *changes* one ([`Git::add_worktree`], [`Git::to_trash`], [`Git::from_trash`],
//! [`Git::expire`], [`Git::delete_branch_if_untouched`]), one change at a time for each repository, each of them whole
//! or not at all. What a killed process left half done, [`Git::finish`] completes or undoes.
//!
//! A worktree is not removed but moved to the *trash*, with everything in it, and can be taken back. Nothing but
//! [`Git::expire`] deletes what may be a person's work.
//!
//! All calls block, each for a bounded time. [`Provisioning`] is what a repository would like to have run in its
//! worktrees; nothing here runs it. Consent to it is kept by its hash, which is one of `sha2`'s: a repository must not
//! be able to find other commands with the same one.

mod add;
mod branch_name;
mod branches;
mod child;
mod error;
mod expire;
mod failure;
mod finish;
mod git;
mod holders;
mod intent;
mod links;
mod locks;
mod overruled;
mod path_text;
mod paths;
mod provisioning;
mod repository;
mod run;
mod settings;
mod small_file;
mod status;
mod stop;
mod submodules;
mod summary;
mod trash;
mod turn;
mod unmake;
mod version;
mod way;
mod work;
mod worktrees;

pub use add::{MadeWorktree, NewWorktree, WorktreeBranch};
pub use branch_name::BranchName;
pub use branches::Branch;
pub use child::CLEARING_UP;
pub use error::GitError;
pub use finish::Finished;
pub use git::Git;
pub use provisioning::{Provisioning, provisioning};
pub use repository::Repository;
pub use stop::Stop;
pub use summary::Summary;
pub use trash::{StaysDetached, TakenBack, Trashed};
pub use version::Version;
pub use work::{Operation, Work};
pub use worktrees::{LinkedWorktree, ListedWorktree};
