//! `abide repo agree`: the commands of a repository's `.abide.toml`, shown and agreed to.

use api::{Provisioning, Repository};
use clap::Args;

use crate::failure::Failure;
use crate::named;
use crate::output;
use crate::the_server;

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
        if provisioning.setup.is_empty() && provisioning.teardown.is_empty() {
            eprintln!("the repository has no commands to run");
            return Ok(0);
        }
        output::write(commands(&provisioning))?;
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

fn commands(provisioning: &Provisioning) -> String {
    let lines = |when: &str, commands: &[String]| -> String {
        commands.iter().map(|command| format!("{when}: {}\n", whole(command))).collect()
    };
    lines("setup", &provisioning.setup) + &lines("teardown", &provisioning.teardown)
}

/// The whole command, however long it is: a person must not agree to a shortened command. Its lines are shown with
/// their ends as two characters.
fn whole(command: &str) -> String {
    let lines = command.replace('\n', "\\n").replace('\t', "\\t");
    let characters: Vec<char> = lines.chars().collect();
    characters.chunks(100).map(|part| model::display_safe(&part.iter().collect::<String>())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_in_full_and_safely() {
        let long = "x".repeat(1000);
        let provisioning = Provisioning {
            setup: vec!["npm ci".into(), format!("a\nb \u{1b}[8m{long}")],
            teardown: vec!["rm -r cache".into()],
            hash: "h".into(),
            agreed: false,
            warnings: Vec::new(),
        };
        let expected = format!("setup: npm ci\nsetup: a\\nb \u{fffd}[8m{long}\nteardown: rm -r cache\n");
        assert_eq!(commands(&provisioning), expected);
    }
}
