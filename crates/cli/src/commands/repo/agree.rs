//! `abide repo agree`: the commands of a repository's `.abide.toml`, shown and agreed to.

use api::{Provisioning, Repository};
use clap::Args;

use crate::failure::Failure;
use crate::named;
use crate::output;
use crate::the_server;

mod boxes;

/// The width of what is printed where no terminal is.
const USUAL_COLS: usize = 80;

/// Show the commands that a repository wants to run in its worktrees, and agree to them
///
/// A repository's .abide.toml may contain commands that set up a new worktree and clean up before abide removes it.
/// abide runs them only if you have agreed to exactly these commands. If they change, it asks again.
#[derive(Args)]
pub(in crate::commands) struct Agree {
    /// The repository's name, or the beginning of its id
    #[arg(value_name = "REPO")]
    repository: String,
    /// Agree to the commands that abide showed with this hash
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,
}

impl Agree {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let server = the_server::find()?;
        let repository: Repository = named::find(&server, &self.repository)?;
        if let Some(hash) = self.hash {
            server.agree(repository.id, &api::Agree { hash })?;
            eprintln!(
                "agreed; abide runs them in new worktrees of `{}`",
                model::display_safe(&repository.name)
            );
            return Ok(0);
        }
        let provisioning = server.provisioning(repository.id)?;
        warn(&provisioning);
        if provisioning.commands.is_empty() {
            eprintln!("the repository has no commands to run");
            return Ok(0);
        }
        let width_cols = output::width_cols().unwrap_or(USUAL_COLS);
        let boxes = boxes::of(&provisioning, width_cols).ok_or_else(|| {
            Failure::ours("the server shows a command in a form that this abide does not know")
                .hint("end the server, and start it again with `abide serve`")
        })?;
        output::write(boxes)?;
        if provisioning.agreed {
            eprintln!("you have agreed to these");
        } else {
            let hash = model::display_safe(&provisioning.hash);
            eprintln!("agree to these with `abide repo agree {} --hash {hash}`", repository.id);
        }
        Ok(0)
    }
}

/// Says what in the repository's file means nothing.
pub(super) fn warn(provisioning: &Provisioning) {
    for warning in &provisioning.warnings {
        eprintln!("warning: in its .abide.toml, {}", model::display_safe(warning));
    }
}
