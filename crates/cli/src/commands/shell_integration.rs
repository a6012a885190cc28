//! `abide shell-integration`: what has a shell mark that abide does not start.

use clap::{Args, ValueEnum};
use shells::Shell;

use crate::failure::Failure;
use crate::output;

/// Print a script by which a shell marks its commands, for shells that abide does not start
///
/// abide marks the bash, zsh or fish of a worker by itself. A shell on another machine, in a container or behind `sudo`
/// needs the script in its own file. For example:
///
///   abide shell-integration bash | ssh HOST 'cat >> .bashrc'
///
/// fish reads ~/.config/fish/config.fish, zsh reads ~/.zshrc.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(super) struct ShellIntegration {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Name,
}

#[derive(Clone, Copy, ValueEnum)]
enum Name {
    Bash,
    Zsh,
    Fish,
}

impl ShellIntegration {
    pub(super) fn run(self) -> Result<u8, Failure> {
        let shell = match self.shell {
            Name::Bash => Shell::Bash,
            Name::Zsh => Shell::Zsh,
            Name::Fish => Shell::Fish,
        };
        output::write(shell.marks())?;
        Ok(0)
    }
}
