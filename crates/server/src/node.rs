//! The node: the machine that workers run on.
//!
//! Everything that reaches a worker goes through [`Node`]: start, link, recording, files, git. The rest of the server
//! asks it by the id of the worker or worktree, and builds no path, runs no git and opens no socket of a host by
//! itself. Two handles leave the node: a closure gets `git` to ask git, and `recorded` to read a recording.
//!
//! Today's one node is this machine: its disk, its processes and its git program. Another machine would be another kind
//! of node with the same methods. The node knows nothing of the database, of owners or of requests.

mod conversations;
mod cwd;
mod directories;
mod environment;
mod exits;
mod git;
mod hooks;
mod hosts;
mod left_checkouts;
mod link;
mod new_workers;
mod process_group;
mod programs;
mod reaper;
pub mod recordings;
mod setup_command;
mod setup_record;
mod sign_in_pages;
mod this_machine;
mod transcripts;
mod trash;
mod troubles;
pub(crate) mod uploads;
mod withdraw;
mod workers;
mod worktrees;

use std::sync::Arc;

use ::git::Git;
use api::Problem;
use home::Home;

use self::exits::Exits;
use self::hosts::Hosts;
use self::transcripts::Accounts;
use crate::options::WorkerDefaults;

pub(crate) use self::hooks::GivenHooks;
pub(crate) use self::hosts::StartWorker;
pub(crate) use self::link::{HostLink, LinkError, LinkReader, LinkWriter};
pub(crate) use self::new_workers::Noticed;
pub(crate) use self::setup_command::SetupError;
pub(crate) use self::this_machine::{TcpUsers, become_less_urgent, is_this_user};
pub(crate) use self::transcripts::{TranscriptPage, TranscriptSource, Used};
pub(crate) use self::trash::TrashedWorktree;
pub(crate) use self::workers::FoundWorker;
pub(crate) use self::worktrees::FoundWorktree;
pub(crate) use reading::Exit;
pub(crate) use viewer::reach::Condition;
pub(crate) use viewer::{KeyModes, key_bytes, paste};

/// The machine that workers run on. Clones are the same node.
#[derive(Clone, Debug)]
pub(crate) struct Node(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    home: Home,
    /// Git, or the reason why there is none.
    git: Result<Git, Problem>,
    hosts: Hosts,
    exits: Exits,
    accounts: Accounts,
}

impl Node {
    /// This machine, with the workers of a data directory. Looks for git, once.
    ///
    /// # Errors
    ///
    /// When looking for git was interrupted. A machine without git is no error.
    pub(crate) async fn open(home: &Home, defaults: WorkerDefaults) -> Result<Node, Problem> {
        let git = git::find(home).await?;
        let hosts = Hosts::new(home.clone(), defaults);
        Ok(Node(Arc::new(Parts {
            home: home.clone(),
            git,
            hosts,
            exits: Exits::default(),
            accounts: Accounts::default(),
        })))
    }

    /// A node for tests that start no worker.
    #[cfg(test)]
    async fn for_test(home: &Home) -> Node {
        let defaults = WorkerDefaults {
            program: "abide-host".into(),
            size: model::TermSize::clamped(80, 24),
            size_policy: model::SizePolicy::default(),
            grace_ms: home::Meta::GRACE_MS,
            recording_bytes: home::Meta::RECORDING_BYTES,
            mask: model::MaskPolicy::default(),
            shell: None,
            shell_integration: false,
            scope: false,
            keeper: false,
        };
        Node::open(home, defaults).await.expect("a node")
    }
}
