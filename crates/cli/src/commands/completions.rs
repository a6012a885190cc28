//! `abide completions`: what a shell needs to complete our commands.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Abide;
use crate::completion;
use crate::failure::Failure;
use crate::output;

/// Print the completion script for a shell
///
/// bash, zsh and fish also complete the names of workers, tasks, repositories and sessions.
///
/// For bash: `abide completions bash > ~/.local/share/bash-completion/completions/abide`. For zsh: write it to a file
/// `_abide` in a directory of `fpath`. For fish: `abide completions fish > ~/.config/fish/completions/abide.fish`.
#[derive(Args)]
pub(super) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self) -> Result<u8, Failure> {
        match completion::script(self.shell) {
            Some(script) => output::write(script)?,
            None => {
                let mut script = Vec::new();
                clap_complete::generate(self.shell, &mut Abide::command(), "abide", &mut script);
                output::write(script)?;
            }
        }
        Ok(0)
    }
}
